#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/megatron/layer_layout.h"
#include "primus_plan/run/run.h"

namespace primus_plan::megatron {

/// What decides which layers a stage builds (TransformerConfig, megatron/core/transformer/transformer_config.py).
struct LayerSplitInput {
  std::int64_t layers = 0;  ///< decoder layers
  std::int64_t pipeline = 1;
  std::optional<std::int64_t> virtual_pipeline{};  ///< absent: not interleaved (validate_args turns 1 into absent)
  std::optional<std::int64_t> first{};             ///< decoder_first_pipeline_num_layers
  std::optional<std::int64_t> last{};              ///< decoder_last_pipeline_num_layers
  bool embedding_slot = false;                     ///< account_for_embedding_in_pipeline_split
  bool loss_slot = false;                          ///< account_for_loss_in_pipeline_split
  std::optional<std::int64_t> mtp_layers{};        ///< mtp_num_layers
  const PipelineLayout* layout = nullptr;          ///< pipeline_model_parallel_layout
  const HybridPattern* hybrid = nullptr;           ///< hybrid_layer_pattern; its | decide like a layout
  bool v_schedule = false;                         ///< Primus: rank r holds stages r and 2 PP - 1 - r
};

/// Why layers cannot be placed, or are placed wrong. `a` and `b` are the numbers of the sentence.
struct LayerFault {
  enum class Kind : std::uint8_t {
    size_not_positive,  ///< a = PP, virtual size or layers, below 1
    size_too_large,     ///< size a, above b: more stages or layers than any run has
    // TransformerConfig
    uneven_with_slots,        ///< first/last together with an embedding or loss slot
    layout_with_other_split,  ///< a layout together with first/last or a slot
    layout_stages,            ///< a stages are no multiple of PP b
    layout_virtual,           ///< virtual size a is set, but the layout has b stages a rank
    layout_v_schedule,        ///< a stages; a V schedule needs b = 2 PP
    layout_first_not_embedding,
    layout_last_not_loss,
    layout_embeddings,                ///< a embeddings instead of 1
    layout_losses,                    ///< a losses instead of 1
    layout_layers,                    ///< a decoder layers, num_layers is b
    layout_mtp_layers,                ///< a MTP layers, mtp_num_layers is b
    layout_mtp_before_decoder,        ///< a decoder layer follows an MTP layer
    layout_mtp_not_in_last_chunk,     ///< MTP in chunk b of rank a
    layout_mtp_in_many_stages,        ///< a of b MTP layers share a stage
    first_not_positive,               ///< first = a
    first_not_divisible_by_virtual,   ///< first a, virtual size b
    last_not_positive,                ///< last = a
    last_not_divisible_by_virtual,    ///< last a, virtual size b
    middle_mismatch,                  ///< a layers are left for b middle ranks, and just one of them is 0
    middle_not_divisible,             ///< a layers are left for b middle ranks
    middle_not_divisible_by_virtual,  ///< a layers on each middle rank, virtual size b
    slots_not_divisible,              ///< layers and slots a, PP b
    slots_not_divisible_by_virtual,   ///< layers and slots of a rank a, virtual size b
    // Model building
    layers_not_divisible,             ///< layers a, PP b
    layers_not_divisible_by_virtual,  ///< layers of a rank a, virtual size b
    no_middle_for_interleaving,       ///< PP a = 2, both ends set and virtual size b: division by zero
    hybrid_segments,                  ///< a segments between | are no multiple of PP b
    hybrid_virtual_without_pipes,     ///< virtual size a, but no |
    hybrid_segment_missing,           ///< virtual size and PP need a segments, the pattern has b
    v_schedule_virtual,               ///< virtual size a (0: none); a V schedule needs 2
    layers_lost,                      ///< no check fails, but the stages hold a layers instead of b
  };
  Kind kind{};
  std::int64_t a = 0;
  std::int64_t b = 0;
};

/// Layers of every model chunk. Reuse one object for many splits: its vectors keep their memory.
struct LayerSplit {
  std::vector<std::vector<StageChunk>> stages;  ///< [rank][chunk]; empty with every fault but layers_lost
  std::optional<std::int64_t>
      virtual_pipeline{};           ///< as given, or found from the layout or pattern (more than 1 chunk)
  std::optional<LayerFault> fault;  ///< the first that Megatron would notice
};

/// Layers and the slots that embedding and loss take among them (account_for_embedding_in_pipeline_split,
/// account_for_loss_in_pipeline_split: one layer each); a number too large to add to stays.
std::int64_t with_slots(std::int64_t layers, bool embedding_slot, bool loss_slot);

/// Places layers as TransformerConfig.__post_init__, get_num_layers_to_build and get_transformer_layer_offset do. Where
/// Megatron would build a negative number of layers, the chunk has 0 and layers_lost is reported.
void split_layers(const LayerSplitInput& input, LayerSplit& out);
LayerSplit split_layers(const LayerSplitInput& input);

}  // namespace primus_plan::megatron
