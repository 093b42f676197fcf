#pragma once

namespace primus_plan {

/// The free numbers of the step-time model: the same for every model, run and part.
struct TimeConstants {
  double gemm_edge = 150;
  double wave_weight = 0.5;
  double grouped_share = 0.65;
  double grouped_edge = 60;
  double memory_share = 0.6;
  double unfused_bytes = 1.5;
  double backward_bytes = 1.3;
  double cast_bytes = 2;
  double unfused_cast = 3;
  double microscaling_cast = 2;
  double plain_attention = 0.7;
  double logit_bytes = 14;
  double host_layer = 300e-6;
  double host_layer_unfused = 600e-6;
  double host_experts = 500e-6;
  double tensor_exposed = 0.6;
  double tensor_overlapped = 0.35;
  double expert_exposed = 0.7;
  double expert_overlapped = 0.4;
  double context_hidden = 0.7;
  double transfer_exposed = 0.5;
  double data_floor = 0.1;
  double data_hidden = 0.7;
  double shard_floor = 0.1;
  double shard_hidden = 0.8;
  double optimizer_bytes = 30;
  double step_fixed = 10e-3;
};

inline constexpr TimeConstants time_constants{};

}  // namespace primus_plan
