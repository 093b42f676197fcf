#include "estimate/transients.h"

#include <algorithm>

#include "estimate/states.h"

namespace primus_plan {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

bool holds_loss(const Workload& w, std::size_t rank) {
  return std::any_of(w.run.stages[rank].begin(), w.run.stages[rank].end(), [](const StageChunk& c) { return c.loss; });
}

/// Megatron's default: 40 million elements, or a million for each data-parallel rank
/// (megatron/core/distributed/distributed_data_parallel.py, __init__).
double bucket(const Workload& w) {
  if (w.sharding.bucket_elements > 0) return as_double(w.sharding.bucket_elements);
  return std::max(40e6, 1e6 * as_double(w.sharding.dense_shards));
}

}  // namespace

double outputs_on(const Workload& workload, std::size_t rank) {
  double outputs = 0;
  for (const StageChunk& chunk : workload.run.stages[rank]) {
    outputs += (chunk.loss ? 1 : 0) + as_double(chunk.mtp_layers);
  }
  return outputs;
}

double logits_bytes(const Workload& workload, const ActivationContext& c, std::size_t rank) {
  const Kernels& k = workload.kernels;
  const double bytes = (k.fused_loss ? 2 : k.logit_bytes) / as_double(std::max<std::int64_t>(1, k.loss_chunks));
  return outputs_on(workload, rank) * c.tokens * micro_batches_of_loss(workload) *
         as_double(workload.model.padded_vocabulary) / c.tensor * bytes;
}

void add_transients(StageMemory& out, const Workload& workload, const ActivationContext& c, std::size_t rank,
                    double made_again) {
  const ModelShape& model = workload.model;
  double backward = 0;
  for (const StageChunk& chunk : workload.run.stages[rank]) {
    for_layers(model, chunk.first_layer, chunk.layers, [&](const LayerKind& kind, std::int64_t) {
      backward = std::max(backward, layer_gradients(model, c, kind.feed_forward));
    });
  }
  // XLA lets a gradient take the place of the activation that it comes from.
  const bool in_place = workload.runtime == Runtime::xla;
  backward = in_place ? std::max(c.tokens * backward, made_again) : c.tokens * backward + made_again;
  const bool adds_up = workload.sharding.keeps_gathered_weights && workload.run.stages.size() > 1;
  if (workload.sharding.state == StateSharding::weights && !adds_up) {
    // As the layer made them, and as they are reduced.
    backward += (2 + (in_place ? 0 : bytes_of(workload.precision.gradients))) * largest_unit(workload, rank);
  }
  const double logits = logits_bytes(workload, c, rank);
  // The hidden state, gathered over sequence-parallel ranks where there are any, and its gradients.
  const double ends =
      micro_batches_of_loss(workload) * c.tokens * c.element * as_double(model.hidden) * (c.tensor > 1 ? 3 : 2);
  const double loss = holds_loss(workload, rank) ? logits + ends : 0;
  out[MemoryPart::logits] = logits;
  out[MemoryPart::transients] = std::max(0.0, std::max(loss, backward) - logits);
}

namespace {

bool gathers_tokens(const Workload& workload) {
  return workload.kernels.dispatch == ExpertDispatch::all_gather && workload.model.experts > 0 &&
         workload.run.degrees.expert > 1;
}

}  // namespace

double communication_buffers(const Workload& workload, const ActivationContext& c, std::size_t rank) {
  double bytes = 0;
  const ModelShape& m = workload.model;
  const bool ring = workload.run.degrees.context > 1 && !workload.kernels.context_all_to_all;
  if (ring) {
    const AttentionWidths widths = attention_widths(m, LayerKind(), c.tensor);
    bytes += 2 * c.tokens * (widths.keys + widths.values) * c.element;
  }
  if (workload.overlap.tensor && c.tensor > 1) bytes += 2 * c.tokens * as_double(m.hidden) * c.element;
  if (is_torch_pipeline(workload)) {
    const double received = c.tokens * as_double(m.hidden) * c.element / c.sequence_split;
    double boundaries = 0;
    for (const StageChunk& chunk : workload.run.stages[rank])
      boundaries += (chunk.embedding ? 0 : 1) + (chunk.loss ? 0 : 1);
    const std::int64_t in_step = workload.run.batch.micro_batches_between_flushes();
    bytes += boundaries * received * as_double(std::max<std::int64_t>(1, in_step));
  }
  // Every rank gathers the tokens of all ranks that share the experts, and scatters the sums of as many.
  if (gathers_tokens(workload)) {
    const Degrees& d = workload.run.degrees;
    bytes += c.tokens * as_double(m.hidden) * c.element / c.sequence_split *
             as_double(d.expert * std::max<std::int64_t>(1, d.expert_tensor));
  }
  const bool buffers = workload.kernels.separate_gradient_buffers;
  if (buffers && bytes_of(workload.precision.gradients) < 4 && workload.sharding.dense_shards > 1) {
    const double parameters = rank_parameters(workload, rank).total();
    bytes += 4 * std::min(parameters, bucket(workload));
  }
  return bytes;
}

bool is_torch_pipeline(const Workload& workload) {
  return workload.run.stages.size() > 1 && workload.runtime == Runtime::torch &&
         !workload.kernels.separate_gradient_buffers;
}

bool is_scanned_pipeline(const Workload& workload) {
  return workload.run.stages.size() > 1 && workload.runtime == Runtime::xla;
}

bool lies_outside_pipeline(const Workload& workload, const StageChunk& chunk) {
  const auto has_it = [&chunk](const std::vector<StageChunk>& stage) {
    return std::any_of(stage.begin(), stage.end(),
                       [&](const StageChunk& c) { return c.first_layer == chunk.first_layer; });
  };
  const auto& stages = workload.run.stages;
  return is_scanned_pipeline(workload) && has_it(stages.front()) && has_it(stages.back());
}

double micro_batches_of_loss(const Workload& workload) {
  if (!is_scanned_pipeline(workload)) return 1;
  const double in_step = as_double(workload.run.batch.micro_batches_between_flushes());
  return std::max(1.0, in_step / as_double(static_cast<std::int64_t>(workload.run.stages.size())));
}

double deep_ep_buffers(const Workload& workload, const ActivationContext& c) {
  if (workload.kernels.dispatch != ExpertDispatch::deep_ep || workload.run.degrees.expert <= 1) return 0;
  const ModelShape& m = workload.model;
  return 2 * c.tokens * (as_double(m.experts_per_token) * as_double(m.hidden)) * c.element / c.sequence_split;
}

bool uses_rccl_all_to_all(const Workload& workload, const MemoryDevice& device) {
  const bool exchanges = workload.model.experts > 0 && workload.run.degrees.expert > 1;
  const bool swaps = workload.kernels.dispatch == ExpertDispatch::all_to_all;
  return device.amd && exchanges && swaps && workload.runtime == Runtime::torch;
}

}  // namespace primus_plan
