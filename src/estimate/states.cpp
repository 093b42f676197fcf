#include "estimate/states.h"

#include <algorithm>

#include "estimate/layers.h"
#include "estimate/memory_constants.h"

namespace primus_plan {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Weights that fp8 keeps beside or instead of the 16-bit ones; matrices only, the rest stays as it is.
double fp8_weight_bytes(const Precision& p) {
  const double scales = p.recipe == ScalingRecipe::microscaling ? 1.0 / 32 : 0;
  if (p.weights == NumberFormat::fp8) {
    // Instead of two bytes: one, a transposed one, scales of both.
    const double copies = p.transposed_fp8_weights || p.recipe == ScalingRecipe::microscaling ? 2 : 1;
    return copies * (1 + scales) - 2;
  }
  return p.cached_fp8_weights ? memory_constants::cached_fp8_weight : 0;
}

/// Muon keeps one moment for the matrices it looks after; embedding, output and norms stay with Adam.
double saved_by_muon(const Workload& w, double dense_matrices, double experts, double dense_shards,
                     double expert_shards) {
  if (w.optimizer != Optimizer::muon) return 0;
  const bool shared_out = w.sharding.state != StateSharding::none;
  const double elements =
      shared_out ? dense_matrices / dense_shards + experts / expert_shards : dense_matrices + experts;
  return elements * bytes_of(w.precision.second_moment) * (1 - w.sharding.offloaded_optimizer);
}

/// One placeholder for each shape of weight on the rank: Transformer Engine, fuse_wgrad_accumulation
/// (transformer_engine/pytorch/module/base.py, get_dummy_wgrad).
double placeholder_elements(const Workload& w, std::size_t rank, const Parameters& parameters) {
  const ModelShape& m = w.model;
  const Split split = split_of(w.run.degrees);
  const double h = as_double(m.hidden);
  const double up = m.gated ? 2 : 1;
  std::array<const LayerKind*, 2 * mixers> mixer{};
  bool feed_forward[feed_forwards] = {};
  for (const StageChunk& chunk : w.run.stages[rank]) {
    const auto add = [&](const LayerKind& kind, std::int64_t) {
      mixer[sort_of(kind) / feed_forwards] = &kind;
      feed_forward[static_cast<std::size_t>(kind.feed_forward)] = true;
    };
    for_layers(m, chunk.first_layer, chunk.layers, add);
    if (const LayerKind* kind = last_kind(m); kind != nullptr && chunk.mtp_layers > 0) add(*kind, chunk.mtp_layers);
  }
  double n = parameters[ParameterPart::output];
  for (const LayerKind* kind : mixer) {
    if (kind != nullptr) n += mixer_parameters(m, *kind, split);
  }
  if (feed_forward[static_cast<std::size_t>(FeedForward::dense)]) n += (up + 1) * h * as_double(m.ffn) / split.tensor;
  if (feed_forward[static_cast<std::size_t>(FeedForward::experts)]) {
    const double space = as_double(m.latent_width > 0 ? m.latent_width : m.hidden);
    n +=
        (up + 1) * (space * as_double(m.expert_ffn) / split.expert_tensor + h * as_double(m.shared_ffn) / split.tensor);
  }
  return n;
}

/// What FSDP makes whole: layers one by one and the root, or everything when nothing is shared out again.
void add_gathered(StageMemory& out, const Workload& w, std::size_t rank, const Parameters& p) {
  const Sharding& s = w.sharding;
  if (s.state != StateSharding::weights && !s.offloaded_weights) return;
  const double bytes = gathered_bytes(w);
  const double ends = p[ParameterPart::embedding] + p[ParameterPart::output];
  if (s.keeps_gathered_weights) {
    out[MemoryPart::gathered_weights] = bytes * p.total();
    // Gradients of all but the last micro-batch of a pipeline are added up before they are reduced:
    // torch/distributed/fsdp, unsharded_accumulated_grad in the reduce dtype.
    if (w.run.stages.size() > 1) out[MemoryPart::unsharded_gradients] = 4 * p.total();
    return;
  }
  const double layers = p.total() - ends;
  out[MemoryPart::gathered_weights] = bytes * std::min(layers, gathered_units(w) * largest_unit(w, rank));
  if (s.gathers_root) {
    out[MemoryPart::gathered_weights] += bytes * ends;
    out[MemoryPart::unsharded_gradients] = bytes * p[ParameterPart::output];
  }
}

}  // namespace

