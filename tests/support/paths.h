#pragma once

#include <filesystem>

namespace primus_plan::test {

/// The program under test: this build's, or the one that PRIMUS_PLAN_BINARY names (under valgrind, say).
std::filesystem::path binary();

/// How many times the usual wait a test grants the program: $PRIMUS_PLAN_PATIENCE, for a program that is watched
/// (valgrind makes it 30 to 60 times slower), else 1.
int patience();

/// The top folder of this source tree.
std::filesystem::path source_dir();

/// Answers of the frameworks' own code: $PRIMUS_PLAN_ORACLE_DIR, else shared/oracle beside the source tree. May not
/// exist.
std::filesystem::path oracle_dir();

/// YAML files of Primus: $PRIMUS_PLAN_CORPUS_DIR, else shared/corpus beside the source tree. May not exist.
std::filesystem::path corpus_dir();

}  // namespace primus_plan::test
