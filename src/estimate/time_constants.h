#pragma once

namespace primus_plan {

/// The free numbers of the step-time model: the same for every model, run, framework and part. What belongs to a part
/// (its GEMM and attention rates, its links) stands in presets/hardware.
///
/// Fitted by coordinate descent on the mean of |ln(estimate / measured)| (capped at 0.6, mixture-of-experts rows at
/// weight 0.6) over the 361 public rows with a measured step of presets/measurements/published.csv, the parts' rates at
/// the same time with a weak pull to their published GEMM efficiencies, then rounded; the constants once more, with the
/// rates as they are, when rings of context-parallel ranks and waits of plain 1F1B came in. Such fits on three random
/// halves (rows of one configuration kept together) give 3.2 to 3.8 % median error on the other half's dense rows and 7
/// to 11 % on its mixture-of-experts rows; with the rates from scratch 4.4 to 5.1 % and 9.5 to 16 %. Numbers marked *
/// sit on the bound that was set for them: the rows ask for more than physics allows, or do not tell it from its
/// neighbours.
struct TimeConstants {
  // Matrix products: seconds x (1 + edge (1/m + 1/n + 1/k)), and a part of what the last wave of tiles leaves idle.
  double gemm_edge = 124;
  double wave_weight = 0.07;
  double grouped_share = 0.72;  ///< rate of the experts' grouped products, of the plain ones'
  double grouped_edge = 576;    ///< the same edge, with an expert's rows for m
  // Bytes through memory.
  double memory_share = 0.645;   ///< of the memory bandwidth, that kernels reach
  double unfused_bytes = 1;      ///< elementwise bytes without fused kernels (neither Transformer Engine nor compiled)
  double backward_bytes = 1.53;  ///< elementwise bytes of the backward pass, of the forward pass's
  double cast_bytes = 2;         ///< * of one number turned into fp8 or fp4
  double unfused_cast = 1.42;    ///< the same without fused kernels
  double microscaling_cast = 1.66;  ///< the same with a scale for every 32 numbers
  double logit_bytes = 15;          ///< of one logit through memory; half of it with a fused loss
  /// Rate of attention kernels other than Transformer Engine's, of the part's rate.
  double plain_attention = 0.54;
  // The host: seconds to launch a layer's forward pass; the GPU waits where it is faster.
  double host_layer = 90e-6;
  double host_layer_unfused = 1640e-6;
  double host_ring_step = 139e-6;  ///< more for each step of a context-parallel ring
  double host_experts = 946e-6;    ///< more for a layer with experts: routing, permutation, synchronization
  // Shares of an exchange that computation does not hide.
  double tensor_exposed = 0.88;
  double tensor_overlapped = 0.15;  ///< * with tensor-parallel overlap
  double expert_exposed = 0.5;
  double expert_overlapped = 0.2;  ///< assumed: too few rows with overlapped expert exchange
  double context_hidden = 0.7;     ///< of attention's time, that context exchange may hide behind
  double transfer_exposed = 0.25;  ///< * pipeline transfers
  // Gradients and weights between data-parallel ranks: exposed = max(floor x exchange, exchange - hidden x compute).
  double data_floor = 0.3;  ///< *
  double data_hidden = 0.58;
  double shard_floor = 0.3;  ///< * FSDP
  double shard_hidden = 0.62;
  double optimizer_bytes = 60;  ///< * through memory for each weight of a rank's share
  double step_fixed = 32e-3;    ///< data, logging, gradient norm
};

inline constexpr TimeConstants time_constants{};

}  // namespace primus_plan
