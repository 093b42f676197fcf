#pragma once

#include <string>
#include <vector>

namespace primus_plan::app {

/// The files that differ from a revision, or from where this branch left it, committed or not, and the new ones that
/// git does not ignore; without deleted ones. Absolute paths, sorted. Throws Trouble outside of a repository, for a
/// revision that does not exist, and without git.
std::vector<std::string> changed_files(const std::string& revision);

/// The bytes of a file at a revision; `path` as the working folder has it. Throws Trouble when git has no such file
/// there, and without git.
std::string file_at_revision(const std::string& path, const std::string& revision);

}  // namespace primus_plan::app
