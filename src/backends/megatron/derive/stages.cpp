#include <algorithm>
#include <array>

#include "backends/megatron/derive/derive.h"

namespace primus_plan::megatron {
namespace {

/// Schedules that fold the pipeline: rank r holds stages r and 2 PP - 1 - r. Source: primus/backends/megatron/patches/
/// parallelism/schedule_patches.py, primus/backends/megatron/core/pipeline_parallel.
bool is_v_schedule(const MegatronConfig& config) {
  if (*config.pipeline_model_parallel_size <= 1) return false;
  if (*config.patch_zero_bubble)
    return *config.enable_zero_bubble && (*config.zero_bubble_v_schedule || *config.enable_1f1b_v);
  constexpr std::array<std::string_view, 3> folded{"zbv-formatted", "v-half", "v-min"};
  return *config.patch_primus_pipeline && std::find(folded.begin(), folded.end(), *config.pp_algorithm) != folded.end();
}

/// Chunks per rank from the two keys that name a number; the layout and hybrid patterns name theirs by themselves.
/// virtual_pipeline_model_parallel_size is not among them: validate_args overwrites it.
std::optional<Int> asked_chunks(const MegatronConfig& config, const LayerSplitInput& input) {
  if (input.layout != nullptr || input.hybrid != nullptr) return std::nullopt;
  std::optional<Int> chunks;
  if (const auto per_chunk = config.num_layers_per_virtual_pipeline_stage.value) {
    const Int total = with_slots(input.layers, input.embedding_slot, input.loss_slot);
    if (*per_chunk < 1 || input.pipeline < 1 || total % input.pipeline != 0) return std::nullopt;
    const Int on_rank = total / input.pipeline;
    if (on_rank % *per_chunk != 0) return std::nullopt;
    chunks = on_rank / *per_chunk;
  } else {
    chunks = config.num_virtual_stages_per_pipeline_rank.value;
  }
  return chunks.value_or(1) == 1 ? std::nullopt : chunks;
}

}  // namespace

void derive_stages(MegatronRun& run) {
  const MegatronConfig& config = run.config;
  run.v_schedule = is_v_schedule(config);
  LayerSplitInput input{
      .layers = config.num_layers.value.value_or(0),
      .pipeline = run.degrees.pipeline,
      .virtual_pipeline = {},
      .first = config.decoder_first_pipeline_num_layers.value,
      .last = config.decoder_last_pipeline_num_layers.value,
      .embedding_slot = *config.account_for_embedding_in_pipeline_split,
      .loss_slot = *config.account_for_loss_in_pipeline_split,
      .mtp_layers = config.mtp_num_layers.value,
      .layout = run.parsed.layout ? &*run.parsed.layout : nullptr,
      .hybrid = run.parsed.hybrid ? &*run.parsed.hybrid : nullptr,
      .v_schedule = run.v_schedule,
  };
  input.virtual_pipeline = asked_chunks(config, input);
  split_layers(input, run.split);
  run.virtual_pipeline = run.split.virtual_pipeline;
}

}  // namespace primus_plan::megatron
