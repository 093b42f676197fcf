#include "backends/maxtext/dimensions.h"

#include <string_view>

namespace primus_plan::maxtext {
namespace {

struct NamedBlock {
  std::string_view name;
  Block block;
};
constexpr NamedBlock blocks[] = {
    {"deepseek", Block::deepseek},  {"llama4", Block::llama4},
    {"gemma2", Block::gemma2},      {"gemma3", Block::gemma3},
    {"gemma4", Block::gemma4},      {"gemma4_small", Block::gemma4_small},
    {"gpt_oss", Block::gpt_oss},    {"qwen3_next", Block::qwen3_next},
    {"qwen3_5", Block::qwen3_next}, {"qwen3_custom_moe", Block::qwen3_custom_moe},
};

/// Lists of MaxText's model files, whose scalars stand in model_files/: how many items the list has.
struct ListLength {
  std::string_view model_file;
  Int length;
};
constexpr ListLength activations[] = {{"gpt3-175b", 1}, {"gpt3-22b", 1}, {"gpt3-52k", 1}, {"gpt3-6b", 1}};
constexpr ListLength engrams[] = {{"deepseek-custom", 2}};

template <std::size_t N>
Int list_length(const MaxTextRun& run, const ListLength (&lengths)[N], const Raw& key, Int otherwise) {
  if (run.layers.model_file != nullptr) {
    for (const ListLength& entry : lengths) {
      if (entry.model_file == run.layers.model_file->name) return entry.length;
    }
  }
  return key.value != nullptr ? static_cast<Int>(key.value->items.size()) : otherwise;
}

}  // namespace

Block block_of(const MaxTextRun& run) {
  for (const NamedBlock& entry : blocks) {
    if (entry.name == *run.config.decoder_block) return entry.block;
  }
  return Block::uniform;
}

Int expert_layers(const MaxTextRun& run) {
  const Int layers = run.model.layers;
  if (!run.is_moe()) return 0;
  const Block block = block_of(run);
  if (block == Block::deepseek) return layers - *run.config.first_num_dense_layers;
  if (block == Block::llama4 && *run.config.interleave_moe_layer_step > 0)
    return layers / *run.config.interleave_moe_layer_step;
  return layers;
}

Int attention_cycle(const MaxTextRun& run) {
  constexpr Int gemma_cycle = 6;
  constexpr Int small_cycle = 5;
  constexpr Int gpt_oss_cycle = 2;
  switch (block_of(run)) {
    case Block::gemma2:
    case Block::gpt_oss:
      return gpt_oss_cycle;
    case Block::gemma3:
    case Block::gemma4:
      return gemma_cycle;
    case Block::gemma4_small:
      return *run.config.model_name == "gemma4-e2b" ? small_cycle : gemma_cycle;
    case Block::llama4:
      return *run.config.nope_layer_interval;
    case Block::qwen3_next:
      return *run.config.inhomogeneous_layer_cycle_interval;
    default:
      return 0;
  }
}

Int up_projections(const MaxTextRun& run) { return list_length(run, activations, run.config.mlp_activations, 2); }

Int engram_layer_count(const MaxTextRun& run) { return list_length(run, engrams, run.config.engram_layers, 0); }

Int shared_width(const MaxTextRun& run) {
  // moe.py: gemma4's shared expert is as wide as a dense block.
  const Int each = block_of(run) == Block::gemma4 ? run.model.mlp : run.model.moe_mlp;
  return each * *run.config.shared_experts;
}

}  // namespace primus_plan::maxtext
