#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "flag_values.h"
#include "output.h"
#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/report/report.h"

namespace primus_plan::app {

/// Flags of the launch in the help text.
inline constexpr const char* launch_group = "Launch size";

/// Makes a flag that takes KEY=VALUE refuse what no file can be asked with (CF212) before FILEs are looked for: in
/// "--set KEY VALUE" the value is taken for one.
void refuse_bad_sets(CLI::Option& option);

/// What to read and how: flags of every command that reads an experiment.
struct ExperimentFlags {
  std::string primus_root;
  std::string backend;
  std::vector<std::string> sets;         ///< KEY=VALUE
  std::string sets_name = "--set";       ///< the flag that gave `sets`
  std::vector<std::string> environment;  ///< NAME=VALUE
  std::vector<std::string> tokens;       ///< after `--`

  void declare(CLI::App& app, const std::vector<std::string>& tokens_given);
  ExperimentOptions options() const;
  /// The process's variables with those of the flags on top.
  Environment make_environment() const;
};

/// The size of the launch.
struct LaunchFlags {
  std::int64_t world_size = 0;
  std::int64_t nodes = 0;
  std::int64_t gpus_per_node = 0;

  void declare(CLI::App& app);
  LaunchOptions options() const;
};

/// How the answer is written.
struct OutputFlags {
  std::string format;
  std::string file;
  std::string color = "auto";
  bool quiet = false;
  bool verbose = false;

  /// `formats` are the names that --format takes; the first is the default.
  void declare(CLI::App& app, const std::vector<std::string>& formats);
  /// All but --format.
  void declare_style(CLI::App& app);
  /// Throws Trouble when the file is one of `read`, the files that the command reads: a report never replaces them.
  Output open(const std::vector<std::string>& read) const;
  TextStyle style(bool terminal) const;
};

/// The frameworks, as --backend names them.
std::vector<std::string> backend_names();

/// Throws Trouble when there is something at `file`, which `flag` names for a new file. Empty: nothing is asked.
void refuse_existing(std::string_view flag, const std::string& file);
/// Throws Trouble when `file`, which `flag` names for a report, is one of the files that are read.
void refuse_overwriting(std::string_view flag, const std::string& file, const std::vector<std::string>& read);

/// How a report of this format is written on standard output: formats for people keep to ASCII in a locale without
/// UTF-8.
Output::Glyphs glyphs_for(std::string_view format);

/// What reports say of this program.
ToolInfo tool_info();

}  // namespace primus_plan::app
