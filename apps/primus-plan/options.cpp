#include "options.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "ascii.h"
#include "command.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/presets.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/report/explain_key.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/support/text.h"
#include "primus_plan/version.h"

namespace primus_plan::app {

namespace {

constexpr const char* experiment_group = "Experiment";
constexpr const char* output_group = "Output";

std::pair<std::string, std::string> split_assignment(const std::string& text, std::string_view flag,
                                                     std::string_view shape) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw Trouble(fmt::format("{} {}: expected {}", flag, text, shape));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// One --set in two. Throws Trouble for what no file can be asked with.
std::pair<std::string, std::string> split_set(const std::string& text, std::string_view flag) {
  auto parts = split_assignment(text, flag, "KEY=VALUE");
  if (const auto wrong = fault_of_set(flag, parts.first, parts.second)) throw Trouble(with_rule(*wrong, "CF212"));
  return parts;
}

std::optional<std::string> given(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

std::optional<std::int64_t> given(std::int64_t number) { return number == 0 ? std::nullopt : std::optional(number); }

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// --color decides; else NO_COLOR (no-color.org), else FORCE_COLOR, else whether a terminal that knows colours listens.
bool wants_color(const std::string& flag, bool terminal) {
  if (flag != "auto") return flag == "always";
  if (is_set("NO_COLOR")) return false;
  if (is_set("FORCE_COLOR")) return std::string_view(std::getenv("FORCE_COLOR")) != "0";
  const char* kind = std::getenv("TERM");
  return terminal && kind != nullptr && std::string_view(kind) != "dumb";
}

/// The nearest folder with a .git (a file in worktrees and submodules), else the folder itself.
std::filesystem::path repository_above(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::path at = folder;; at = at.parent_path()) {
    if (std::filesystem::exists(at / ".git", error)) return at;
    if (at == at.parent_path()) return folder;
  }
}

/// Columns of the terminal; a fixed width elsewhere, so that saved reports do not depend on the window.
int terminal_width(bool terminal) {
  constexpr int usual = 100;
  constexpr int narrowest = 40;
  winsize window{};
  if (!terminal || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return usual;
  return std::max<int>(window.ws_col, narrowest);
}

}  // namespace

void refuse_bad_sets(CLI::Option& option) {
  const std::string flag = option.get_name();
  option.each([flag](const std::string& text) { split_set(text, flag); });
}

void ExperimentFlags::declare(CLI::App& app, const std::vector<std::string>& tokens_given) {
  tokens = tokens_given;
  app.add_option("--primus-root", primus_root, "Primus tree whose presets are used")
      ->type_name("DIR")
      ->group(experiment_group);
  app.add_option("--set", sets, "override a value; VALUE is YAML, dots in KEY reach into mappings")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(experiment_group);
  refuse_bad_sets(*app.get_option("--set"));
  app.add_option("--env", environment, "an environment variable for ${NAME} and the launch size")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(experiment_group);
  app.add_option("--backend", backend, "whose keys a bare snippet holds")
      ->type_name("NAME")
      ->check(one_of(backend_names()))
      ->group(experiment_group);
}

namespace {

/// what-if, which takes short names, has taken them out of the flags before; no framework has keys of these names.
void refuse_short_name(const std::string& flag, const std::string& set, const std::string& key) {
  const bool is_hardware = equal_ignoring_case(key, "hw");
  if (!is_hardware && (find_short_name(key) == nullptr || !keys_named(key).empty())) return;
  const std::string nearest = nearest_catalogue_keys(key);
  // What diff's --set-b cannot say, --world-size-b does.
  const auto size_flag = [suffix = flag.substr(std::string_view("--set").size())](std::string_view name) {
    return fmt::format("no size of the launch: {}{} does", name, suffix);
  };
  throw Trouble(fmt::format("{0} {1}: {2} is a short name that what-if and sweep know; {0} takes {3}", flag, set, key,
                            equal_ignoring_case(key, "world")   ? size_flag("--world-size")
                            : equal_ignoring_case(key, "nodes") ? size_flag("--nodes")
                            : is_hardware                       ? "no hardware: --hardware does"
                            : nearest.empty() ? "the framework's own key (primus-plan keys lists them)"
                                              : "the framework's own key: " + nearest));
}

}  // namespace

ExperimentOptions ExperimentFlags::options() const {
  ExperimentOptions options{.primus_root = given(primus_root),
                            .sets = {},
                            .sets_name = sets_name,
                            .tokens = tokens,
                            .backend = given(backend)};
  for (const std::string& set : sets) {
    auto [key, value] = split_set(set, sets_name);
    refuse_short_name(sets_name, set, key);
    options.sets.emplace_back(std::move(key), std::move(value));
  }
  return options;
}

Environment ExperimentFlags::make_environment() const {
  Environment result = Environment::of_process();
  for (const std::string& text : environment) {
    auto [name, value] = split_assignment(text, "--env", "NAME=VALUE");
    if (name.empty()) throw Trouble(fmt::format("--env {}: expected NAME=VALUE", text));
    result.set(std::move(name), std::move(value));
  }
  return result;
}

void LaunchFlags::declare(CLI::App& app) {
  const auto add = [&](const char* name, std::int64_t& number, const char* description) {
    app.add_option(name, number, description)->type_name("N")->check(launch_size())->group(launch_group);
  };
  add("--world-size", world_size, "number of GPUs");
  add("--nodes", nodes, "number of nodes");
  add("--gpus-per-node", gpus_per_node, "GPUs of a node");
}

LaunchOptions LaunchFlags::options() const {
  return {.world_size = given(world_size), .nodes = given(nodes), .gpus_per_node = given(gpus_per_node)};
}

void OutputFlags::declare(CLI::App& app, const std::vector<std::string>& formats) {
  format = formats.front();
  app.add_option("--format", format, "form of the answer")->check(one_of(formats))->group(output_group);
  declare_style(app);
}

void OutputFlags::declare_style(CLI::App& app) {
  app.add_option("-o,--output", file, "write to FILE instead of standard output")
      ->type_name("FILE")
      ->check(CLI::Validator([](const std::string& text) { return text.empty() ? "needs a file name" : ""; }, ""))
      ->group(output_group);
  app.add_option("--color", color, "colours: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->group(output_group);
  app.add_flag("-q,--quiet", quiet, "findings only")->group(output_group);
  app.add_flag("-v,--verbose", verbose, "stages, all rewritten values, effective values")->group(output_group);
}

void refuse_overwriting(std::string_view flag, const std::string& file, const std::vector<std::string>& read) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  for (const std::string& path : read) {
    if (std::filesystem::equivalent(path, file, error)) {
      throw Trouble(fmt::format("{} {}: that file is read here; give another name", flag, file));
    }
  }
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend* backend : backends()) names.emplace_back(backend->name());
  return names;
}

void refuse_existing(std::string_view flag, const std::string& file) {
  std::error_code error;
  if (!file.empty() && std::filesystem::exists(std::filesystem::symlink_status(file, error)))
    throw Trouble(fmt::format("{} {}: there is something of that name; give another one, or remove it", flag, file));
}

Output::Glyphs glyphs_for(std::string_view format) {
  const bool is_for_people = format.empty() || format == "text" || format == "concise";
  if (!is_for_people) return Output::Glyphs::as_they_are;
  return is_plain_locale() ? Output::Glyphs::ascii : Output::Glyphs::for_people;
}

Output OutputFlags::open(const std::vector<std::string>& read) const {
  if (file.empty()) return Output(std::nullopt, glyphs_for(format));
  refuse_overwriting("--output", file, read);
  return Output(file);
}

TextStyle OutputFlags::style(bool terminal) const {
  TextStyle style;
  style.color = wants_color(color, terminal);
  style.quiet = quiet;
  style.verbose = verbose;
  style.wraps = terminal;
  style.width = terminal_width(terminal);
  return style;
}

ToolInfo tool_info() {
  ToolInfo info{.version = std::string(version), .pins = {}};
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  info.folder = folder.string();
  info.root = repository_above(folder).string();
  for (const Backend* backend : backends()) info.pins.emplace_back(backend->name(), backend->pinned());
  info.pins.emplace_back("primus", built_in_version);
  return info;
}

}  // namespace primus_plan::app
