#pragma once

#include "backends/maxtext/run.h"

namespace primus_plan::maxtext {

/// decoder_block by what it does to the shape of the layers.
enum class Block : std::uint8_t {
  uniform,  ///< all layers alike: llama2, mistral, mixtral, qwen2, qwen3, qwen3_moe, gemma, gpt3, …
  deepseek,
  llama4,
  gemma2,  ///< one layer of MaxText is two: local, then global attention
  gemma3,
  gemma4,
  gemma4_small,
  gpt_oss,
  qwen3_next,  ///< and qwen3_5: gated delta rule in most layers
  qwen3_custom_moe,
};
Block block_of(const MaxTextRun& run);

/// How many of MaxText's layers have experts. Source: src/maxtext/utils/maxtext_utils.py:get_dense_moe_layers.
Int expert_layers(const MaxTextRun& run);

/// Layers of one cycle of attention kinds, of which the last is global; 0 = all layers have the same.
Int attention_cycle(const MaxTextRun& run);

/// Projections into the width of a feed-forward block: 2 where it is gated.
Int up_projections(const MaxTextRun& run);

/// Layers with an n-gram memory.
Int engram_layer_count(const MaxTextRun& run);

/// Width of all shared experts together.
Int shared_width(const MaxTextRun& run);

}  // namespace primus_plan::maxtext
