#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan::app {

/// A file to check.
struct Input {
  std::string path;          ///< "-" for standard input
  bool from_folder = false;  ///< found below a folder: skipped when it is no experiment
};

/// "; did you mean exp.yaml?" for a path where nothing is; empty without a hint.
std::string hint_of_path(const std::string& path);

/// The files that the arguments name, in order: a folder stands for every *.yaml and *.yml below it, sorted by path.
/// Hidden folders are left out. Throws Trouble for a path that is not there and a named folder that cannot be read; one
/// further down stands in the list itself.
std::vector<Input> find_inputs(const std::vector<std::string>& arguments);

/// All of standard input ("-") or of a pipe that the shell made (<(command), /dev/stdin); nothing for any other path.
/// Throws Trouble past `most_bytes` and when it cannot be read. Can be read once.
std::optional<std::string> read_stream(const std::string& path, std::size_t most_bytes);

/// How reports call a path: "<stdin>" for "-".
std::string shown_name(const std::string& path);

}  // namespace primus_plan::app
