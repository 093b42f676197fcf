#include "config/key_remarks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "config/faults.h"
#include "config/key_names.h"
#include "config/key_rules.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_named = 4;  // keys that one sentence lists

/// Model presets that hold what every run sets (degrees, initialisation, …) rather than facts of one model.
constexpr std::array shared_presets = {std::string_view("language_model.yaml"), std::string_view("model_base.yaml"),
                                       std::string_view("primus_megatron_model.yaml")};

/// The newest assignment from this one back whose value was kept; null when there is none.
const Assignment* newest_kept(const Assignment* at) {
  while (at != nullptr && !at->kept) at = at->previous.get();
  return at;
}

bool is_by_experiment(const Assignment& assignment) {
  return assignment.key_origin.layer == Layer::experiment || assignment.key_origin.layer == Layer::environment;
}

/// Whether this assignment is the module's own line, beside config and model.
bool is_beside(const Node* written, const Entry& entry, const Assignment& assignment) {
  const Entry* beside = written != nullptr ? written->find(entry.key->text) : nullptr;
  return beside != nullptr && beside->value == assignment.value;
}

void remark_on_beside(Loading& loading, const Entry& entry, const Assignment& lost, bool overridden) {
  loading.remark(
      fault(loading::key_beside_overrides, lost.key_origin,
            fmt::format("{} {} beside config and model has no effect: {} the key, and its value wins", entry.key->text,
                        to_text(*lost.value), overridden ? "overrides: sets" : "the module preset sets"),
            {overridden ? "take it out, or change the value under overrides:" : "move it under overrides:"},
            "not under overrides"));
}

/// A key that a stronger layer had already when the model preset or the module's own line came, or that overrides: sets
/// once more. Mappings are merged, so their own keys are no losers.
void remark_on_losers(Loading& loading, const Module& module, const Node* written, const Entry& entry) {
  const Assignment* winner = newest_kept(entry.history.get());
  const bool overridden = winner != nullptr && is_by_experiment(*winner);
  for (const Assignment* at = entry.history.get(); at != nullptr; at = at->previous.get()) {
    if (at == winner || same_value(*at->value, *entry.value)) continue;
    const bool is_lost = !at->kept || (overridden && !at->value->is_mapping() && is_beside(written, entry, *at));
    if (!is_lost) continue;
    if (is_by_experiment(*at)) {
      remark_on_beside(loading, entry, *at, overridden);
    } else if (at->key_origin.layer == Layer::model_preset && is_preset(entry.key_origin.layer)) {
      Finding finding =
          fault(loading::model_preset_loses, module.origin,
                fmt::format("the model preset's {0} {1} has no effect: the module preset sets {0} {2}, "
                            "and its value wins",
                            entry.key->text, to_text(*at->value), to_text(*entry.value)),
                {fmt::format("if the model needs it: {}: {} under overrides", entry.key->text, to_text(*at->value))},
                "this module");
      finding.related = {{at->key_origin, "lost"}, {entry.key_origin, "wins"}};
      loading.remark(std::move(finding));
    }
  }
}

/// Whether a value comes from the preset of one model or one family of models.
bool is_model_fact(const Origin& origin) {
  if (origin.layer != Layer::model_preset || !origin.source) return false;
  const std::string_view path = origin.source->path();
  return std::ranges::find(shared_presets, path.substr(path.rfind('/') + 1)) == shared_presets.end();
}

/// Degrees are the run's business, wherever a default of them stands.
bool is_degree(std::string_view key) {
  return key.ends_with("_parallel_size") || key.ends_with("_parallel_degree") || key.ends_with("_parallelism");
}

/// The fact of the model that an entry of the experiment took the place of; null when there was none.
const Node* overridden_value(const Entry& entry) {
  const Assignment* newest = newest_kept(entry.history.get());
  if (newest == nullptr || !is_by_experiment(*newest)) return nullptr;
  const Assignment* before = newest_kept(newest->previous.get());
  if (before == nullptr) return nullptr;
  if (before->value->is_mapping()) return before->value.get();
  return is_model_fact(before->key_origin) && !is_degree(entry.key->text) ? before->value.get() : nullptr;
}

struct Repeated {
  std::string name;
  Origin where;
};

void find_repeated(const Node& values, const std::string& path, std::vector<Repeated>& out) {
  for (const Entry& entry : values.entries()) {
    if (!entry.key->is_string()) continue;
    const Node* before = overridden_value(entry);
    if (entry.value->is_mapping()) {
      if (before != nullptr) find_repeated(*entry.value, path + entry.key->text + '.', out);
    } else if (before != nullptr && same_value(*before, *entry.value)) {
      out.push_back({path + entry.key->text, entry.key_origin});
    }
  }
}

void remark_on_repeated(Loading& loading, const Module& module) {
  std::vector<Repeated> repeated;
  find_repeated(*module.params, "", repeated);
  if (repeated.empty()) return;
  std::ranges::sort(repeated, {}, [](const Repeated& key) { return key.where.line; });
  const std::size_t named = std::min(repeated.size(), most_named);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < named; ++i) {
    names.push_back(repeated[i].name);
  }
  if (named < repeated.size()) names.push_back(fmt::format("{} more", repeated.size() - named));
  Finding finding =
      fault(loading::override_without_change, repeated.front().where,
            repeated.size() == 1
                ? fmt::format("{} repeats the model preset's value", repeated.front().name)
                : fmt::format("{} overrides repeat the model preset's values: {}", repeated.size(), join(names, ", ")),
            {}, "already so");
  for (std::size_t i = 1; i < repeated.size(); ++i) finding.related.push_back({repeated[i].where, "already so"});
  loading.remark(std::move(finding));
}

