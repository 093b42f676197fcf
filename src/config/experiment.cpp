#include "primus_plan/config/experiment.h"

#include <fmt/core.h>

#include <algorithm>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/loading.h"
#include "config/namespaces.h"

namespace primus_plan {
namespace {

/// Parts of the output folder: text, all of them required. What they lack stops Primus, and hides nothing of the
/// modules.
void check_folder_keys(Loading& loading, const Node& root) {
  for (const std::string_view key : experiment_folder_keys) {
    const Entry* entry = root.find(key);
    if (entry == nullptr) {
      loading.refuse(fault(loading::missing_key, root.origin, fmt::format("the experiment has no {}", key),
                           {fmt::format("add {}: at the top level", key)}, "the experiment starts here"));
    } else if (!entry->value->is_string()) {
      loading.refuse(fault(loading::wrong_shape, entry->value->origin,
                           fmt::format("{} must be text, since it is part of the output folder's path, not {} ({})",
                                       key, to_string(entry->value->kind), to_text(*entry->value)),
                           {fmt::format("quote it: \"{}\"", to_text(*entry->value))}));
    }
  }
}

const Node* check_modules(Loading& loading, const Node& root) {
  const Entry* modules = root.find("modules");
  if (modules == nullptr) {
    loading.fail(fault(loading::missing_key, root.origin, "the experiment has no modules",
                       {"add modules: with a pre_trainer"}, "the experiment starts here"));
    return nullptr;
  }
  if (modules->value->is_mapping() && !modules->value->entries().empty()) return modules->value.get();
  loading.fail(fault(
      loading::wrong_shape, modules->key_origin,
      modules->value->is_mapping()
          ? std::string("modules is empty: there is nothing to run")
          : fmt::format("modules must be a mapping from names to modules, not {}", to_string(modules->value->kind)),
      {"write modules: with a pre_trainer: below it"}));
  return nullptr;
}

void check_names(Loading& loading, const Node& root, const std::vector<Module>& modules) {
  const auto is_run = [](const Module& module) {
    // A module that was not merged has its own finding.
    return module.name == "pre_trainer" || module.name == "post_trainer" || module.name.starts_with("exp.modules.");
  };
  if (std::ranges::any_of(modules, is_run)) return;
  loading.remark(fault(loading::module_not_run,
                       modules.empty() ? root.find("modules")->key_origin : modules.front().origin,
                       "no module is called pre_trainer or post_trainer, so Primus's train commands find none",
                       {"call the module pre_trainer, or post_trainer for fine-tuning"}));
}

/// Top-level keys as Primus's parser leaves them, without modules and the path of the file.
NodePtr top_level(const NodePtr& root, NodePtr platform) {
  const Entry* written = root->find("platform");
  const Origin origin = written != nullptr ? written->key_origin : Origin{};
  NodePtr result = without_key(without_key(root, "modules"), "config_file");
  const Origin runtime{.layer = Layer::runtime};
  result = with_entry(result, make_entry("name", make_string("PrimusConfig", runtime), runtime));
  return with_entry(result, make_entry("platform", std::move(platform), origin));
}

}  // namespace

bool looks_like_experiment(const Node& root) {
  return root.find("modules") != nullptr ||
         std::ranges::any_of(experiment_folder_keys, [&](std::string_view key) { return root.find(key) != nullptr; });
}

void build_experiment(Loading& loading, const NodePtr& root, Experiment& experiment) {
  if (const Entry* entry = find_key_that_is_no_text(*root)) {
    loading.fail(key_fault(*entry));
    return;
  }
  check_folder_keys(loading, *root);
  NodePtr platform = load_platform(loading, *root);
  if (const Node* modules = check_modules(loading, *root)) {
    for (const Entry& entry : modules->entries()) {
      if (auto module = load_module(loading, entry)) experiment.modules.push_back(*std::move(module));
    }
  }
  if (!loading.errors.empty()) return;
  check_names(loading, *root, experiment.modules);
  experiment.exp = top_level(root, std::move(platform));
}

}  // namespace primus_plan
