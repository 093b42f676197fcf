#include <algorithm>
#include <filesystem>
#include <system_error>

#include "primus_plan/config/files.h"

namespace primus_plan {
namespace {

/// More files than any folder of presets has; a listing serves only suggestions.
constexpr std::size_t max_listed = 5000;

}  // namespace

std::vector<std::string> FileReader::list(const std::string& /*folder*/) const { return {}; }

std::vector<std::string> DiskFiles::list(const std::string& folder) const {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (names.size() == max_listed) break;
    std::error_code ignored;
    if (it->is_regular_file(ignored)) names.push_back(it->path().lexically_relative(folder).generic_string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> MemoryFiles::list(const std::string& folder) const {
  const std::string prefix = folder.empty() || folder.ends_with('/') ? folder : folder + "/";
  std::vector<std::string> names;
  for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix); ++it) {
    names.push_back(it->first.substr(prefix.size()));
  }
  return names;
}

}  // namespace primus_plan
