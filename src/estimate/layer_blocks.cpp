#include "estimate/layer_blocks.h"

#include <algorithm>
#include <cmath>

#include "estimate/layers.h"
#include "primus_plan/estimate/flops.h"

namespace primus_plan {

namespace {
double real(std::int64_t value) { return static_cast<double>(value); }
}  // namespace

LayerBlocks::LayerBlocks(const TimeModel& model)
    : model_(model),
      shape_(model.workload.model),
      constants_(model.constants),
      hidden_(real(shape_.hidden)),
      tokens_(model.tokens) {
  const Kernels& kernels = model.workload.kernels;
  host_ = kernels.compiled || kernels.transformer_engine ? constants_.host_layer : constants_.host_layer_unfused;
}

void LayerBlocks::add_linear(double in, double out, double weights) {
  forward_.matrices += model_.product(tokens_, out, in, model_.gemm_rate);
  dense_weights_ += weights;
  if (model_.workload.precision.compute == NumberFormat::fp8 || model_.workload.precision.compute == NumberFormat::fp4)
    casts_ += (tokens_ * in + in * out / 2) *
              (model_.workload.precision.recipe == ScalingRecipe::microscaling ? constants_.microscaling_cast : 1);
}

void LayerBlocks::add_values(double count) { values_ += count; }

void LayerBlocks::add_mixer(const LayerKind& kind) {
  switch (kind.mixer) {
    case Mixer::attention:
      add_attention(kind);
      break;
    case Mixer::latent_attention:
      add_latent_attention(kind);
      break;
    case Mixer::gated_delta:
    case Mixer::mamba:
    case Mixer::short_convolution:
      add_linear_mixer(kind.mixer);
      break;
    case Mixer::none:
      return;
  }
  const double residual = 6 * tokens_ * hidden_ / model_.sequence_split;  // norm and residual, read and written
  norms_ += model_.bytes(model_.value_bytes * residual / 3);
  add_values(residual);
  add_tensor_exchange();
}

void LayerBlocks::add_attention(const LayerKind& kind) {
  const double heads = real(shape_.heads);
  const double width = real(kind.head_width > 0 ? kind.head_width : shape_.head_width);
  const double value = kind.head_width > 0 || shape_.value_width == 0 ? width : real(shape_.value_width);
  const double queries = heads * width;
  const double keys = real(kind.kv_heads > 0 ? kind.kv_heads : shape_.kv_heads) * width;
  const double split = model_.tensor;
  const double out_width = heads * value;
  const double gate = shape_.output_gate ? queries : 0;
  add_linear(hidden_, (queries + gate + 2 * keys) / split, hidden_ * (queries + gate + 2 * keys) / split);
  add_linear(out_width / split, hidden_, hidden_ * out_width / split);
  add_values(3 * tokens_ * (2 * queries + 2 * keys) / split);  // rope, norms of q and k, layout changes
  add_core_attention(heads, (width + value) / 2, kind);
  add_context_exchange(tokens_ * 2 * keys / split * model_.value_bytes,
                       tokens_ * (2 * queries + 2 * keys) / split * model_.value_bytes);
  add_ring_merges(out_width / split, 2 * keys / split);
}

void LayerBlocks::add_latent_attention(const LayerKind& kind) {
  const double heads = real(shape_.heads);
  const double split = model_.tensor;
  const double q_width = real(shape_.nope_width) + real(shape_.rope_width);
  const double value = real(shape_.value_width);
  const double q_rank = real(shape_.q_rank);
  const double kv_rank = real(shape_.kv_rank);
  const double before = forward_.matrices;
  double down = 0;
  if (q_rank > 0) {
    add_linear(hidden_, q_rank, hidden_ * q_rank);
    down = forward_.matrices - before;
    add_linear(q_rank, heads * q_width / split, q_rank * heads * q_width / split);
  } else {
    add_linear(hidden_, heads * q_width / split, hidden_ * heads * q_width / split);
    down = forward_.matrices - before;
  }
  const double middle = forward_.matrices;
  add_linear(hidden_, kv_rank + real(shape_.rope_width), hidden_ * (kv_rank + real(shape_.rope_width)));
  const double kv_down = forward_.matrices - middle;
  const double kv_out = heads * (real(shape_.nope_width) + value) / split;
  add_linear(kv_rank, kv_out, kv_rank * kv_out);
  up_projection_ += forward_.matrices - before - down - kv_down;
  add_linear(heads * value / split, hidden_, hidden_ * heads * value / split);
  add_values(3 * tokens_ * heads * (2 * q_width + 2 * value) / split + 3 * tokens_ * (q_rank + kv_rank));
  add_core_attention(heads, (q_width + value) / 2, kind);
  const double kv_bytes = tokens_ * heads * (q_width + value) / split * model_.value_bytes;
  add_context_exchange(kv_bytes, 2 * kv_bytes);
  add_ring_merges(heads * value / split, heads * (q_width + value) / split);
}

/// Gated delta, Mamba and short convolution: projections, and a core that is linear in the tokens.
void LayerBlocks::add_linear_mixer(Mixer mixer) {
  double wide = hidden_;  // width of what the core mixes
  double state = 0;       // numbers of state that each of them carries
  double in = 3 * hidden_;
  if (mixer != Mixer::short_convolution) {
    const LinearWidths widths = mixer == Mixer::mamba ? mamba_widths(shape_) : gated_delta_widths(shape_);
    wide = widths.values;
    state = real(mixer == Mixer::mamba ? shape_.mamba_state : shape_.linear_key_width);
    in = widths.projected;
  }
  const double split = model_.tensor;
  add_linear(hidden_, in / split, hidden_ * in / split);
  add_linear(wide / split, hidden_, hidden_ * wide / split);
  add_values(3 * tokens_ * (in + 2 * wide) / split);
  // Chunked scan: products of chunk x state and state x width, twice each.
  const double core = 8 * tokens_ * wide * state / split / model_.attention_rate;
  forward_.attention += core;
  core_ += core;
}

void LayerBlocks::add_core_attention(double heads, double width, const LayerKind& kind) {
  const double length = real(model_.workload.run.batch.sequence_length);
  const double seen = average_context(kind, model_.workload.run.batch.sequence_length);
  const double share = heads / model_.tensor;
  if (model_.workload.kernels.flash_attention) {
    const double core = 4 * tokens_ * seen * share * width / model_.attention_rate;
    forward_.attention += core;
    core_ += core;
    return;
  }
  // Scores in memory: both products over the whole square, and 5 passes over the scores (softmax, mask, dropout).
  const double products = 2 * model_.product(tokens_, length, share * width, model_.plain_gemm_rate);
  const double scores = tokens_ * length * share;
  const double passes = model_.bytes(5 * model_.value_bytes * scores);
  forward_.attention += products + passes;
  core_ += products + passes;
}

void LayerBlocks::add_context_exchange(double kv_bytes, double swapped_bytes) {
  const Degrees& degrees = model_.workload.run.degrees;
  if (degrees.context <= 1) return;
  const CommunicationGroup group{degrees.context, degrees.tensor};
  context_ += model_.workload.kernels.context_all_to_all
                  ? model_.network.all_to_all(group, swapped_bytes)
                  : real(degrees.context - 1) * model_.network.point_to_point(group, kv_bytes);
}

void LayerBlocks::add_ring_merges(double out_width, double kv_width) {
  const double steps = real(model_.workload.run.degrees.context);
  const Kernels& kernels = model_.workload.kernels;
  if (steps <= 1 || kernels.context_all_to_all || model_.workload.runtime == Runtime::xla) return;
  // Causal blocks are dealt in pairs, so that all steps but the first work on half of the queries or half of the keys.
  constexpr double dealt = 0.75;
  constexpr double out_bytes = 10;  // running output in single precision read and written, the step's own read
  constexpr double gradient_bytes = 8;
  ring_forward_ += model_.bytes(steps * dealt * tokens_ * out_width * out_bytes);
  ring_backward_ += model_.bytes(steps * dealt * tokens_ * (out_width + kv_width) * gradient_bytes);
  host_ += steps * constants_.host_ring_step;
}

void LayerBlocks::add_tensor_exchange() {
  const Degrees& degrees = model_.workload.run.degrees;
  if (degrees.tensor <= 1) return;
  const CommunicationGroup group{degrees.tensor, 1};
  // All-gather before and reduce-scatter after a block; an all-reduce without sequence parallelism is the same bytes.
  tensor_ += 2 * model_.network.all_gather(group, tokens_ * hidden_ * model_.value_bytes);
}

void LayerBlocks::add_feed_forward(const LayerKind& kind) {
  if (kind.feed_forward == FeedForward::none) return;
  if (kind.feed_forward == FeedForward::dense) {
    add_dense();
  } else {
    add_experts();
  }
  const double residual = 6 * tokens_ * hidden_ / model_.sequence_split;
  norms_ += model_.bytes(model_.value_bytes * residual / 3);
  add_values(residual);
  add_tensor_exchange();
}

void LayerBlocks::add_dense() {
  const double split = model_.tensor;
  const double up = shape_.gated ? 2 : 1;
  const double ffn = real(shape_.ffn) / split;
  const double before = forward_.matrices;
  add_linear(hidden_, up * ffn, hidden_ * up * ffn);
  add_linear(ffn, hidden_, hidden_ * ffn);
  ffn_ += forward_.matrices - before;
  add_values(tokens_ * (up + 1) * ffn);
}

void LayerBlocks::add_experts() {
  has_experts_ = true;
  const Degrees& degrees = model_.workload.run.degrees;
  const double expert_tensor = real(std::max<std::int64_t>(1, degrees.expert_tensor));
  const double expert = real(std::max<std::int64_t>(1, degrees.expert));
  const double up = shape_.gated ? 2 : 1;
  const double width = shape_.latent_width > 0 ? real(shape_.latent_width) : hidden_;
  const double ffn = real(shape_.expert_ffn) / expert_tensor;
  // Token copies that the rank's experts work on: every rank of the tensor group brings its part.
  const double rows = tokens_ / model_.tensor * expert_tensor * real(shape_.experts_per_token) * expert_load(shape_, 1);
  const double local = std::max(1.0, real(shape_.experts) / expert);
  const double rate = model_.gemm_rate * constants_.grouped_share;
  const double each = std::max(1.0, rows / local);
  const auto grouped = [&](double n, double k) {
    if (n <= 0 || k <= 0) return 0.0;
    return 2 * rows * n * k / rate * (1 + constants_.grouped_edge * (1 / each + 1 / n + 1 / k));
  };
  forward_.experts += grouped(up * ffn, width) + grouped(width, ffn);
  expert_weights_ += local * (up + 1) * width * ffn;
  add_values(rows * (4 * width + (up + 1) * ffn));  // permute, unpermute, activation
  activation_ += model_.bytes(model_.value_bytes * rows * (up + 1) * ffn);
  experts_ += forward_.experts;
  // Router, in single precision in effect, and shared experts.
  forward_.matrices +=
      model_.product(tokens_ / model_.sequence_split, real(shape_.experts), hidden_, model_.plain_gemm_rate);
  dense_weights_ += hidden_ * real(shape_.experts);
  if (shape_.shared_ffn > 0) {
    const double before = forward_.matrices;
    const double shared = real(shape_.shared_ffn) / model_.tensor;
    add_linear(hidden_, up * shared, hidden_ * up * shared);
    add_linear(shared, hidden_, hidden_ * shared);
    add_values(tokens_ * (up + 1) * shared);
    shared_ += forward_.matrices - before;
  }
  host_ += constants_.host_experts;
  add_expert_exchange();
}

void LayerBlocks::add_expert_exchange() {
  const Degrees& degrees = model_.workload.run.degrees;
  if (degrees.expert <= 1) return;
  const std::int64_t expert_tensor = std::max<std::int64_t>(1, degrees.expert_tensor);
  if (model_.workload.kernels.dispatch == ExpertDispatch::all_gather) {
    // megatron/core/transformer/moe/token_dispatcher.py:MoEAllGatherTokenDispatcher, over the ranks of EP x ETP.
    const std::int64_t ranks = degrees.expert * expert_tensor;
    const CommunicationGroup gathered{ranks, 1};
    const double bytes = tokens_ / model_.tensor * real(ranks) * hidden_ * model_.value_bytes;
    expert_ += model_.network.all_gather(gathered, bytes) + model_.network.reduce_scatter(gathered, bytes);
    return;
  }
  const CommunicationGroup group{degrees.expert, expert_tensor};
  const double copies = tokens_ / model_.tensor * real(shape_.experts_per_token);
  const double width = shape_.latent_width > 0 ? real(shape_.latent_width) : hidden_;
  expert_ += 2 * model_.network.all_to_all(group, copies * width * model_.value_bytes);
}

double LayerBlocks::seconds_of_recompute(double full) const {
  const Recompute& recompute = model_.workload.recompute;
  const double whole = forward_.matrices + forward_.experts + forward_.attention + forward_.elementwise;
  if (full > 0) return full * whole;
  if (recompute.kept_share < 1 && recompute.elementwise_only) return (1 - recompute.kept_share) * forward_.elementwise;
  if (recompute.kept_share < 1)
    return (1 - recompute.kept_share) * (forward_.matrices + forward_.experts + forward_.elementwise);
  if (recompute.granularity == RecomputeGranularity::none) return 0;
  double out = 0;
  if (recompute.core_attention) out += core_;
  if (recompute.layer_norm) out += norms_;
  if (recompute.latent_up_projection) out += up_projection_;
  if (recompute.expert_activation) out += activation_;
  if (recompute.dense_ffn) out += ffn_;
  if (recompute.experts) out += experts_;
  if (recompute.shared_experts || recompute.experts) out += shared_;
  return out;
}

LayerSeconds LayerBlocks::finish(bool recomputed) {
  const Workload& workload = model_.workload;
  const Kernels& kernels = workload.kernels;
  const bool fused = kernels.compiled || kernels.transformer_engine;
  forward_.elementwise = model_.bytes(model_.value_bytes * values_) * (fused ? 1 : constants_.unfused_bytes) +
                         model_.bytes(casts_ * constants_.cast_bytes) * (fused ? 1 : constants_.unfused_cast);
  LayerSeconds out;
  out.forward = forward_;
  out.backward.matrices = 2 * forward_.matrices;
  out.backward.experts = 2 * forward_.experts;
  out.backward.attention = (kernels.flash_attention ? 2.5 : 2) * forward_.attention;
  out.backward.elementwise = constants_.backward_bytes * forward_.elementwise + ring_backward_;
  out.forward.elementwise += ring_forward_;
  const double full = recomputed ? 1 : model_.full_recompute;
  out.backward.recompute = seconds_of_recompute(full);
  // The host launches while the GPU works: only what it takes longer is waited for, smoothly.
  const auto wait = [](double gpu, double host) { return std::sqrt(gpu * gpu + host * host) - gpu; };
  const double forward = out.forward.total();
  const double backward = out.backward.total();
  out.forward.launch = wait(forward, host_);
  out.backward.launch = wait(backward, host_ * (2 + full));
  const double tensor = workload.overlap.tensor ? constants_.tensor_overlapped : constants_.tensor_exposed;
  out.forward.tensor_exchange = tensor * tensor_;
  const double gathered_again = workload.sequence_parallel ? 1.5 : 1;
  out.backward.tensor_exchange = tensor * tensor_ * (gathered_again + full);
  const double expert = workload.overlap.expert ? constants_.expert_overlapped : constants_.expert_exposed;
  out.forward.expert_exchange = expert * expert_;
  out.backward.expert_exchange = expert * expert_ * (1 + (workload.recompute.experts ? 1 : full));
  const auto exposed = [this](double exchange, double hidden_by) {
    return std::max(0.1 * exchange, exchange - constants_.context_hidden * hidden_by);
  };
  out.forward.context_exchange = exposed(context_, forward_.attention);
  out.backward.context_exchange = exposed((2 + full) * context_, out.backward.attention);
  out.weight_gradients = forward_.matrices + forward_.experts;
  out.dense_weights = dense_weights_;
  out.expert_weights = expert_weights_;
  return out;
}

}  // namespace primus_plan
