#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan::app {

/// The files that differ from a revision, or from where this branch left it, committed or not, and the new ones that
/// git does not ignore; without deleted ones. Absolute paths, sorted. Throws Trouble outside of a repository, for a
/// revision that does not exist, and without git.
std::vector<std::string> changed_files(const std::string& revision);

/// The folder that holds everything of the working folder's repository. Throws Trouble outside of a repository.
std::string repository_folder();

/// What git prints; nothing when it fails. `input` is its standard input, at most a few thousand bytes. Throws Trouble
/// when git cannot be run.
std::optional<std::string> run_git(std::vector<std::string> arguments, std::string_view input = {});

}  // namespace primus_plan::app
