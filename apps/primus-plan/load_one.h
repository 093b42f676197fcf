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

/// Prints findings of loading on standard error.
void say_findings(const std::string& path, const std::vector<Finding>& findings, const OutputFlags& output);

/// Throws Trouble unless the path is "-" or something is there.
void require_path(const std::string& path);

}  // namespace primus_plan::app
