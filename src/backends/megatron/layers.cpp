#include "backends/megatron/layers.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

using Kind = LayerFault::Kind;
using Fault = std::optional<LayerFault>;

/// Bounds that keep arithmetic exact and tables small whatever a file says; far above any run.
constexpr std::int64_t most_layers = 1'000'000'000;
constexpr std::int64_t most_stages = 1'000'000;

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

std::int64_t count(const std::string& stage, char kind) { return std::count(stage.begin(), stage.end(), kind); }

bool uneven(const LayerSplitInput& in) { return in.first.has_value() || in.last.has_value(); }

bool has_slots(const LayerSplitInput& in) { return in.embedding_slot || in.loss_slot; }

std::int64_t total_of(const LayerSplitInput& in) { return with_slots(in.layers, in.embedding_slot, in.loss_slot); }

/// Ranks whose number of layers is not given, and the layers left for them.
struct Middle {
  std::int64_t layers;
  std::int64_t ranks;
};

Middle middle_of(const LayerSplitInput& in) {
  return {in.layers - in.first.value_or(0) - in.last.value_or(0), in.pipeline - (in.first ? 1 : 0) - (in.last ? 1 : 0)};
}

Fault size_fault(const LayerSplitInput& in) {
  for (const std::int64_t size : {in.pipeline, in.virtual_pipeline.value_or(1), in.layers}) {
    if (size < 1) return LayerFault{Kind::size_not_positive, size};
  }
  for (const std::int64_t size : {in.layers, in.first.value_or(0), in.last.value_or(0)}) {
    if (size > most_layers) return LayerFault{Kind::size_too_large, size, most_layers};
  }
  const std::int64_t stages = saturating_multiply(in.pipeline, in.virtual_pipeline.value_or(1));
  if (stages > most_stages) return LayerFault{Kind::size_too_large, stages, most_stages};
  return std::nullopt;
}

Fault end_fault(const std::optional<std::int64_t>& end, const LayerSplitInput& in, Kind positive, Kind divisible) {
  if (!end) return std::nullopt;
  if (*end <= 0) return LayerFault{positive, *end};
  if (in.virtual_pipeline && *end % *in.virtual_pipeline != 0) return LayerFault{divisible, *end, *in.virtual_pipeline};
  return std::nullopt;
}

/// TransformerConfig.__post_init__, branch of num_layers_in_first/last_pipeline_stage.
Fault uneven_fault(const LayerSplitInput& in) {
  if (auto fault = end_fault(in.first, in, Kind::first_not_positive, Kind::first_not_divisible_by_virtual))
    return fault;
  if (auto fault = end_fault(in.last, in, Kind::last_not_positive, Kind::last_not_divisible_by_virtual)) return fault;
  const Middle middle = middle_of(in);
  if ((middle.layers != 0) != (middle.ranks != 0))
    return LayerFault{Kind::middle_mismatch, middle.layers, middle.ranks};
  if (middle.ranks == 0) return std::nullopt;
  if (floor_remainder(middle.layers, middle.ranks) != 0) {
    return LayerFault{Kind::middle_not_divisible, middle.layers, middle.ranks};
  }
  const std::int64_t each = floor_divide(middle.layers, middle.ranks);
  if (in.virtual_pipeline && floor_remainder(each, *in.virtual_pipeline) != 0) {
    return LayerFault{Kind::middle_not_divisible_by_virtual, each, *in.virtual_pipeline};
  }
  return std::nullopt;
}

/// TransformerConfig.__post_init__, branch of account_for_embedding/loss_in_pipeline_split; without slots the same
/// arithmetic fails while the model is built (get_num_layers_to_build).
Fault even_fault(const LayerSplitInput& in) {
  const bool counted = has_slots(in);
  const std::int64_t total = total_of(in);
  if (total % in.pipeline != 0) {
    return LayerFault{counted ? Kind::slots_not_divisible : Kind::layers_not_divisible, total, in.pipeline};
  }
  const std::int64_t each = total / in.pipeline;
  if (in.virtual_pipeline && (counted || in.pipeline > 1) && each % *in.virtual_pipeline != 0) {
    return LayerFault{counted ? Kind::slots_not_divisible_by_virtual : Kind::layers_not_divisible_by_virtual, each,
                      *in.virtual_pipeline};
  }
  return std::nullopt;
}

/// What a layout holds in all.
struct Totals {
  std::int64_t embeddings = 0;
  std::int64_t decoders = 0;
  std::int64_t mtp = 0;
  std::int64_t losses = 0;
  char first = 0;
  char last = 0;
  bool decoder_after_mtp = false;
};

