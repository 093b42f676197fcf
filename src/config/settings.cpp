#include "primus_plan/config/settings.h"

#include <algorithm>
#include <filesystem>

#include "config/settings_file.h"
#include "primus_plan/support/glob.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

/// The path as a person in the working folder would write it.
std::string shown(const fs::path& path) {
  std::error_code error;
  const fs::path relative = path.lexically_relative(fs::current_path(error));
  const bool below = !error && !relative.empty() && *relative.begin() != "..";
  return below ? relative.string() : path.string();
}

/// Whether something has this path. What cannot be read as settings (a link to nothing, a pipe, a device) is there,
/// too: it must not be passed over for the settings of a folder further up.
bool is_there(const fs::path& path, const FileReader& files) {
  if (files.exists(path.string())) return true;
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  return type != fs::file_type::not_found && type != fs::file_type::none;
}

}  // namespace

bool FileGlobs::matches(const std::string& path) const {
  if (globs.empty()) return true;
  const fs::path relative = fs::path(path).lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") return false;
  const std::string name = relative.generic_string();
  return std::ranges::any_of(globs, [&](const std::string& glob) { return matches_glob(glob, name); });
}

const Pragma* Settings::launch_of(const std::string& experiment) const {
  const auto found =
      std::ranges::find_if(launch, [&](const LaunchSetting& entry) { return entry.files.matches(experiment); });
  return found == launch.end() ? nullptr : &found->size;
}

std::vector<const IgnoreSetting*> Settings::ignores_of(const std::string& experiment) const {
  std::vector<const IgnoreSetting*> found;
  for (const IgnoreSetting& ignore : ignores) {
    if (ignore.files.matches(experiment)) found.push_back(&ignore);
  }
  return found;
}

SettingsError::SettingsError(std::vector<std::string> faults)
    : std::runtime_error(join(faults, "\n")), faults_(std::move(faults)) {}

const Settings& SettingsFiles::nearest(const std::string& folder) {
  const std::string key = fs::absolute(folder).lexically_normal().string();
  if (const auto known = by_folder_.find(key); known != by_folder_.end()) return *known->second;
  std::shared_ptr<const Settings> result;
  const fs::path here(key);
  const fs::path candidate = here / settings_name;
  if (is_there(candidate, files_)) {
    named(shown(candidate));
    result = by_file_.at(candidate.string());
  } else if (here.has_relative_path()) {
    nearest(here.parent_path().string());
    result = by_folder_.at(here.parent_path().string());
  } else {
    result = std::make_shared<const Settings>();
  }
  return *by_folder_.emplace(key, std::move(result)).first->second;
}

const Settings& SettingsFiles::named(const std::string& path) {
  const std::string key = fs::absolute(path).lexically_normal().string();
  const auto known = by_file_.find(key);
  if (known != by_file_.end()) return *known->second;
  auto settings = std::make_shared<const Settings>(read_settings(path, files_, environment_, rules_));
  return *by_file_.emplace(key, std::move(settings)).first->second;
}

const Settings& SettingsFiles::none() {
  return *by_file_.try_emplace("", std::make_shared<const Settings>()).first->second;
}

}  // namespace primus_plan
