#include "estimate/activations.h"

#include "estimate/memory_constants.h"

namespace primus_plan {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// What the parts that can be dropped one by one take, for each token.
struct Saved {
  double full = 0;
  double dropped = 0;  ///< by the run's selective recompute
};

/// Input of the block and output of its norm; dropout masks where there is dropout.
Saved block_ends(const Workload& w, const ActivationContext& c) {
  const double h = as_double(w.model.hidden) / c.sequence_split;
  const double norm = c.stored_input * h;
  return {c.element * h + norm + (w.kernels.dropout ? h : 0), w.recompute.layer_norm ? norm : 0};
}

/// Softmax statistics with flash attention; scores, probabilities and mask without.
double attention_core(const Workload& w, const ActivationContext& c) {
  const double heads = as_double(w.model.heads) / c.tensor;
  if (w.kernels.flash_attention) return 4 * heads;
  return heads * c.sequence * (w.kernels.dropout ? 5 : 4);
}

/// The context is kept in the format of the next product and, for attention's own backward pass, as it is.
double context_bytes(const ActivationContext& c) {
  return c.stored_input < c.element ? c.element + c.stored_input : c.element;
}

Saved attention(const Workload& w, const ActivationContext& c, const LayerKind& kind) {
  const ModelShape& m = w.model;
  const AttentionWidths a = attention_widths(m, kind, c.tensor);
  const double rotated = m.learned_positions == 0 ? a.queries + a.keys : 0;
  const double gate = m.output_gate ? a.queries + a.context : 0;
  const double core = attention_core(w, c);
  const double projected = a.queries + a.keys + a.values + as_double(m.q_rank);
  const double full = c.element * (projected + rotated + gate) + context_bytes(c) * a.context + core;
  return {full, w.recompute.core_attention ? core : 0};
}

Saved latent_attention(const Workload& w, const ActivationContext& c) {
  const ModelShape& m = w.model;
  const double a = as_double(m.heads) / c.tensor;
  const double qk = a * (as_double(m.nope_width) + as_double(m.rope_width));
  const double v = a * as_double(m.value_width);
  const double down = 2 * as_double(m.q_rank) + 2 * as_double(m.kv_rank) + as_double(m.rope_width);
  const double core = attention_core(w, c);
  const double up = 2 * qk + v;
  Saved s;
  s.full = c.element * (down + up) + context_bytes(c) * v + core;
  s.dropped = (w.recompute.latent_up_projection ? c.element * up : 0) + (w.recompute.core_attention ? core : 0);
  return s;
}

/// Projected and convolved input, the triangular factors of a block of tokens, output before and after the gated norm.
/// States between blocks are made again: fla/ops/gated_delta_rule/chunk.py, ChunkGatedDeltaRuleFunction.
double gated_delta(const ModelShape& m, const ActivationContext& c) {
  constexpr double block = 64;  // tokens
  const LinearWidths widths = gated_delta_widths(m);
  const double factors = block * as_double(m.linear_value_heads);
  return c.element * (widths.projected + widths.convolved + factors + 2 * widths.values) / c.tensor;
}

/// Projected input, output before and after the gated norm; the convolution and the states are made again:
/// mamba_ssm/ops/triton/ssd_combined.py, MambaSplitConv1dScanCombinedFn.
double mamba(const ModelShape& m, const ActivationContext& c) {
  const LinearWidths widths = mamba_widths(m);
  return c.element * (widths.projected + 2 * widths.values) / c.tensor;
}

Saved mixer_activations(const Workload& w, const ActivationContext& c, const LayerKind& kind) {
  const ModelShape& m = w.model;
  switch (kind.mixer) {
    case Mixer::attention:
      return attention(w, c, kind);
    case Mixer::latent_attention:
      return latent_attention(w, c);
    case Mixer::gated_delta:
      return {gated_delta(m, c), 0};
    case Mixer::mamba:
      return {mamba(m, c), 0};
    case Mixer::short_convolution:
      return {c.element * 6 * as_double(m.hidden) / c.tensor, 0};
    case Mixer::none:
      break;
  }
  return {};
}

/// Output of the up projection and of the activation function, which the down projection takes in.
double inner_ffn(const ModelShape& m, const ActivationContext& c, double width) {
  return (m.gated ? 2 : 1) * c.element * width + c.stored_input * width;
}

Saved dense_ffn(const Workload& w, const ActivationContext& c) {
  const double inner = inner_ffn(w.model, c, as_double(w.model.ffn) / c.tensor);
  return {inner, w.recompute.dense_ffn ? inner : 0};
}

/// Copies of a token that a rank holds: k of them, however many ranks the experts are spread over.
double copies_of_token(const ModelShape& m, const ActivationContext& c) {
  return as_double(m.experts_per_token) * expert_load(m, c.imbalance) / c.tensor;
}

double expert_space(const ModelShape& m) { return as_double(m.latent_width > 0 ? m.latent_width : m.hidden); }

Saved experts(const Workload& w, const ActivationContext& c) {
  const ModelShape& m = w.model;
  const double copies = copies_of_token(m, c);
  const double width = expert_space(m) * c.expert_tensor;
  // The permuted input; the output that waits to be weighted, unless the weights are applied inside.
  const double ends = c.stored_input * width + (w.kernels.probabilities_in_experts ? 0 : c.element * width);
  const double inner = inner_ffn(m, c, as_double(m.expert_ffn));
  const double router = 4 * as_double(m.experts) / c.sequence_split;
  const double shared = inner_ffn(m, c, as_double(m.shared_ffn) / c.tensor);
  const Recompute& r = w.recompute;
  Saved s;
  s.full = copies * (ends + inner) + router + shared;
  if (r.experts) {
    s.dropped = s.full;
  } else {
    if (r.expert_activation) s.dropped += copies * c.stored_input * as_double(m.expert_ffn);
    if (r.shared_experts) s.dropped += shared;
  }
  return s;
}

Saved feed_forward_activations(const Workload& w, const ActivationContext& c, FeedForward feed_forward) {
  switch (feed_forward) {
    case FeedForward::dense:
      return dense_ffn(w, c);
    case FeedForward::experts:
      return experts(w, c);
    case FeedForward::none:
      break;
  }
  return {};
}

}  // namespace

