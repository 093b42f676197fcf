#include <algorithm>

#include "primus_plan/report/why.h"
#include "primus_plan/support/text.h"
#include "primus_plan/support/word_match.h"

namespace primus_plan {

namespace {

constexpr std::size_t deepest_suggestion = 4;

bool runtime_knows(const Analysis& analysis, std::string_view key) {
  return std::any_of(analysis.effective.begin(), analysis.effective.end(),
                     [key](const auto& pair) { return pair.first == key; });
}

/// By path, or as a key that holds dots itself.
const Entry* entry_of(const Node& node, std::string_view key) {
  const Entry* entry = node.entry_at_path(key);
  return entry != nullptr ? entry : node.find(key);
}

void find_in_module(const Module& module, const Analysis* analysis, std::string_view key, std::vector<FoundKey>& out) {
  const Entry* entry = entry_of(*module.params, key);
  const bool known = entry != nullptr || (analysis != nullptr && runtime_knows(*analysis, key));
  if (known) out.push_back({std::string(key), &module, entry, analysis});
}

/// "modules.pre_trainer.overrides.tp", "pre_trainer.tp", …: what follows the module's name; nothing for another
/// module's.
std::string_view within_module(std::string_view key, std::string_view module) {
  constexpr std::string_view list = "modules.";
  if (key.starts_with(list)) key.remove_prefix(list.size());
  if (!key.starts_with(module) || key.substr(module.size(), 1) != ".") return {};
  key.remove_prefix(module.size() + 1);
  for (const std::string_view section : {"overrides.", "params."}) {
    if (key.starts_with(section)) key.remove_prefix(section.size());
  }
  return key;
}

void list_keys(const Node& node, const std::string& prefix, std::size_t depth, std::vector<std::string>& out) {
  for (const Entry& entry : node.entries()) {
    if (!entry.key->is_string()) continue;
    out.push_back(prefix + entry.key->text);
    if (depth < deepest_suggestion) list_keys(*entry.value, out.back() + ".", depth + 1, out);
  }
}

}  // namespace

std::vector<FoundKey> find_key(const Experiment& experiment, const std::vector<Analysis>& analyses,
                               std::string_view key) {
  std::vector<FoundKey> found;
  for (std::size_t i = 0; i < experiment.modules.size(); ++i) {
    const Module& module = experiment.modules[i];
    const Analysis* analysis = i < analyses.size() ? &analyses[i] : nullptr;
    const std::string_view inner = within_module(key, module.name);
    find_in_module(module, analysis, key, found);
    if (!inner.empty()) find_in_module(module, analysis, inner, found);
  }
  if (const Entry* entry = entry_of(*experiment.exp, key)) found.push_back({std::string(key), nullptr, entry, nullptr});
  return found;
}

std::vector<std::string> nearest_keys(const Experiment& experiment, const std::vector<Analysis>& analyses,
                                      std::string_view key) {
  std::vector<std::string> known;
  for (const Module& module : experiment.modules) list_keys(*module.params, "", 1, known);
  list_keys(*experiment.exp, "", 1, known);
  for (const Analysis& analysis : analyses) {
    for (const auto& [name, value] : analysis.effective) known.push_back(name);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  // "tensor_parallel_degree" for parallelism.tensor_parallel_degree: the place is missing, not the name.
  std::vector<std::string> inside;
  for (const std::string& name : known) {
    if (!key.empty() && name.ends_with("." + std::string(key))) inside.push_back(name);
  }
  if (!inside.empty()) return inside;
  const std::vector<std::string_view> names(known.begin(), known.end());
  auto nearest = nearest_names(key, names, 3);
  if (nearest.empty()) nearest = names_with_words(key, names, 3);
  return {nearest.begin(), nearest.end()};
}

}  // namespace primus_plan
