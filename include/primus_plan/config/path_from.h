#pragma once

#include <string>

namespace primus_plan {

/// A path that counts from `folder` (absolute), as seen from the folder `root` (absolute): "exp/a.yaml" below it,
/// absolute elsewhere. By the letters alone: the disk is not asked.
std::string path_from(const std::string& root, const std::string& folder, const std::string& path);

}  // namespace primus_plan
