#pragma once

#include "primus_plan/support/number.h"

/// The global constants of the memory model. Everything else follows from shapes and formats.
/// Reserve: 19 B200 runs with allocated and reserved memory read on the same rank (SimuMax 1.2): 1.028 to 1.079 times.
/// Runtime: the same figures against nvidia-smi and rocm-smi readings of dense models. All-to-all: Primus's
/// DeepSeek-V2-Lite runs on MI355X, 17 to 21 GiB above the allocated figure with RCCL, under 2 GiB with DeepEP.
namespace primus_plan::memory_constants {

struct Allowance {
  double low = 0;
  double expected = 0;
  double high = 0;
};

/// Shares of allocated memory. On AMD GPUs: Primus's DeepSeek-V2-Lite runs and the notes of its examples that were
/// tuned to fill the GPU, which its launcher runs with expandable segments.
inline constexpr Allowance reserve{0.0, 0.04, 0.10};
inline constexpr Allowance amd_reserve{0.0, 0.02, 0.08};
constexpr const Allowance& reserve_of(bool amd) { return amd ? amd_reserve : reserve; }
inline constexpr Allowance context{0.2 * gib, 1.5 * gib, 4.0 * gib};
inline constexpr Allowance amd_all_to_all{8 * gib, 16 * gib, 22 * gib};

/// Tokens of the fullest rank over the mean when the router is free to choose. The high end: Primus's DeepSeek-V2-Lite
/// fine-tuning notes, 215 GB with a free router and 146 GB with a forced one.
inline constexpr Allowance imbalance{1.0, 1.15, 1.6};

/// FP8 copies of a weight that Transformer Engine keeps between micro-batches: one and its transpose. Bytes a weight.
inline constexpr double cached_fp8_weight = 2;

/// XLA gathers a matrix of a layer at a time rather than the layer, and reduces its gradient at once: a third of a
/// layer of experts. Its plans for DeepSeek-V3 on 64 GPUs (capacity factor 4, 9 and 16 sequences) have no room for
/// gradients beside the activations that they come from: they take their place.
inline constexpr double xla_unit_share = 1.0 / 3;

inline constexpr double fits_share = 0.94;  ///< of seen memory

/// How far a part may be from its expectation, as shares of it.
struct Spread {
  double below = 0;
  double above = 0;
};
inline constexpr Spread states{0.01, 0.01};
inline constexpr Spread fsdp_states{0.03, 0.05};
inline constexpr Spread placeholders{0.3, 0.1};
inline constexpr Spread activations{0.06, 0.06};          ///< Transformer Engine's kernels
inline constexpr Spread unfused_activations{0.15, 0.25};  ///< other kernels: what they save is up to them
inline constexpr Spread policy_activations{0.25, 0.25};   ///< a policy or compiler chooses what is saved
inline constexpr Spread fused_logits{0.5, 0.5};
inline constexpr Spread logits{0.5, 0.1};
inline constexpr Spread eager_logits{0.7, 0.1};  ///< a compiled loss keeps fewer copies
inline constexpr Spread transients{0.5, 0.5};
inline constexpr Spread cached_fp8_weights{0.4, 0.01};  ///< weights that may have fp8 copies beside them, or not yet

}  // namespace primus_plan::memory_constants
