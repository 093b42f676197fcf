#include <algorithm>
#include <array>

#include "backends/maxtext/maxtext.h"
#include "backends/megatron/megatron.h"
#include "backends/torchtitan/torchtitan.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/rules.h"
#include "primus_plan/estimate/fit.h"
#include "primus_plan/layout/advice.h"
#include "primus_plan/layout/topology.h"
#include "support/lower_case.h"

namespace primus_plan {

std::span<const Backend* const> backends() {
  static const std::array list{&megatron::backend(), &torchtitan::backend(), &maxtext::backend()};
  return list;
}

const Backend* find_backend(std::string_view framework) {
  for (const Backend* backend : backends()) {
    if (backend->name() == framework) return backend;
  }
  return nullptr;
}

std::vector<const RuleInfo*> all_rules() {
  const auto loading_rules = loading::all();
  std::vector<const RuleInfo*> out(loading_rules.begin(), loading_rules.end());
  for (const Rule<PlacedRun>& rule : topology_rules()) out.push_back(&rule.info);
  for (const Rule<PlacedRun>& rule : advice_rules()) out.push_back(&rule.info);
  for (const Rule<FittedRun>& rule : fit_rules()) out.push_back(&rule.info);
  for (const Backend* backend : backends()) {
    const auto rules = backend->rules();
    out.insert(out.end(), rules.begin(), rules.end());
  }
  return out;
}

const RuleInfo* find_rule(std::string_view id_or_name) {
  const std::string asked = lower_case(id_or_name);
  for (const RuleInfo* rule : all_rules()) {
    if (rule->name == id_or_name || lower_case(rule->id) == asked) return rule;
  }
  return nullptr;
}

}  // namespace primus_plan
