#pragma once

#include <algorithm>
#include <string_view>

#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// What the rules about experts ask of a run. No allocation, no text.

/// The configuration object is Megatron's own. The other model types of Primus (deepseek_v4, kimi_k3, flux_schnell, …)
/// build classes of their own, which relax some of its checks. Source: primus/backends/megatron/core/models.
inline bool has_megatron_config(const MegatronRun& run) {
  return *run.config.model_type == "gpt" || *run.config.model_type == "mamba";
}

/// Layers with experts are built, by Megatron's own classes.
inline bool builds_experts(const MegatronRun& run) {
  return run.config.num_experts.value.value_or(0) > 0 && has_megatron_config(run);
}

/// A set and non-negative capacity: experts drop the tokens above it.
inline bool has_capacity(const MegatronRun& run) { return run.config.moe_expert_capacity_factor.value.has_value(); }

/// Any of the words of moe_router_load_balancing_type; Megatron's default is aux_loss.
template <class Predicate>
bool any_balancing(const MegatronRun& run, Predicate&& predicate) {
  const Node* types = run.config.moe_router_load_balancing_type.value;
  if (types == nullptr) return predicate(std::string_view("aux_loss"));
  if (!types->is_sequence()) return predicate(std::string_view(types->text));
  return std::any_of(types->items.begin(), types->items.end(),
                     [&](const NodePtr& item) { return predicate(std::string_view(item->text)); });
}

inline bool balances_with(const MegatronRun& run, std::string_view type) {
  return any_balancing(run, [&](std::string_view each) { return each == type; });
}

/// Quantized matrix products: fp8 or fp4 is set.
inline bool is_quantized(const MegatronRun& run) {
  return !run.config.fp8.value.empty() || !run.config.fp4.value.empty();
}

}  // namespace primus_plan::megatron
