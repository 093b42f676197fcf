#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/config/calibration.h"
#include "primus_plan/config/environment.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/files.h"
#include "primus_plan/diagnostics/rule_choice.h"

namespace primus_plan {

/// The name of files of settings.
inline constexpr std::string_view settings_name = ".primus-plan.yaml";

/// A value of the settings and the place that set it.
template <class T>
struct Setting {
  T value{};
  Origin origin{};
};

/// Which experiments an entry is about: those below `folder` whose path relative to it lies under one of the globs
/// (support/glob.h). Without globs, every experiment.
struct FileGlobs {
  std::string folder;  ///< absolute; where the settings file is
  std::vector<std::string> globs;

  /// `path` is absolute.
  bool matches(const std::string& path) const;
};

/// `launch:` the size of the launch of some experiments.
struct LaunchSetting {
  FileGlobs files;
  Pragma size;  ///< its origin is the entry's
};

/// `severity:` rules, and how loud they are.
struct SeveritySetting {
  std::string rules;
  Level level = Level::off;
  Origin origin;
};

/// `ignore:` rules that some experiments need not keep, and why.
struct IgnoreSetting {
  FileGlobs files;
  std::vector<std::string> rules;
  std::string reason;
  Origin origin;
};

/// What a file `.primus-plan.yaml` says, with what it extends below it. Of entries that match, the first holds; a
/// file's own come before those of the files it extends.
struct Settings {
  std::string path;    ///< as it was found; empty when there is no such file
  std::string folder;  ///< absolute folder of that file
  std::optional<Setting<std::string>> primus_root;
  std::optional<Setting<std::string>> hardware;  ///< as --hardware takes it; a file by its path from here
  std::optional<Setting<std::string>> baseline;
  std::optional<Setting<bool>> strict;
  std::optional<Setting<StoredCalibration>> calibration;  ///< of one part: estimates for others do without
  std::vector<LaunchSetting> launch;
  std::vector<SeveritySetting> severities;  ///< weakest first: those of extended files
  std::vector<IgnoreSetting> ignores;
  std::vector<std::shared_ptr<const Source>> sources;  ///< owners of what origins point into

  /// The launch size for the experiment at an absolute path; null when no entry is about it.
  const Pragma* launch_of(const std::string& experiment) const;
  /// The entries that silence rules for the experiment at an absolute path.
  std::vector<const IgnoreSetting*> ignores_of(const std::string& experiment) const;
};

/// Settings that cannot be used; each fault is a line "path:line:column: what and the way out".
class SettingsError : public std::runtime_error {
 public:
  explicit SettingsError(std::vector<std::string> faults);
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  std::vector<std::string> faults_;
};

/// Finds and reads files of settings, each once.
class SettingsFiles {
 public:
  /// `rules` are those that settings may name; all three must outlive this.
  SettingsFiles(const FileReader& files, const Environment& environment, RuleList rules)
      : files_(files), environment_(environment), rules_(rules) {}

  /// The settings for experiments in a folder: of the nearest `.primus-plan.yaml` in it or above it, empty ones when
  /// there is none. Throws SettingsError with everything that is wrong with the file: unknown keys, wrong types, rules
  /// that do not exist, ignores without a reason, a root without presets, a cycle of `extends`.
  const Settings& nearest(const std::string& folder);
  /// The settings of a file that somebody named.
  const Settings& named(const std::string& path);
  /// Settings that say nothing.
  const Settings& none();

 private:
  const FileReader& files_;
  const Environment& environment_;
  RuleList rules_;
  std::map<std::string, std::shared_ptr<const Settings>> by_folder_;
  std::map<std::string, std::shared_ptr<const Settings>> by_file_;
};

}  // namespace primus_plan
