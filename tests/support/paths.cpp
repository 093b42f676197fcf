#include "support/paths.h"

#include <algorithm>
#include <cstdlib>

namespace primus_plan::test {
namespace {

std::filesystem::path from_environment(const char* name, const std::filesystem::path& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::filesystem::path(value) : otherwise;
}

}  // namespace

std::filesystem::path binary() { return from_environment("PRIMUS_PLAN_BINARY", PRIMUS_PLAN_BINARY); }

int patience() {
  const char* value = std::getenv("PRIMUS_PLAN_PATIENCE");
  return value != nullptr ? std::max(1, std::atoi(value)) : 1;
}

std::filesystem::path source_dir() { return PRIMUS_PLAN_SOURCE_DIR; }

std::filesystem::path oracle_dir() {
  return from_environment("PRIMUS_PLAN_ORACLE_DIR", source_dir().parent_path() / "shared" / "oracle");
}

std::filesystem::path corpus_dir() {
  return from_environment("PRIMUS_PLAN_CORPUS_DIR", source_dir().parent_path() / "shared" / "corpus");
}

}  // namespace primus_plan::test
