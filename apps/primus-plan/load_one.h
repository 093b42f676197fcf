#pragma once

#include <string>

#include "options.h"

namespace primus_plan::app {

/// The findings have been told; exit code 1.
struct NotLoaded {};

/// Loads the one experiment that FILE ("-" for standard input) holds. When it cannot be loaded, prints why on standard
/// error and throws NotLoaded. Throws Trouble when there is no such file.
LoadResult load_one(const std::string& path, const Loader& loader, const ExperimentOptions& options,
                    const OutputFlags& output);

/// A FILE argument, its text read already where it can be read only once.
struct GivenFile {
  std::string path;
  std::optional<std::string> streamed;
};

/// Throws Trouble when there is no such file, or a folder.
GivenFile open_given(const std::string& path);
/// load_one for a file that is loaded more than once.
LoadResult load_given(const GivenFile& file, const Loader& loader, const ExperimentOptions& options,
                      const OutputFlags& output);

/// Prints findings of loading on standard error.
void say_findings(const std::string& path, const std::vector<Finding>& findings, const OutputFlags& output);

/// Throws Trouble unless the path is "-" or something is there.
void require_path(const std::string& path);

}  // namespace primus_plan::app
