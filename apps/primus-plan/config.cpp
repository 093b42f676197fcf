#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "calibrate.h"
#include "command.h"
#include "load_one.h"
#include "options.h"
#include "primus_plan/report/settings.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "setup.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::string action;
  std::string path = ".";
  bool strict = false;
  ChoiceFlags choice;
  ExperimentFlags experiment;
  LaunchFlags launch;
  OutputFlags output;
};

using Rows = std::vector<SettingRow>;

std::string place(const Origin& origin, std::string_view flag) {
  return origin ? to_string(origin) : std::string(flag);
}

void add_hardware(const Setup& setup, Rows& rows) {
  if (!setup.settings->hardware) return;
  rows.push_back({"hardware", setup.settings->hardware->value, to_string(setup.settings->hardware->origin), {}});
}

void add_calibration(const Setup& setup, Rows& rows) {
  if (!setup.settings->calibration) return;
  const StoredCalibration& calibration = setup.settings->calibration->value;
  rows.push_back({"calibration",
                  fmt::format("{}: {}", calibration.hardware, calibration_text(calibration)),
                  to_string(setup.settings->calibration->origin),
                  {}});
}

void add_root(const Options& options, const Setup& setup, const Environment& environment, const LoadResult& loaded,
              Rows& rows) {
  const std::string found = loaded.experiments.empty() ? "built-in" : loaded.experiments.front().presets;
  std::string origin = found == "built-in" ? "default" : "found above the experiment";
  if (setup.settings->primus_root) origin = to_string(setup.settings->primus_root->origin);
  std::string value = setup.experiment.primus_root.value_or(found);
  for (const char* variable : {"PRIMUS_PATH", "PRIMUS_ROOT"}) {
    const auto given = environment.get(variable);
    if (!given || given->empty() || setup.experiment.primus_root) continue;
    value = *given;
    origin = fmt::format("${}", variable);
  }
  if (!options.experiment.primus_root.empty()) origin = "--primus-root";
  rows.push_back({"primus-root", value, origin, {}});
}

/// The sizes that an entry of the settings gives.
std::string size_text(const Pragma& size) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view key, const std::optional<std::int64_t>& number) {
    if (number) parts.push_back(fmt::format("{} {}", key, *number));
  };
  add("world-size", size.world_size);
  add("nodes", size.nodes);
  add("gpus-per-node", size.gpus_per_node);
  return join(parts, ", ");
}

/// Of an experiment, the size that holds; of a folder, what the settings say for the experiments in it.
void add_launch(const Options& options, const Setup& setup, const Environment& environment, const LoadResult& loaded,
                Rows& rows) {
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch(options.launch.options(), environment, experiment, setup.launch_setting(options.path));
    const bool known = launch.world_size > 0;
    rows.push_back(
        {"launch",
         known ? fmt::format("{} = {} x {}", counted(launch.world_size, "GPU"), launch.nodes, launch.gpus_per_node)
               : fmt::format("smallest world for these degrees, {} a node", counted(launch.gpus_per_node, "GPU")),
         launch.source.empty() ? "default" : launch.source,
         {}});
  }
  if (!loaded.experiments.empty()) return;
  for (const LaunchSetting& entry : setup.settings->launch) {
    const std::string files = entry.files.globs.empty() ? "*" : join(entry.files.globs, ", ");
    rows.push_back({"launch " + files, size_text(entry.size), to_string(entry.size.origin), {}});
  }
}

void add_levels(const Options& options, const Setup& setup, Rows& rows) {
  for (const SeveritySetting& severity : setup.settings->severities) {
    rows.push_back(
        {"severity " + severity.rules, std::string(to_string(severity.level)), to_string(severity.origin), {}});
  }
  for (const std::string& wish : options.choice.severity) {
    const std::size_t equals = wish.find('=');
    rows.push_back({"severity " + wish.substr(0, equals), wish.substr(equals + 1), "--severity", {}});
  }
  for (const std::string& rules : options.choice.select) rows.push_back({"select", rules, "--select", {}});
  for (const std::string& rules : options.choice.ignore) rows.push_back({"ignore", rules, "--ignore", {}});
}

void add_ignores(const Options& options, const Setup& setup, bool is_folder, Rows& rows) {
  const auto add = [&](const IgnoreSetting& ignore) {
    const std::string files = ignore.files.globs.empty() ? "" : " in " + join(ignore.files.globs, ", ");
    rows.push_back({"ignore", join(ignore.rules, ", ") + files, to_string(ignore.origin), ignore.reason});
  };
  if (is_folder) {
    for (const IgnoreSetting& ignore : setup.settings->ignores) add(ignore);
  } else {
    for (const IgnoreSetting* ignore : setup.settings->ignores_of(absolute_path(options.path))) add(*ignore);
  }
}

Rows rows_of(const Options& options, const Setup& setup, const Environment& environment, const Loader& loader,
             bool is_folder) {
  const LoadResult loaded = is_folder ? LoadResult{} : loader.load(options.path, setup.experiment);
  Rows rows;
  const bool has_file = !setup.settings->path.empty();
  rows.push_back({"settings",
                  has_file ? setup.settings->path : "none",
                  !options.choice.config.empty() ? "--config"
                  : has_file                     ? "nearest above"
                                                 : "no .primus-plan.yaml above",
                  {}});
  add_root(options, setup, environment, loaded, rows);
  add_hardware(setup, rows);
  add_calibration(setup, rows);
  add_launch(options, setup, environment, loaded, rows);
  add_levels(options, setup, rows);
  add_ignores(options, setup, is_folder, rows);
  if (setup.baseline_file) {
    rows.push_back({"baseline", setup.baseline_file->value, place(setup.baseline_file->origin, "--baseline"), {}});
  }
  const bool strict = options.strict || setup.strict;
  std::string origin = setup.settings->strict ? to_string(setup.settings->strict->origin) : "default";
  if (options.strict) origin = "--strict";
  rows.push_back({"strict", strict ? "true" : "false", origin, {}});
  return rows;
}

int run(const Options& options) {
  if (options.action != "show")
    throw Trouble(fmt::format("config {}: the one thing config does is show", options.action));
  require_path(options.path);
  const DiskFiles files;
  const Environment environment = options.experiment.make_environment();
  const Loader loader(files, environment);
  Setups setups(options.experiment, options.choice, files, environment);
  setups.use_baseline(false);
  const bool is_folder = std::filesystem::is_directory(options.path);
  const Setup& setup = is_folder ? setups.of_folder(options.path) : setups.of(options.path);
  const Rows rows = rows_of(options, setup, environment, loader, is_folder);
  Output output = options.output.open({});
  output.write(options.output.format == "json" ? settings_to_json(options.path, rows) : settings_to_text(rows));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_config(CLI::App& app, const std::vector<std::string>& tokens) {
  const auto options = std::make_shared<Options>();
  app.add_option("ACTION", options->action, "show")->required();
  app.add_option("FILE", options->path, "an experiment or a folder; default: the working folder");
  app.add_flag("--strict", options->strict, "as check has it");
  options->choice.declare(app);
  options->experiment.declare(app, tokens);
  options->launch.declare(app);
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