ActivationContext activation_context(const Workload& workload) {
  const Split split = split_of(workload.run.degrees);
  const Batch& batch = workload.run.batch;
  ActivationContext c;
  c.sequence = as_double(batch.sequence_length);
  c.tokens = as_double(batch.micro) * c.sequence /
             static_cast<double>(std::max<std::int64_t>(1, workload.run.degrees.context));
  c.tensor = split.tensor;
  c.sequence_split = workload.sequence_parallel ? split.tensor : 1;
  c.expert_tensor = split.expert_tensor;
  c.imbalance = workload.kernels.all_experts_same_load ? 1 : memory_constants::imbalance.expected;
  const NumberFormat compute = workload.precision.compute;
  c.element = compute == NumberFormat::fp32 ? 4 : 2;
  // torchao's float8 makes its copies again in the backward pass; Transformer Engine keeps them.
  const bool keeps_fp8 = workload.kernels.transformer_engine;
  c.stored_input = keeps_fp8 && compute == NumberFormat::fp8   ? 1
                   : keeps_fp8 && compute == NumberFormat::fp4 ? 0.5
                                                               : c.element;
  return c;
}

LayerActivations layer_activations(const Workload& workload, const ActivationContext& c, const LayerKind& kind) {
  LayerActivations out;
  double dropped = 0;
  const auto add = [&](const Saved& part) {
    out.full += part.full;
    dropped += part.dropped;
  };
  if (kind.mixer != Mixer::none) {
    add(block_ends(workload, c));
    add(mixer_activations(workload, c, kind));
  }
  if (kind.feed_forward != FeedForward::none) {
    add(block_ends(workload, c));
    add(feed_forward_activations(workload, c, kind.feed_forward));
  }
  const Recompute& r = workload.recompute;
  out.input = c.element * as_double(workload.model.hidden) / c.sequence_split;
  out.kept = r.granularity == RecomputeGranularity::selective ? out.full - dropped : out.full;
  if (r.kept_share < 1) out.kept = std::max(std::min(out.input, out.kept), r.kept_share * out.kept);
  return out;
}

double layer_gradients(const ModelShape& model, const ActivationContext& c, FeedForward feed_forward) {
  const double up = model.gated ? 2 : 1;
  const double h = as_double(model.hidden);
  double widest = 0;
  if (feed_forward == FeedForward::dense) widest = up * as_double(model.ffn) / c.tensor;
  if (feed_forward == FeedForward::experts) {
    widest = copies_of_token(model, c) * (expert_space(model) + up * as_double(model.expert_ffn));
  }
  return c.element * (widest + 2 * h);
}

}  // namespace primus_plan
