#include "backends/megatron/rules/pipeline.h"

#include <fmt/core.h>

#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// ((L + slots) / PP) / n of num_layers_per_virtual_pipeline_stage is whole.
bool layers_per_chunk_fit(const MegatronRun& run, Int per_chunk) {
  const Int total = layers_with_slots(run);
  if (has_uneven_ends(run) || per_chunk < 1 || total < 1 || total % run.pp() != 0) return false;
  return total / run.pp() % per_chunk == 0;
}

bool layout_fits(const MegatronRun& run) {
  if (run.config.pipeline_model_parallel_layout.value == nullptr) return true;
  return run.parsed.layout && std::ssize(run.parsed.layout->stages) % run.pp() == 0;
}

bool pattern_fits(const MegatronRun& run) {
  if (!has_hybrid_pattern(run)) return true;
  if (!run.parsed.hybrid || virtual_selectors(run) > 0) return false;
  return !run.parsed.hybrid->has_pipes() || std::ssize(run.parsed.hybrid->segments) % run.pp() == 0;
}

}  // namespace

bool has_hybrid_pattern(const MegatronRun& run) {
  return run.given.hybrid_layer_pattern.value.data() != nullptr ||
         run.given.hybrid_override_pattern.value.data() != nullptr;
}

bool has_uneven_ends(const MegatronRun& run) {
  return run.config.decoder_first_pipeline_num_layers.value || run.config.decoder_last_pipeline_num_layers.value;
}

bool has_slots(const MegatronRun& run) {
  return *run.config.account_for_embedding_in_pipeline_split || *run.config.account_for_loss_in_pipeline_split;
}

Int layers_with_slots(const MegatronRun& run) {
  const Int layers = run.config.num_layers.value.value_or(0);
  if (layers < 1) return 0;
  return with_slots(layers, *run.config.account_for_embedding_in_pipeline_split,
                    *run.config.account_for_loss_in_pipeline_split);
}

int virtual_selectors(const MegatronRun& run) {
  const MegatronConfig& config = run.given;
  return (config.num_layers_per_virtual_pipeline_stage.value ? 1 : 0) +
         (config.num_virtual_stages_per_pipeline_rank.value ? 1 : 0) +
         (config.pipeline_model_parallel_layout.value != nullptr ? 1 : 0);
}

bool split_is_checked_early(const MegatronRun& run) {
  const MegatronConfig& config = run.given;
  if (has_hybrid_pattern(run) || has_uneven_ends(run) || !config.num_layers.value) return false;
  if (config.num_layers_per_virtual_pipeline_stage.value) return virtual_selectors(run) == 1;
  // Primus lifts the check for decoder_pipeline_manual_split_list, which nothing reads any more.
  return virtual_selectors(run) == 0 && config.decoder_pipeline_manual_split_list.value == nullptr;
}

bool virtual_size_is_settled(const MegatronRun& run) {
  if (run.pp() < 1 || virtual_selectors(run) > 1 || !layout_fits(run) || !pattern_fits(run)) return false;
  if (const auto per_chunk = run.given.num_layers_per_virtual_pipeline_stage.value) {
    return layers_per_chunk_fit(run, *per_chunk);
  }
  return run.given.num_virtual_stages_per_pipeline_rank.value.value_or(1) >= 1;
}

bool split_fails(const MegatronRun& run, LayerFault::Kind kind) {
  return run.split.fault && run.split.fault->kind == kind;
}

bool primus_pipeline_runs(const MegatronRun& run) {
  return *run.config.patch_primus_pipeline && !*run.config.patch_zero_bubble;
}

bool zero_bubble_runs(const MegatronRun& run) { return *run.config.patch_zero_bubble; }

bool algorithm_folds(std::string_view algorithm) {
  return algorithm == "zbv-formatted" || algorithm == "v-half" || algorithm == "v-min";
}

bool interleaved_schedule_runs(const MegatronRun& run) {
  return run.interleaved() && *run.virtual_pipeline > 1 && run.pp() > 1 && !*run.config.patch_primus_pipeline &&
         !*run.config.patch_zero_bubble;
}

bool splits_weight_gradients(const MegatronRun& run) {
  if (zero_bubble_runs(run)) return *run.config.enable_zero_bubble;
  if (!primus_pipeline_runs(run)) return false;
  const std::string_view algorithm = *run.config.pp_algorithm;
  return algorithm == "zero-bubble" || algorithm == "zero-bubble-heuristic" || algorithm_folds(algorithm);
}

bool schedule_takes(const MegatronRun& run, Int micro_batches) {
  const Int pp = run.pp();
  if (interleaved_schedule_runs(run)) {
    const Int group = run.config.microbatch_group_size_per_vp_stage.value.value_or(pp);
    if (group < pp || group > micro_batches) return false;
    return micro_batches % group == 0 || micro_batches % group >= pp;
  }
  if (!primus_pipeline_runs(run)) return true;
  const std::string_view algorithm = *run.config.pp_algorithm;
  const Int parts = saturating_multiply(micro_batches, sequence_splits(run));
  if (algorithm == "1f1b-interleaved") return pp < 2 || (parts % pp == 0 && (pp == 2 || parts >= 2 * pp));
  if (algorithm == "1f1b") return parts >= pp - 1;
  if (algorithm == "zbv-formatted") return parts >= 2 * pp - 1;
  return true;
}

Int sequence_splits(const MegatronRun& run) {
  if (!*run.config.patch_primus_pipeline && !*run.config.patch_zero_bubble) return 1;
  const Int splits = integer_or(run.config.num_seq_splits, 1);
  return splits > 1 ? splits : 1;
}

Int integer_or(const Raw& field, Int otherwise) {
  return field.value != nullptr && field.value->kind == Kind::integer ? field.value->integer : otherwise;
}

std::string layers_text(const MegatronRun& run) {
  const bool embedding = *run.config.account_for_embedding_in_pipeline_split;
  const bool loss = *run.config.account_for_loss_in_pipeline_split;
  std::string text = fmt::format("num_layers {}", run.config.num_layers.value.value_or(0));
  if (embedding) text += " + 1 for the embedding";
  if (loss) text += " + 1 for the loss";
  if (embedding || loss) text += fmt::format(" = {}", layers_with_slots(run));
  return text;
}

}  // namespace primus_plan::megatron