double bytes_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return 4;
    case NumberFormat::bf16:
    case NumberFormat::fp16:
      return 2;
    case NumberFormat::fp8:
      return 1;
    case NumberFormat::fp4:
      return 0.5;
  }
  return 0;
}

StateBytes state_bytes(const Workload& workload, double shards) {
  const Precision& p = workload.precision;
  StateBytes b;
  // What is no matrix stays in 16 bits when the matrices are kept in fp8.
  b.weights = std::max(2.0, bytes_of(p.weights));
  b.gradients = bytes_of(p.gradients);
  const double main = !p.separate_main_weights ? 0 : p.half_main_weights ? 2 : bytes_of(p.main_weights);
  double moments = bytes_of(p.first_moment) + bytes_of(p.second_moment);
  if (workload.optimizer == Optimizer::sgd) moments = bytes_of(p.first_moment);
  if (workload.optimizer == Optimizer::plain_sgd) moments = 0;
  b.optimizer = (main + moments) * (1 - workload.sharding.offloaded_optimizer);
  const StateSharding state = workload.sharding.state;
  if (state != StateSharding::none) b.optimizer /= shards;
  if (state == StateSharding::gradients || state == StateSharding::weights) b.gradients /= shards;
  if (state == StateSharding::weights) b.weights /= shards;
  if (workload.sharding.offloaded_weights) b.weights = 0;
  if (workload.sharding.offloaded_gradients) b.gradients = 0;
  return b;
}

double gathered_bytes(const Workload& workload) { return workload.precision.compute == NumberFormat::fp32 ? 4 : 2; }

double gathered_units(const Workload& workload) {
  return workload.runtime == Runtime::xla ? 1 : workload.sharding.gathered_units;
}

double largest_unit(const Workload& workload, std::size_t rank) {
  if (workload.sharding.state != StateSharding::weights && !workload.sharding.offloaded_weights) return 0;
  const Split split = split_of(workload.run.degrees);
  double largest = 0;
  for (const StageChunk& chunk : workload.run.stages[rank]) {
    for_layers(workload.model, chunk.first_layer, chunk.layers, [&](const LayerKind& kind, std::int64_t) {
      const LayerParameters n = layer_parameters(workload.model, kind, split);
      largest = std::max(largest, n.dense() + n.experts);
    });
  }
  return workload.runtime == Runtime::xla ? memory_constants::xla_unit_share * largest : largest;
}

bool carries_gradients(const Workload& workload) {
  return workload.runtime == Runtime::xla && workload.run.batch.accumulation_steps > 1;
}

void add_states(StageMemory& out, const Workload& workload, std::size_t rank, const Parameters& parameters) {
  const Sharding& s = workload.sharding;
  const double dense_shards = as_double(std::max<std::int64_t>(1, s.dense_shards));
  const double expert_shards = as_double(std::max<std::int64_t>(1, s.expert_shards));
  const StateBytes dense = state_bytes(workload, dense_shards);
  const StateBytes expert = state_bytes(workload, expert_shards);
  const double in_dense = parameters.dense();
  const double in_experts = parameters.expert();
  out[MemoryPart::weights] = in_dense * dense.weights + in_experts * expert.weights;
  out[MemoryPart::gradients] = in_dense * dense.gradients + in_experts * expert.gradients;
  const double trained = std::clamp(workload.trained_share, 0.0, 1.0);
  out[MemoryPart::gradients] *= trained;
  out[MemoryPart::optimizer] = in_dense * dense.optimizer + in_experts * expert.optimizer;
  out[MemoryPart::optimizer] -=
      saved_by_muon(workload, parameters.matrices() - in_experts, in_experts, dense_shards, expert_shards);
  out[MemoryPart::optimizer] *= trained;
  const bool shared_out = s.state == StateSharding::weights;
  const double dense_matrices = (parameters.matrices() - in_experts) / (shared_out ? dense_shards : 1);
  const double expert_matrices = in_experts / (shared_out ? expert_shards : 1);
  if (!s.offloaded_weights)
    out[MemoryPart::weights] += (dense_matrices + expert_matrices) * fp8_weight_bytes(workload.precision);
  add_gathered(out, workload, rank, parameters);
  const Kernels& k = workload.kernels;
  if (k.transformer_engine && k.fused_gradients && k.separate_gradient_buffers && trained >= 1) {
    out[MemoryPart::placeholder_gradients] = 2 * placeholder_elements(workload, rank, parameters);
  }
}

}  // namespace primus_plan
