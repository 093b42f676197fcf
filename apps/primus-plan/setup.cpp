#include "setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "command.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* choice_group = "Choosing";

void require_rules(const std::vector<std::string>& words, std::string_view flag, RuleList rules) {
  for (const std::string& word : words) {
    if (rules_called(word, rules).empty()) {
      throw Trouble(fmt::format("{} {}: {}", flag, word, unknown_rule_text(word, rules)));
    }
  }
}

/// The text lives as long as the flag's.
LevelWish read_wish(const std::string& text, RuleList rules) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view word = std::string_view(text).substr(0, equals);
  const std::string level(std::string_view(text).substr(std::min(equals + 1, text.size())));
  const auto parsed = parse_level(level);
  if (!parsed) {
    throw Trouble(fmt::format("--severity {}: expected RULE=error, RULE=warning, RULE=note or RULE=off", text));
  }
  require_rules({std::string(word)}, "--severity", rules);
  return {word, *parsed};
}

std::set<std::string_view> ids_of(const std::vector<std::string>& words, RuleList rules) {
  std::set<std::string_view> ids;
  for (const std::string& word : words) {
    for (const RuleInfo* rule : rules_called(word, rules)) ids.insert(rule->id);
  }
  return ids;
}

}  // namespace

std::string absolute_path(const std::string& path) {
  return fs::absolute(path.empty() ? "." : path).lexically_normal().string();
}

std::string path_in_baseline(const std::string& baseline, const std::string& path) {
  if (path == "-") return path;
  return fs::path(absolute_path(path))
      .lexically_relative(fs::path(absolute_path(baseline)).parent_path())
      .generic_string();
}

void ChoiceFlags::declare(CLI::App& app) {
  const auto add_rules = [&](const char* name, std::vector<std::string>& words, const char* type, const char* what) {
    app.add_option(name, words, what)->type_name(type)->allow_extra_args(false)->delimiter(',')->group(choice_group);
  };
  add_rules("--select", select, "RULE", "only these rules: ids, names, or the first letters of ids (MG2, LN)");
  add_rules("--ignore", ignore, "RULE", "not these rules");
  add_rules("--severity", severity, "RULE=LEVEL", "make rules an error, a warning or a note, or turn them off");
  app.add_option("--baseline", baseline, "do not report the findings that FILE lists")
      ->type_name("FILE")
      ->group(choice_group);
  app.add_option("--config", config, "settings; default: the nearest .primus-plan.yaml above each experiment; or none")
      ->type_name("FILE")
      ->group(choice_group);
}

const Pragma* Setup::launch_setting(const std::string& path) const { return settings->launch_of(absolute_path(path)); }

Choice Setup::choice(const std::string& path) const {
  Choice choice{.levels = levels.empty() ? nullptr : &levels, .ignored = {}, .baseline = baseline.get(), .path = {}};
  if (baseline) choice.path = path_in_baseline(baseline_file->value, path);
  if (settings->ignores.empty()) return choice;
  const std::vector<const RuleInfo*> rules = all_rules();
  for (const IgnoreSetting* ignore : settings->ignores_of(absolute_path(path))) {
    choice.ignored.merge(ids_of(ignore->rules, rules));
  }
  return choice;
}

Setups::Setups(ExperimentFlags experiment, ChoiceFlags choice, const FileReader& files, const Environment& environment)
    : experiment_flags_(std::move(experiment)),
      choice_flags_(std::move(choice)),
      files_(files),
      environment_(environment),
      rules_(all_rules()),
      settings_files_(files, environment, rules_) {
  require_rules(choice_flags_.select, "--select", rules_);
  require_rules(choice_flags_.ignore, "--ignore", rules_);
  for (const std::string& text : choice_flags_.severity) wishes_.push_back(read_wish(text, rules_));
}

const Setup& Setups::of(const std::string& path) {
  const std::string folder = path == "-" ? std::string() : fs::path(path).parent_path().string();
  return of_folder(folder.empty() ? "." : folder);
}

const Setup& Setups::of_folder(const std::string& folder) {
  const std::string& config = choice_flags_.config;
  if (!config.empty() && config != "none" && !files_.exists(config)) {
    throw Trouble(fmt::format("--config {}: no such file", config));
  }
  const Settings& settings = config.empty()     ? settings_files_.nearest(folder)
                             : config == "none" ? settings_files_.none()
                                                : settings_files_.named(config);
  const auto known = setups_.find(&settings);
  return known != setups_.end() ? known->second : setups_.emplace(&settings, make(settings)).first->second;
}

Setup Setups::make(const Settings& settings) {
  Setup setup{.settings = &settings, .experiment = experiment_flags_.options()};
  const auto names_root = [&](const char* variable) {
    const auto value = environment_.get(variable);
    return value && !value->empty();
  };
  const bool root_given = setup.experiment.primus_root || names_root("PRIMUS_ROOT") || names_root("PRIMUS_PATH");
  if (!root_given && settings.primus_root) setup.experiment.primus_root = settings.primus_root->value;
  setup.baseline_file = settings.baseline;
  if (!choice_flags_.baseline.empty()) setup.baseline_file = {choice_flags_.baseline, {}};
  if (uses_baseline_ && setup.baseline_file) setup.baseline = read_baseline(setup.baseline_file->value);
  setup.strict = settings.strict && settings.strict->value;
  choose_levels(settings, setup.levels);
  return setup;
}

void Setups::choose_levels(const Settings& settings, Levels& levels) const {
  std::vector<LevelWish> wishes;
  wishes.reserve(settings.severities.size());
  for (const SeveritySetting& setting : settings.severities) wishes.push_back({setting.rules, setting.level});
  apply_wishes(wishes, rules_, levels);
  const std::set<std::string_view> selected = ids_of(choice_flags_.select, rules_);
  // Whoever selects a rule wants to hear it, whatever the settings say.
  std::erase_if(levels,
                [&](const auto& entry) { return entry.second == Level::off && selected.contains(entry.first); });
  apply_wishes(wishes_, rules_, levels);
  if (!selected.empty()) {
    for (const RuleInfo* rule : rules_) {
      if (!selected.contains(rule->id)) levels[rule->id] = Level::off;
    }
  }
  for (const std::string_view id : ids_of(choice_flags_.ignore, rules_)) levels[id] = Level::off;
}

std::shared_ptr<const Baseline> Setups::read_baseline(const std::string& path) {
  const std::string absolute = absolute_path(path);
  if (const auto known = baselines_.find(absolute); known != baselines_.end()) return known->second;
  ReadFailure failure;
  const auto text = files_.read(path, failure);
  if (!text) {
    throw Trouble(fmt::format("cannot read the baseline {}: {}{}", path, failure.reason,
                              failure.missing ? "; --write-baseline writes one" : ""));
  }
  try {
    auto baseline = std::make_shared<const Baseline>(*text);
    return baselines_.emplace(absolute, std::move(baseline)).first->second;
  } catch (const BadBaseline& error) {
    throw Trouble(fmt::format("{} {}", path, error.what()));
  }
}

}  // namespace primus_plan::app