/// A framework's keys at the top level, where only Primus looks.
void remark_on_top_level(Loading& loading, const Node& root, const std::vector<Module>& modules) {
  for (const Entry& entry : root.entries()) {
    if (!entry.key->is_string()) continue;
    const std::string& key = entry.key->text;
    const KeyName* primus = find_key_name(primus_key_names(), key);
    const bool is_primus = primus != nullptr && (primus->backend.empty() || primus->backend == "experiment");
    const bool is_lost = key == "overrides" || std::ranges::any_of(modules, [&](const Module& module) {
                           return find_read_key(module.framework, key) != nullptr ||
                                  (entry.value->is_mapping() && module.framework == "torchtitan" &&
                                   has_section(torchtitan_key_names(), key));
                         });
    if (!is_lost || (is_primus && key != "overrides")) continue;
    loading.remark(fault(loading::key_at_top_level, entry.key_origin,
                         fmt::format("{} at the top level has no effect: no module looks there", key),
                         {"move it under overrides: of the module"}, "no module looks here"));
  }
}

/// The module as the experiment's file has it; null in a snippet.
const Node* written_module(const Node& root, std::string_view name) {
  const Node* modules = root.get("modules");
  const Node* module = modules != nullptr && modules->is_mapping() ? modules->get(name) : nullptr;
  return module != nullptr && module->is_mapping() ? module : nullptr;
}

/// Variables of the env: map that something reads before Primus exports them.
void remark_on_late_variables(Loading& loading, const Node& root) {
  const Node* variables = root.get("env");
  if (variables == nullptr) return;
  for (const Entry& entry : variables->entries()) {
    if (!entry.key->is_string()) continue;
    const std::string& name = entry.key->text;
    if (name != "NNODES" && name != "GPUS_PER_NODE" && name != "WORLD_SIZE") continue;
    loading.remark(
        fault(loading::variable_exported_late, entry.key_origin,
              fmt::format("{} in env: comes too late: torchrun has started its processes when Primus exports it", name),
              {fmt::format("export {} where the run is launched", name)}, "too late"));
  }
}

/// What a plain number looks like to a person, in base 10; nothing when that is what YAML reads.
std::optional<std::string_view> odd_base(const Node& node) {
  if (node.quoted || !node.environment.empty()) return std::nullopt;
  if (node.kind != Kind::integer && node.kind != Kind::real) return std::nullopt;
  std::string_view digits = node.raw;
  if (digits.find(':') != std::string_view::npos) return "base 60";
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const bool is_octal = node.kind == Kind::integer && digits.size() > 1 && digits[0] == '0' &&
                        digits.find_first_not_of("01234567_") == std::string_view::npos && node.integer > 7;
  return is_octal ? std::optional<std::string_view>("base 8") : std::nullopt;
}

void remark_on_numbers(Loading& loading, const Node& node) {
  if (const auto base = odd_base(node)) {
    loading.remark(
        fault(loading::number_read_otherwise, node.origin,
              fmt::format("{} is read as {}: YAML takes it for a number in {}", node.raw, to_text(node), *base),
              {"write the number itself, or quote it if it is no number"}, "read otherwise"));
  }
  for (const NodePtr& item : node.items) remark_on_numbers(loading, *item);
  for (const Entry& entry : node.entries()) remark_on_numbers(loading, *entry.value);
}

/// The value with every variable left unset; null when one has no default.
NodePtr with_defaults(const Node& node) {
  try {
    return substitute_environment(make_string(node.raw), Environment());
  } catch (const LoadError&) {
    return nullptr;
  }
}

bool is_same_type(const Node& value, const Node& usual) {
  if (value.kind == usual.kind || usual.is_null()) return true;
  const bool usual_text = usual.is_string() && usual.text.empty();  // ${NAME:} has no type to keep
  return usual_text || (usual.kind == Kind::real && value.kind == Kind::integer);
}

void remark_on_variables(Loading& loading, const Node& node) {
  if (std::ranges::any_of(node.environment, &EnvironmentUse::was_set)) {
    const NodePtr usual = with_defaults(node);
    if (usual && !is_same_type(node, *usual)) {
      const auto variable = std::ranges::find_if(node.environment, &EnvironmentUse::was_set);
      loading.remark(fault(loading::variable_changes_type, node.origin,
                           fmt::format("{} makes this {} ({}); without it, it is {} ({})", variable->name,
                                       to_text(node), to_string(node.kind), to_text(*usual), to_string(usual->kind)),
                           {fmt::format("set {} to {}, or unset it", variable->name, to_string(usual->kind))},
                           node.raw));
    }
  }
  for (const NodePtr& item : node.items) remark_on_variables(loading, *item);
  for (const Entry& entry : node.entries()) remark_on_variables(loading, *entry.value);
}

}  // namespace

void remark_on_keys(Loading& loading, const Node& root, const Experiment& experiment) {
  remark_on_numbers(loading, root);
  if (!experiment.is_snippet) remark_on_late_variables(loading, root);
  if (!experiment.is_snippet) remark_on_top_level(loading, root, experiment.modules);
  for (const Module& module : experiment.modules) {
    if (!module.is_run || module.params == nullptr || !module.params->is_mapping()) continue;
    const Node* written = written_module(root, module.name);
    for (const Entry& entry : module.params->entries()) remark_on_losers(loading, module, written, entry);
    if (!experiment.is_snippet) remark_on_repeated(loading, module);
    remark_on_variables(loading, *module.params);
  }
}

}  // namespace primus_plan
