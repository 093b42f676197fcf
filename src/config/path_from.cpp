#include "primus_plan/config/path_from.h"

#include <filesystem>

namespace primus_plan {

std::string path_from(const std::string& root, const std::string& folder, const std::string& path) {
  const std::filesystem::path whole = (std::filesystem::path(folder) / path).lexically_normal();
  std::string below = whole.lexically_relative(root).generic_string();
  const bool outside = below.empty() || below == ".." || below.starts_with("../");
  return outside ? whole.generic_string() : below;
}

}  // namespace primus_plan