Totals totals_of(const PipelineLayout& layout) {
  Totals totals;
  for (const std::string& stage : layout.stages) {
    if (stage.empty()) continue;
    if (totals.first == 0) totals.first = stage.front();
    totals.last = stage.back();
    totals.embeddings += count(stage, 'E');
    totals.losses += count(stage, 'L');
    totals.decoders += count(stage, 't');
    const std::size_t mtp = totals.mtp > 0 ? 0 : stage.find('m');
    if (mtp != std::string::npos && stage.find('t', mtp) != std::string::npos) totals.decoder_after_mtp = true;
    totals.mtp += count(stage, 'm');
  }
  return totals;
}

/// Rank and chunk that hold stage s.
struct Place {
  std::int64_t rank;
  std::int64_t chunk;
};

Place place_of(std::int64_t stage, const LayerSplitInput& in) {
  const std::int64_t chunk = stage / in.pipeline;
  const std::int64_t rank = stage % in.pipeline;
  return {in.v_schedule && chunk % 2 == 1 ? in.pipeline - 1 - rank : rank, chunk};
}

/// PipelineParallelLayerLayout.validate_layer_layout, about MTP layers.
Fault layout_mtp_fault(const LayerSplitInput& in, const Totals& totals) {
  const std::int64_t wanted = in.mtp_layers.value_or(0);
  if (totals.mtp != wanted) return LayerFault{Kind::layout_mtp_layers, totals.mtp, wanted};
  if (totals.decoder_after_mtp) return LayerFault{Kind::layout_mtp_before_decoder};
  const std::int64_t stages = std::ssize(in.layout->stages);
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    const std::int64_t here = count(in.layout->stages[index(stage)], 'm');
    const Place place = place_of(stage, in);
    if (here == 0) continue;
    if (place.chunk != stages / in.pipeline - 1) {
      return LayerFault{Kind::layout_mtp_not_in_last_chunk, place.rank, place.chunk};
    }
    if (here != wanted) return LayerFault{Kind::layout_mtp_in_many_stages, here, wanted};
  }
  return std::nullopt;
}

/// TransformerConfig.__post_init__, branch of pipeline_model_parallel_layout.
Fault layout_fault(const LayerSplitInput& in) {
  if (uneven(in) || has_slots(in)) return LayerFault{Kind::layout_with_other_split};
  const std::int64_t stages = std::ssize(in.layout->stages);
  if (stages % in.pipeline != 0) return LayerFault{Kind::layout_stages, stages, in.pipeline};
  const std::int64_t chunks = stages / in.pipeline;
  if (in.v_schedule && chunks != 2) return LayerFault{Kind::layout_v_schedule, stages, 2 * in.pipeline};
  if (in.virtual_pipeline && *in.virtual_pipeline != chunks) {
    return LayerFault{Kind::layout_virtual, *in.virtual_pipeline, chunks};
  }
  const Totals totals = totals_of(*in.layout);
  if (totals.first != 'E') return LayerFault{Kind::layout_first_not_embedding};
  if (totals.last != 'L') return LayerFault{Kind::layout_last_not_loss};
  if (totals.embeddings != 1) return LayerFault{Kind::layout_embeddings, totals.embeddings, 1};
  if (totals.losses != 1) return LayerFault{Kind::layout_losses, totals.losses, 1};
  if (totals.decoders != in.layers) return LayerFault{Kind::layout_layers, totals.decoders, in.layers};
  return layout_mtp_fault(in, totals);
}

/// select_pipeline_segment (megatron/core/ssm/mamba_hybrid_layer_allocation.py), about a pattern with |.
Fault hybrid_fault(const LayerSplitInput& in) {
  if (uneven(in)) return LayerFault{Kind::layout_with_other_split};
  const std::int64_t segments = std::ssize(in.hybrid->segments);
  if (segments % in.pipeline != 0) return LayerFault{Kind::hybrid_segments, segments, in.pipeline};
  const std::int64_t needed = in.pipeline * in.virtual_pipeline.value_or(segments / in.pipeline);
  if (needed != segments) return LayerFault{Kind::hybrid_segment_missing, needed, segments};
  return std::nullopt;
}

bool has_segments(const LayerSplitInput& in) { return in.hybrid != nullptr && in.hybrid->has_pipes(); }

