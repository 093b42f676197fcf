#include "estimate/chunk_activations.h"

#include <algorithm>

#include "estimate/transients.h"

namespace primus_plan {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Full recompute keeps the input of every `layers` layers (uniform), or drops the first `layers` layers of the chunk
/// (block): megatron/core/transformer/transformer_block.py, _checkpointed_forward.
ChunkActivations full_recompute(const Workload& w, const StageChunk& chunk, const LayerTable& table) {
  const Recompute& r = w.recompute;
  const bool block = r.method == RecomputeMethod::block;
  const std::int64_t unit = std::max<std::int64_t>(1, block ? 1 : r.layers);
  const std::int64_t dropped = block ? std::clamp<std::int64_t>(r.layers, 0, chunk.layers) : chunk.layers;
  ChunkActivations out;
  double input = 0;
  for_layers(w.model, chunk.first_layer, dropped, [&](const LayerKind& kind, std::int64_t) {
    const LayerActivations& a = table.activations[sort_of(kind)];
    input = a.input;
    out.largest = a.input;
    out.made_again = std::max(out.made_again, as_double(std::min(unit, chunk.layers)) * a.full - a.input);
  });
  out.kept = as_double(dropped / unit + (dropped % unit != 0 ? 1 : 0)) * input;
  for_layers(w.model, chunk.first_layer + dropped, chunk.layers - dropped,
             [&](const LayerKind& kind, std::int64_t count) {
               const double full = table.activations[sort_of(kind)].full;
               out.kept += as_double(count) * full;
               out.largest = std::max(out.largest, full);
             });
  return out;
}

ChunkActivations partial_recompute(const Workload& w, const StageChunk& chunk, const LayerTable& table) {
  ChunkActivations out;
  for_layers(w.model, chunk.first_layer, chunk.layers, [&](const LayerKind& kind, std::int64_t count) {
    const LayerActivations& a = table.activations[sort_of(kind)];
    const double kept = kind.recomputed ? a.input : a.kept;
    out.kept += as_double(count) * kept;
    out.largest = std::max(out.largest, kept);
    out.made_again = std::max(out.made_again, a.full - kept);
  });
  return out;
}

}  // namespace

LayerTable layer_table(const Workload& w, const ActivationContext& c) {
  std::array<bool, layer_sorts> made{};
  LayerTable table;
  for (const LayerKind& kind : w.model.kinds) {
    const std::size_t sort = sort_of(kind);
    if (made[sort]) continue;
    made[sort] = true;
    table.activations[sort] = layer_activations(w, c, kind);
  }
  return table;
}

ChunkActivations chunk_activations(const Workload& w, const ActivationContext& c, const StageChunk& chunk,
                                   const LayerTable& table) {
  ChunkActivations out = w.recompute.granularity == RecomputeGranularity::full ? full_recompute(w, chunk, table)
                                                                               : partial_recompute(w, chunk, table);
  const double hidden = c.element * as_double(w.model.hidden) / c.sequence_split;
  if (chunk.embedding) out.kept += hidden;
  if (!chunk.loss && is_torch_pipeline(w)) out.kept += hidden;
  if (is_scanned_pipeline(w)) out.kept += hidden;  // iteration_input, beside the layers' decoder_layer_input
  if (const LayerKind* kind = last_kind(w.model); kind != nullptr && chunk.mtp_layers > 0) {
    const LayerActivations& a = table.activations[sort_of(*kind)];
    // A layer, and the joined hidden states in front of it.
    const bool full = w.recompute.granularity == RecomputeGranularity::full;
    out.kept += as_double(chunk.mtp_layers) * ((full ? a.input : a.kept) + 4 * hidden);
  }
  return out;
}

}  // namespace primus_plan
