#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "primus_plan/config/settings.h"
#include "primus_plan/report/baseline.h"
#include "primus_plan/report/choice.h"

namespace primus_plan::app {

/// What is to be told: flags of the commands that print findings.
struct ChoiceFlags {
  std::vector<std::string> select;    ///< rules
  std::vector<std::string> ignore;    ///< rules
  std::vector<std::string> severity;  ///< RULE=LEVEL
  std::string baseline;
  std::string config;  ///< a file of settings, or "none"

  void declare(CLI::App& app);
};

/// How experiments under one file of settings are read and judged: the flags over the settings.
struct Setup {
  const Settings* settings = nullptr;
  ExperimentOptions experiment;
  std::optional<Setting<std::string>> baseline_file;  ///< without an origin: from the flag
  std::shared_ptr<const Baseline> baseline;           ///< null when there is none
  Levels levels;
  bool strict = false;  ///< as the settings say

  /// `path` is the experiment's, as the user gave it.
  const Pragma* launch_setting(const std::string& path) const;
  Choice choice(const std::string& path) const;
};

/// Finds the setup of each experiment; reads each file of settings and each baseline once.
class Setups {
 public:
  /// Throws Trouble for rules and levels that do not exist.
  Setups(ExperimentFlags experiment, ChoiceFlags choice, const FileReader& files, const Environment& environment);

  /// The setup for an experiment ("-": standard input, as if in the working folder). It stays where it is. Throws
  /// SettingsError and Trouble when the settings or the baseline cannot be used. Not for several threads.
  const Setup& of(const std::string& path);
  /// The setup for experiments of a folder.
  const Setup& of_folder(const std::string& folder);
  /// false: findings of the baseline are told all the same, for writing a new one.
  void use_baseline(bool use) { uses_baseline_ = use; }

 private:
  Setup make(const Settings& settings);
  void choose_levels(const Settings& settings, Levels& levels) const;
  std::shared_ptr<const Baseline> read_baseline(const std::string& path);

  ExperimentFlags experiment_flags_;
  ChoiceFlags choice_flags_;
  const FileReader& files_;
  const Environment& environment_;
  std::vector<const RuleInfo*> rules_;
  SettingsFiles settings_files_;
  std::vector<LevelWish> wishes_;  ///< of --severity
  bool uses_baseline_ = true;
  std::map<const Settings*, Setup> setups_;
  std::map<std::string, std::shared_ptr<const Baseline>> baselines_;
};

/// Absolute and without "." and "..". The empty path is the working folder.
std::string absolute_path(const std::string& path);
/// What the baseline at `baseline` calls the file at `path`: relative to the baseline's folder.
std::string path_in_baseline(const std::string& baseline, const std::string& path);

}  // namespace primus_plan::app
