#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/loading.h"
#include "config/namespaces.h"

namespace primus_plan {
namespace {

/// Keys of a module that are not taken over beside the presets.
constexpr std::array<std::string_view, 6> module_keys = {"name", "framework", "config", "model", "overrides", "params"};
/// Keys that the runtime keeps outside of params.
constexpr std::array<std::string_view, 6> attribute_keys = {"name",  "framework", "config",
                                                            "model", "params",    "trainer_class"};

template <class Keys>
bool is_in(const Keys& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

bool is_private(const Entry& entry) { return entry.key->text.starts_with('_'); }

std::optional<std::string> text_of(const Node& mapping, std::string_view key) {
  const Node* value = mapping.get(key);
  return value != nullptr && value->is_string() ? std::optional(value->text) : std::nullopt;
}

/// The entries that a test picks out.
std::vector<Entry> selected(const Node& mapping, bool (*wanted)(const Entry&)) {
  std::vector<Entry> entries;
  std::ranges::copy_if(mapping.entries(), std::back_inserter(entries), wanted);
  return entries;
}

/// What an existing `params` key holds, then every other key of the module, then the model once more.
NodePtr make_params(const NodePtr& module, const Entry* model) {
  const Entry* existing = module->find("params");
  std::vector<Entry> moved = selected(
      *module, [](const Entry& entry) { return !is_in(attribute_keys, entry.key->text) && !is_private(entry); });
  if (existing == nullptr || !existing->value->is_mapping()) {
    if (model != nullptr) moved.push_back(*model);
    return make_mapping(std::move(moved), module->origin);
  }
  NodePtr params = existing->value;
  for (Entry& entry : moved) params = with_entry(params, std::move(entry));
  return model != nullptr ? with_entry(params, *model) : params;
}

Finding no_mapping(const Entry& entry, std::string_view what) {
  return fault(loading::wrong_shape, entry.value->origin ? entry.value->origin : entry.key_origin,
               fmt::format("{} must be a mapping, not {}", what, to_text(*entry.value)));
}

/// Primus leaves a module without `config` as it is written, under its internal name.
Module unmerged(Loading& loading, const Entry& entry, ModuleDraft draft) {
  loading.remark(fault(
      loading::module_without_config, entry.key_origin,
      fmt::format("module {0} has no config, so Primus loads no presets for it and the runtime finds no module {0}",
                  entry.key->text),
      {"add config: pre_trainer.yaml (the module preset)"}, "this module"));
  draft.name = "exp.modules." + entry.key->text;
  Module module = make_module(draft, entry.value);
  module.is_run = false;
  return module;
}

/// Whether the module's own keys have the types that Primus takes; faults otherwise.
bool check_keys(Loading& loading, const Entry& entry) {
  const Node& module = *entry.value;
  const std::size_t before = loading.errors.size();
  const Entry* framework = module.find("framework");
  const Entry* config = module.find("config");
  if (framework == nullptr) {
    loading.fail(fault(loading::framework_missing, entry.key_origin,
                       fmt::format("module {} does not say its framework", entry.key->text),
                       {"add framework: megatron, torchtitan or maxtext"}, "this module"));
  } else if (config != nullptr && !framework->value->is_string()) {
    loading.fail(fault(loading::wrong_shape, framework->value->origin,
                       fmt::format("framework must be a name, not {}", to_text(*framework->value))));
  } else if (config != nullptr && framework->value->text.find('/') != std::string::npos) {
    // Both of Primus's launchers: backend_registry.py:get_adapter imports primus.backends.<framework>, pretrain.py:
    // load_backend_trainer compares names.
    loading.fail(fault(loading::wrong_shape, framework->value->origin,
                       fmt::format("framework must be a name, not a path: presets are found with {}, but no backend is",
                                   to_text(*framework->value)),
                       {"write megatron, torchtitan or maxtext"}));
  }
  if (config != nullptr && module.find("model") == nullptr) {
    loading.fail(
        fault(loading::config_without_model, config->key_origin,
              fmt::format("module {} names a module preset (config) but no model preset (model)", entry.key->text),
              {"add model: with a preset of the framework"}));
  }
  const Entry* overrides = module.find("overrides");
  const bool applied = config != nullptr && overrides != nullptr;
  if (applied && !overrides->value->is_mapping() && !overrides->value->is_null()) {
    loading.fail(no_mapping(*overrides, "overrides"));
  }
  const Entry* params = module.find("params");
  if (config == nullptr && params != nullptr && !params->value->is_mapping() && !params->value->is_null()) {
    loading.fail(no_mapping(*params, "params"));
  }
  return loading.errors.size() == before;
}

}  // namespace

NodePtr merge_presets(Loading& loading, const ModuleDraft& draft) {
  const NodePtr module = load_preset(loading, PresetKind::module, draft.framework, draft.config);
  const NodePtr model = load_preset(loading, PresetKind::model, draft.framework, draft.model);
  if (!module || !model) return nullptr;
  const bool has_attributes = draft.attributes && !draft.attributes->entries().empty();
  const bool is_touched = draft.overrides && (draft.overrides->find("framework") || draft.overrides->find("model"));
  if (!has_attributes && !is_touched) return loading.presets.merged(module, model);
  NodePtr merged = with_entry(without_key(module, "name"), draft.framework_entry);
  if (has_attributes) merged = merge_without_override(merged, draft.attributes);
  NodePtr extra = without_key(model, "name");
  if (extra->find("model") == nullptr) extra = with_entry(extra, draft.model);
  return add_to_namespace(merged, extra);
}

Module make_module(const ModuleDraft& draft, const NodePtr& merged) {
  const auto written = [](const Entry& entry) {
    return entry.value && entry.value->is_string() ? std::optional(entry.value->text) : std::nullopt;
  };
  // Presets that are shared hold neither the module's framework nor its model.
  const auto find = [&](std::string_view key, const Entry& own) {
    const Entry* entry = merged->find(key);
    return entry == nullptr && own.value ? &own : entry;
  };
  const std::pair<std::string_view, const Entry*> outside[] = {{"framework", find("framework", draft.framework_entry)},
                                                               {"config", merged->find("config")},
                                                               {"model", find("model", draft.model)},
                                                               {"trainer_class", merged->find("trainer_class")}};
  Module module{.name = draft.name,
                .framework = draft.framework,
                .config = written(draft.config),
                .model = written(draft.model),
                .trainer_class = text_of(*merged, "trainer_class"),
                .params = make_params(merged, find("model", draft.model)),
                .origin = draft.origin};
  if (const auto framework = text_of(*merged, "framework")) module.framework = *framework;
  std::vector<Entry> attributes = {make_entry("name", make_string(draft.name, draft.origin), draft.origin)};
  for (const auto& [key, entry] : outside) {
    if (entry != nullptr) attributes.push_back(*entry);
  }
  module.attributes = make_mapping(std::move(attributes), draft.origin);
  return module;
}

std::optional<Module> load_module(Loading& loading, const Entry& entry) {
  if (entry.key->text.find("trainer") == std::string::npos) {
    loading.fail(fault(
        loading::unsupported_module, entry.key_origin,
        fmt::format("Primus does not support a module called {}: the name must contain 'trainer'", entry.key->text),
        {"call it pre_trainer, or post_trainer for fine-tuning"}));
    return std::nullopt;
  }
  if (!entry.value->is_mapping()) {
    loading.fail(no_mapping(entry, fmt::format("module {}", entry.key->text)));
    return std::nullopt;
  }
  if (!check_keys(loading, entry)) return std::nullopt;
  const Node& written = *entry.value;
  ModuleDraft draft{.name = entry.key->text, .origin = entry.key_origin};
  draft.framework_entry = *written.find("framework");
  draft.framework = draft.framework_entry.value->text;
  if (const Entry* model = written.find("model")) draft.model = *model;
  if (written.find("config") == nullptr) return unmerged(loading, entry, std::move(draft));
  draft.config = *written.find("config");
  draft.attributes =
      make_mapping(selected(written, [](const Entry& e) { return !is_in(module_keys, e.key->text) && !is_private(e); }),
                   written.origin);
  const Entry* overrides = written.find("overrides");
  if (overrides != nullptr && overrides->value->is_mapping()) draft.overrides = overrides->value;
  NodePtr merged = merge_presets(loading, draft);
  if (!merged) return std::nullopt;
  if (draft.overrides) merged = merge_namespaces(merged, draft.overrides);
  return make_module(draft, merged);
}

}  // namespace primus_plan
