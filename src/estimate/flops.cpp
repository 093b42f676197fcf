#include "primus_plan/estimate/flops.h"

#include "estimate/layers.h"

namespace primus_plan {
namespace {

/// Forward multiply-adds of one token.
struct Work {
  double weights = 0;
  double attention = 0;
  Work& operator+=(const Work& other) {
    weights += other.weights;
    attention += other.attention;
    return *this;
  }
};

double number(std::int64_t value) { return static_cast<double>(value); }

Work grouped_attention(const ModelShape& model, const LayerKind& kind, double context) {
  const double hidden = number(model.hidden);
  const double heads = number(model.heads);
  const double groups = number(kind.kv_heads > 0 ? kind.kv_heads : model.kv_heads);
  const double width = number(kind.head_width > 0 ? kind.head_width : model.head_width);
  const double values = kind.head_width > 0 ? width : number(model.value_width);
  const double gate = model.output_gate ? heads * width : 0;
  return {.weights = hidden * (heads * width + groups * (width + values) + gate) + heads * values * hidden,
          .attention = heads * (width + values) * context};
}

Work latent_attention(const ModelShape& model, double context) {
  const double hidden = number(model.hidden);
  const double heads = number(model.heads);
  const double width = number(model.nope_width) + number(model.rope_width);
  const double values = number(model.value_width);
  const double q_rank = number(model.q_rank);
  const double kv_rank = number(model.kv_rank);
  const double query = q_rank > 0 ? q_rank * (hidden + heads * width) : hidden * heads * width;
  return {.weights = query + hidden * (kv_rank + number(model.rope_width)) +
                     kv_rank * heads * (number(model.nope_width) + values) + heads * values * hidden,
          .attention = heads * (width + values) * context};
}

/// Projections, convolution, and per head four products with the state: what it holds for the key, that taken out, the
/// new value put in, the query read (Yang et al. 2024, arXiv 2412.06464, equation 10).
Work gated_delta(const ModelShape& model) {
  const double hidden = number(model.hidden);
  const LinearWidths w = gated_delta_widths(model);
  return {.weights = hidden * (w.projected + w.values) + number(model.convolution) * w.convolved +
                     4 * number(model.linear_key_width) * w.values};
}

/// Mamba 2: projections, convolution, and the scan's decay, update and read-out of the state (Dao and Gu 2024, arXiv
/// 2405.21060, equation 1).
Work mamba(const ModelShape& model) {
  const double hidden = number(model.hidden);
  const LinearWidths w = mamba_widths(model);
  return {.weights = hidden * (w.projected + w.values) + number(model.convolution) * w.convolved +
                     3 * w.values * number(model.mamba_state)};
}

/// Two gates and the value in, one product out.
Work short_convolution(const ModelShape& model) {
  const double hidden = number(model.hidden);
  return {.weights = 4 * hidden * hidden + number(model.convolution) * hidden};
}

Work mixer_work(const ModelShape& model, const LayerKind& kind, std::int64_t length) {
  switch (kind.mixer) {
    case Mixer::attention:
      return grouped_attention(model, kind, average_context(kind, length));
    case Mixer::latent_attention:
      return latent_attention(model, average_context(kind, length));
    case Mixer::gated_delta:
      return gated_delta(model);
    case Mixer::mamba:
      return mamba(model);
    case Mixer::short_convolution:
      return short_convolution(model);
    case Mixer::none:
      break;
  }
  return {};
}

Work feed_forward_work(const ModelShape& model, FeedForward kind) {
  const double hidden = number(model.hidden);
  const double products = model.gated ? 3 : 2;
  if (kind == FeedForward::dense) return {.weights = products * hidden * number(model.ffn)};
  if (kind == FeedForward::none) return {};
  const double inner = model.latent_width > 0 ? number(model.latent_width) : hidden;
  const double into_latent = model.latent_width > 0 ? 2 * hidden * inner : 0;
  return {.weights = hidden * number(model.experts) + into_latent +
                     products * inner * number(model.expert_ffn) * number(model.experts_per_token) +
                     products * hidden * number(model.shared_ffn)};
}

Work layer_work(const ModelShape& model, const LayerKind& kind, std::int64_t length) {
  Work out = mixer_work(model, kind, length);
  out += feed_forward_work(model, kind.feed_forward);
  return out;
}

}  // namespace

double average_context(const LayerKind& kind, std::int64_t sequence_length) {
  const double length = number(sequence_length);
  if (kind.window <= 0 || kind.window >= sequence_length) return length / 2;
  const double window = number(kind.window);
  if (!kind.chunked) return window - 0.5 * window * window / length;
  const double rest = number(sequence_length % kind.window);
  const double whole = number(sequence_length / kind.window);
  return (whole * window * window + rest * rest) / (2 * length);
}

FlopsEstimate estimate_flops(const Workload& workload) {
  const ModelShape& model = workload.model;
  FlopsEstimate out;
  const std::int64_t length = workload.run.batch.sequence_length;
  out.world_size = number(workload.run.launch.world_size);
  if (length < 0) return out;  // no work is negative
  out.counted_per_token = workload.counted_flops_per_token;
  out.tokens_per_step = number(workload.run.batch.global) * number(length);
  if (model.kinds.empty() || model.hidden <= 0) return out;
  Work total;
  for (const LayerKind& kind : model.kinds) {
    const Work one = layer_work(model, kind, length);
    total.weights += number(kind.count) * one.weights;
    total.attention += number(kind.count) * one.attention;
  }
  const double hidden = number(model.hidden);
  const double output = hidden * number(model.vocabulary > 0 ? model.vocabulary : model.padded_vocabulary);
  total.weights += output;
  if (model.mtp_depth > 0) {
    const double depth = number(model.mtp_depth);
    const Work one = layer_work(model, model.kinds.back(), length);
    total.weights += depth * (one.weights + 2 * hidden * hidden + output);
    total.attention += depth * one.attention;
  }
  constexpr double forward_and_backward = 3;
  constexpr double multiply_add = 2;
  out.common_attention_per_token = forward_and_backward * multiply_add * total.attention;
  out.common_per_token = forward_and_backward * multiply_add * total.weights + out.common_attention_per_token;
  return out;
}

}  // namespace primus_plan
