#include "estimate/layers.h"

namespace primus_plan {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

double attention_parameters(const ModelShape& m, const LayerKind& kind, const Split& split) {
  const double h = as_double(m.hidden);
  const AttentionWidths w = attention_widths(m, kind, split.tensor);
  const double gate = m.output_gate ? w.queries : 0;
  const double rank = as_double(m.q_rank);
  const double queries = rank > 0 ? h * rank + rank * w.queries : h * w.queries;
  double n = queries + h * (gate + w.keys + w.values) + w.context * h;
  if (m.biases || m.qkv_bias) n += w.queries + gate + w.keys + w.values;
  if (m.biases) n += h;
  if (m.qk_norm) n += 2 * w.head;
  return n;
}

double latent_attention_parameters(const ModelShape& m, const Split& split) {
  const double h = as_double(m.hidden);
  const double a = as_double(m.heads) / split.tensor;
  const double q_width = a * (as_double(m.nope_width) + as_double(m.rope_width));
  const double rank = as_double(m.q_rank);
  const double kv_rank = as_double(m.kv_rank);
  double n = rank > 0 ? h * rank + rank * q_width : h * q_width;
  n += h * (kv_rank + as_double(m.rope_width)) + kv_rank * a * (as_double(m.nope_width) + as_double(m.value_width));
  n += a * as_double(m.value_width) * h;
  if (m.qk_norm) n += rank + kv_rank;
  return n;
}

double gated_delta_parameters(const ModelShape& m, const Split& split) {
  const double h = as_double(m.hidden);
  const LinearWidths w = gated_delta_widths(m);
  const double heads = as_double(m.linear_value_heads);
  // Projections, the convolution, decay and step of each head, the norm of a head's output.
  const double split_part = h * w.projected + w.convolved * as_double(m.convolution) + 2 * heads + w.values * h;
  return split_part / split.tensor + as_double(m.linear_value_width);
}

double mamba_parameters(const ModelShape& m, const Split& split) {
  const double h = as_double(m.hidden);
  const LinearWidths w = mamba_widths(m);
  // Projections, the convolution and its bias, A, D and the step of each head, the gated norm.
  const double whole = h * w.projected + w.convolved * (as_double(m.convolution) + 1) + 3 * as_double(m.mamba_heads) +
                       w.values + w.values * h;
  return whole / split.tensor;
}

double short_convolution_parameters(const ModelShape& m, const Split& split) {
  const double h = as_double(m.hidden);
  return (3 * h * h + h * as_double(m.convolution) + h * h) / split.tensor;
}

/// Two projections (three when gated) between `outer` and `inner`; biases where the model has them.
double feed_forward_parameters(const ModelShape& m, double outer, double inner) {
  const double up = m.gated ? 2 : 1;
  return (up + 1) * outer * inner + (m.biases ? up * inner + outer : 0);
}

}  // namespace

Split split_of(const Degrees& degrees) {
  const auto at_least_one = [](std::int64_t n) { return static_cast<double>(std::max<std::int64_t>(1, n)); };
  return {at_least_one(degrees.tensor), at_least_one(degrees.expert), at_least_one(degrees.expert_tensor)};
}

AttentionWidths attention_widths(const ModelShape& model, const LayerKind& kind, double tensor) {
  const double groups = as_double(kind.kv_heads > 0 ? kind.kv_heads : model.kv_heads);
  const double heads = as_double(model.heads) / tensor;
  const double kv_heads = groups > 0 ? std::max(1.0, groups / tensor) : 0;
  AttentionWidths w;
  w.head = as_double(kind.head_width > 0 ? kind.head_width : model.head_width);
  const double value = kind.head_width > 0 ? w.head : as_double(model.value_width);
  w.queries = heads * w.head;
  w.keys = kv_heads * w.head;
  w.values = kv_heads * value;
  w.context = heads * value;
  return w;
}

LinearWidths gated_delta_widths(const ModelShape& model) {
  LinearWidths w;
  w.keys = as_double(model.linear_key_heads) * as_double(model.linear_key_width);
  w.values = as_double(model.linear_value_heads) * as_double(model.linear_value_width);
  w.projected = 2 * w.keys + 2 * w.values + 2 * as_double(model.linear_value_heads);
  w.convolved = 2 * w.keys + w.values;
  return w;
}

LinearWidths mamba_widths(const ModelShape& model) {
  LinearWidths w;
  w.keys = as_double(model.mamba_groups) * as_double(model.mamba_state);
  w.values = as_double(model.mamba_heads) * as_double(model.mamba_head_width);
  w.projected = 2 * w.values + 2 * w.keys + as_double(model.mamba_heads);
  w.convolved = w.values + 2 * w.keys;
  return w;
}

double mixer_parameters(const ModelShape& model, const LayerKind& kind, const Split& split) {
  switch (kind.mixer) {
    case Mixer::attention:
      return attention_parameters(model, kind, split);
    case Mixer::latent_attention:
      return latent_attention_parameters(model, split);
    case Mixer::gated_delta:
      return gated_delta_parameters(model, split);
    case Mixer::mamba:
      return mamba_parameters(model, split);
    case Mixer::short_convolution:
      return short_convolution_parameters(model, split);
    case Mixer::none:
      break;
  }
  return 0;
}

LayerParameters layer_parameters(const ModelShape& model, const LayerKind& kind, const Split& split) {
  const FeedForward feed_forward = kind.feed_forward;
  const double h = as_double(model.hidden);
  LayerParameters n;
  n.mixer = mixer_parameters(model, kind, split);
  const double norm = model.layer_norm_bias ? 2 * h : h;
  n.norms = (kind.mixer != Mixer::none ? norm : 0) + (feed_forward != FeedForward::none ? norm : 0);
  if (feed_forward == FeedForward::dense) {
    n.dense_ffn = feed_forward_parameters(model, h, as_double(model.ffn) / split.tensor);
  }
  if (feed_forward == FeedForward::experts) {
    n.router = h * as_double(model.experts);
    const double space = model.latent_width > 0 ? as_double(model.latent_width) : h;
    n.experts = as_double(model.experts) / split.expert *
                feed_forward_parameters(model, space, as_double(model.expert_ffn) / split.expert_tensor);
    if (model.shared_ffn > 0) {
      n.shared_experts = feed_forward_parameters(model, h, as_double(model.shared_ffn) / split.tensor);
    }
    if (model.latent_width > 0) n.shared_experts += 2 * h * space;
  }
  return n;
}

const LayerKind* last_kind(const ModelShape& model) { return model.kinds.empty() ? nullptr : &model.kinds.back(); }

}  // namespace primus_plan