/// The first fault before layers are counted.
Fault split_fault(const LayerSplitInput& in) {
  if (auto fault = size_fault(in)) return fault;
  if (uneven(in) && has_slots(in)) return LayerFault{Kind::uneven_with_slots};
  if (in.layout != nullptr) return layout_fault(in);
  if (has_segments(in)) return hybrid_fault(in);
  if (uneven(in)) {
    if (auto fault = uneven_fault(in)) return fault;
  } else if (auto fault = even_fault(in)) {
    return fault;
  }
  if (in.hybrid != nullptr && in.virtual_pipeline && in.pipeline > 1) {
    return LayerFault{Kind::hybrid_virtual_without_pipes, *in.virtual_pipeline};
  }
  if (in.v_schedule && in.virtual_pipeline.value_or(0) != 2) {
    return LayerFault{Kind::v_schedule_virtual, in.virtual_pipeline.value_or(0), 2};
  }
  if (in.first && in.last && in.pipeline == 2 && in.virtual_pipeline) {
    return LayerFault{Kind::no_middle_for_interleaving, in.pipeline, *in.virtual_pipeline};
  }
  return std::nullopt;
}

/// get_num_layers_to_build (megatron/core/transformer/transformer_block.py) without a layout.
std::int64_t layers_to_build(const LayerSplitInput& in, const Place& place, std::int64_t chunks) {
  std::int64_t each = total_of(in) / in.pipeline;
  if (uneven(in)) {
    const Middle middle = middle_of(in);
    each = middle.ranks > 0 ? floor_divide(middle.layers, middle.ranks) : 0;
    if (in.first && place.rank == 0) each = *in.first;
    if (in.last && place.rank == in.pipeline - 1) each = *in.last;
  }
  if (in.pipeline > 1) each = floor_divide(each, chunks);
  if (in.embedding_slot && place.rank == 0 && place.chunk == 0) --each;
  if (in.loss_slot && place.rank == in.pipeline - 1 && place.chunk == chunks - 1) --each;
  return std::max<std::int64_t>(each, 0);
}

std::int64_t stage_layers(const LayerSplitInput& in, std::int64_t stage, const Place& place, std::int64_t chunks) {
  if (in.layout != nullptr) return count(in.layout->stages[index(stage)], 't');
  if (has_segments(in)) return std::ssize(in.hybrid->segments[index(stage)]);
  return layers_to_build(in, place, chunks);
}

/// Number of chunks of a rank, and what Megatron then takes for the virtual size.
std::int64_t find_chunks(const LayerSplitInput& in, std::optional<std::int64_t>& virtual_pipeline) {
  virtual_pipeline = in.virtual_pipeline;
  std::int64_t stages = 0;
  if (in.layout != nullptr) stages = std::ssize(in.layout->stages);
  if (has_segments(in)) stages = std::ssize(in.hybrid->segments);
  if (stages == 0 || in.pipeline < 1 || stages % in.pipeline != 0)
    return std::max<std::int64_t>(virtual_pipeline.value_or(1), 1);
  const std::int64_t chunks = stages / in.pipeline;
  if (!virtual_pipeline && chunks > 1) virtual_pipeline = chunks;
  return chunks;
}

}  // namespace

std::int64_t with_slots(std::int64_t layers, bool embedding_slot, bool loss_slot) {
  const std::int64_t slots = (embedding_slot ? 1 : 0) + (loss_slot ? 1 : 0);
  return layers > std::numeric_limits<std::int64_t>::max() - slots ? layers : layers + slots;
}

void split_layers(const LayerSplitInput& in, LayerSplit& out) {
  const std::int64_t chunks = find_chunks(in, out.virtual_pipeline);
  out.fault = split_fault(in);
  if (out.fault) {
    out.stages.clear();
    return;
  }
  out.stages.resize(index(in.pipeline));
  for (auto& rank : out.stages) rank.assign(index(chunks), StageChunk{});
  const std::int64_t stages = in.pipeline * chunks;
  std::int64_t placed = 0;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    const Place place = place_of(stage, in);
    StageChunk& chunk = out.stages[index(place.rank)][index(place.chunk)];
    chunk.layers = stage_layers(in, stage, place, chunks);
    chunk.first_layer = placed;
    placed += chunk.layers;
    if (in.layout != nullptr) chunk.mtp_layers = count(in.layout->stages[index(stage)], 'm');
  }
  // Embedding and loss are built at the ends whatever a layout says; MTP layers join the last stage unless a layout
  // places them (megatron/core/transformer/multi_token_prediction.py).
  const Place last = place_of(stages - 1, in);
  out.stages[0][0].embedding = true;
  StageChunk& end = out.stages[index(last.rank)][index(last.chunk)];
  end.loss = true;
  if (in.layout == nullptr) end.mtp_layers = std::max<std::int64_t>(in.mtp_layers.value_or(0), 0);
  if (placed != in.layers) out.fault = LayerFault{Kind::layers_lost, placed, in.layers};
}

LayerSplit split_layers(const LayerSplitInput& input) {
  LayerSplit split;
  split_layers(input, split);
  return split;
}

}  // namespace primus_plan::megatron
