#pragma once

#include <algorithm>
#include <cstdint>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// By how much one rank's share of a layer is smaller than the layer.
struct Split {
  double tensor = 1;
  double expert = 1;
  double expert_tensor = 1;
};

/// The split that a run's degrees ask for; a degree that could not be derived counts as 1.
Split split_of(const Degrees& degrees);

/// Parameters of one layer on one rank.
struct LayerParameters {
  double mixer = 0;
  double dense_ffn = 0;
  double router = 0;
  double experts = 0;
  double shared_experts = 0;
  double norms = 0;

  double dense() const { return mixer + dense_ffn + router + shared_experts + norms; }
};

/// Parameters of what mixes tokens. Sources: megatron/core/transformer/attention.py and multi_latent_attention.py
/// (projections), megatron/core/ssm/gated_delta_net.py and mamba_mixer.py (in_proj, conv1d, out_proj).
double mixer_parameters(const ModelShape& model, const LayerKind& kind, const Split& split);
LayerParameters layer_parameters(const ModelShape& model, const LayerKind& kind, const Split& split);

/// Widths of attention on one rank; keys and values are repeated when there are fewer heads than ranks.
struct AttentionWidths {
  double queries = 0;
  double keys = 0;
  double values = 0;
  double context = 0;  ///< what the output projection takes in
  double head = 0;     ///< of q and k, one head
};
AttentionWidths attention_widths(const ModelShape& model, const LayerKind& kind, double tensor);

/// Widths inside a gated delta layer and a Mamba layer, whole.
struct LinearWidths {
  double keys = 0;
  double values = 0;
  double projected = 0;  ///< what the input projection gives
  double convolved = 0;  ///< what goes through the convolution
};
LinearWidths gated_delta_widths(const ModelShape& model);
LinearWidths mamba_widths(const ModelShape& model);

/// Tokens of the fullest rank's experts, of the mean, where a router without a capacity sends it `imbalance` means.
/// Buffers padded to the capacity are full always; without padding a capacity only takes tokens away:
/// megatron/core/transformer/moe/moe_utils.py, apply_router_token_dropping.
inline double expert_load(const ModelShape& model, double imbalance) {
  if (model.capacity_factor <= 0) return imbalance;
  return model.pads_experts ? model.capacity_factor : std::min(model.capacity_factor, imbalance);
}

inline constexpr std::size_t mixers = 6;
inline constexpr std::size_t feed_forwards = 3;
inline constexpr std::size_t layer_sorts = 2 * mixers * feed_forwards;

/// Layers of one sort keep the same: mixer, feed-forward, and whether heads are the model's or the kind's own (of which
/// a model has one sort at most).
constexpr std::size_t sort_of(const LayerKind& kind) {
  const bool own_heads = kind.head_width > 0 || kind.kv_heads > 0;
  return (own_heads ? mixers * feed_forwards : 0) + static_cast<std::size_t>(kind.mixer) * feed_forwards +
         static_cast<std::size_t>(kind.feed_forward);
}

/// Calls `visit(kind, count)` for the runs of equal layers in [first, first + count). Layers beyond the last kind are
/// of its kind.
template <class Visit>
void for_layers(const ModelShape& model, std::int64_t first, std::int64_t count, Visit&& visit) {
  std::int64_t begin = 0;
  const std::int64_t end = first + count;
  for (std::size_t i = 0; i < model.kinds.size() && begin < end; ++i) {
    const LayerKind& kind = model.kinds[i];
    const std::int64_t stop = i + 1 == model.kinds.size() ? std::max(end, begin + kind.count) : begin + kind.count;
    const std::int64_t inside = std::min(stop, end) - std::max(begin, first);
    if (inside > 0) visit(kind, inside);
    begin = stop;
  }
}

/// The kind of layer that MTP repeats: the model's last.
const LayerKind* last_kind(const ModelShape& model);

}  // namespace primus_plan
