#pragma once

#include <string>
#include <vector>

namespace primus_plan::app {

/// A file to check.
struct Input {
  std::string path;          ///< "-" for standard input
  bool from_folder = false;  ///< found below a folder: skipped when it is no experiment
};

/// The files that the arguments name, in order: a folder stands for every *.yaml and *.yml below it, sorted by path.
/// Hidden folders are left out. Throws Trouble for a path that is not there and a folder that cannot be read.
std::vector<Input> find_inputs(const std::vector<std::string>& arguments);

/// Whether a text has a top-level `modules:`: what tells an experiment from the other YAML files of a folder.
bool looks_like_experiment(const std::string& text);

/// All of standard input. Throws Trouble past `most_bytes`.
std::string read_standard_input(std::size_t most_bytes);

}  // namespace primus_plan::app
