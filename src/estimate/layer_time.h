#pragma once

#include "estimate/time_constants.h"
#include "primus_plan/estimate/communication.h"
#include "primus_plan/run/hardware.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Seconds of one pass through some layers, by what they are spent on; communication is what nothing hides.
struct PassSeconds {
  double matrices = 0;
  double experts = 0;
  double attention = 0;
  double elementwise = 0;
  double logits = 0;
  double launch = 0;
  double recompute = 0;
  double tensor_exchange = 0;
  double context_exchange = 0;
  double expert_exchange = 0;

  double total() const;
  void add(const PassSeconds& other, double times);
};

/// What one micro-batch takes in some layers of a rank, and the weights that they hold there.
struct LayerSeconds {
  PassSeconds forward;
  PassSeconds backward;
  double weight_gradients = 0;  ///< seconds of `backward` that zero-bubble schedules move
  double dense_weights = 0;     ///< weights on the rank, before any sharding over data-parallel ranks
  double expert_weights = 0;

  double total() const { return forward.total() + backward.total(); }
  void add(const LayerSeconds& other, double times);
};

/// The rates of one run on one part, worked out once for all its layers.
struct TimeModel {
  TimeModel(const Workload& workload, const Hardware& hardware, const TimeConstants& constants, double compute_scale);

  const Workload& workload;
  const TimeConstants& constants;
  Network network;
  double gemm_rate;        ///< operations per second, of large products in the run's format
  double plain_gemm_rate;  ///< of products that stay in 16 bits, or in fp32 where everything is
  double attention_rate;
  double memory_rate;
  double value_bytes;  ///< of one activation: 4 where the run computes in fp32, 2 otherwise
  double compute_units;
  double tokens;  ///< of one micro-batch on one rank, before sequence parallelism
  double tensor;
  double sequence_split;  ///< tensor with sequence parallelism, 1 without
  double full_recompute;  ///< share of the layers whose forward pass is made again

  /// Seconds of C[m,n] += A[m,k] B[k,n] in one kernel.
  double product(double m, double n, double k, double rate) const;
  double bytes(double count) const { return count / memory_rate; }

  LayerSeconds layer(const LayerKind& kind) const;
  LayerSeconds output_layer() const;  ///< final norm, logits and loss
  LayerSeconds embedding() const;
  /// What an MTP depth has before its layer: two norms and the projection of hidden state and embedding onto one
  /// (megatron/core/transformer/multi_token_prediction.py:MultiTokenPredictionLayer, enorm, hnorm, eh_proj).
  LayerSeconds joining() const;
};

}  // namespace primus_plan
