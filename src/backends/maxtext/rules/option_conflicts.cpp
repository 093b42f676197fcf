#include "backends/maxtext/rules/conflicts.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

using C = MaxTextConfig;

constexpr std::array quantization_conflicts{
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.use_batch_split_schedule) && filled(r.config.quantization) &&
                      *r.config.quantization != "fp8_full";
             },
             &C::use_batch_split_schedule, "use_batch_split_schedule goes with quantization: fp8_full only"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.use_manual_quantization) && !on(r.config.use_batch_split_schedule);
             },
             &C::use_manual_quantization, "use_manual_quantization needs use_batch_split_schedule: true"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.use_sliced_mla_proj) &&
                      (filled(r.config.quantization) || on(r.config.use_qwix_quantization));
             },
             &C::use_sliced_mla_proj, "use_sliced_mla_proj does not go with quantization"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.quantize_kvcache) && r.config.kv_quant_axis.value.empty(); },
             &C::kv_quant_axis, "quantize_kvcache needs a kv_quant_axis"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.pure_nnx) && !on(r.config.pure_nnx_decoder) && on(r.config.use_qwix_quantization) &&
                      !on(r.config.use_batch_split_schedule) && filled(r.config.quantization);
             },
             &C::use_qwix_quantization, "use_qwix_quantization with quantization needs pure_nnx_decoder: true"},
};

constexpr std::array checkpoint_conflicts{
    Conflict{[](const MaxTextRun& r) {
               return filled(r.config.load_parameters_path) && filled(r.config.load_full_state_path);
             },
             &C::load_full_state_path, "load_parameters_path and load_full_state_path are both set: at most one"},
    Conflict{[](const MaxTextRun& r) {
               return (filled(r.config.load_parameters_path) || filled(r.config.load_full_state_path)) &&
                      !on(r.config.enable_checkpointing);
             },
             &C::enable_checkpointing, "loading a checkpoint needs enable_checkpointing: true"},
    Conflict{[](const MaxTextRun& r) {
               return (on(r.config.enable_multi_tier_checkpointing) || on(r.config.enable_emergency_checkpoint)) &&
                      !filled(r.config.local_checkpoint_directory);
             },
             &C::local_checkpoint_directory, "multi-tier and emergency checkpoints need a local_checkpoint_directory"},
    Conflict{[](const MaxTextRun& r) {
               return (on(r.config.enable_multi_tier_checkpointing) || on(r.config.enable_emergency_checkpoint)) &&
                      *r.config.local_checkpoint_period <= 0;
             },
             &C::local_checkpoint_period,
             "multi-tier and emergency checkpoints need a local_checkpoint_period above 0"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.enable_multi_tier_checkpointing) &&
                      r.config.multi_tier_checkpointing_backup_interval_minutes.value.has_value() ==
                          r.config.multi_tier_checkpointing_backup_interval_steps.value.has_value();
             },
             &C::enable_multi_tier_checkpointing,
             "enable_multi_tier_checkpointing needs exactly one of multi_tier_checkpointing_backup_interval_minutes "
             "and _steps"},
    Conflict{[](const MaxTextRun& r) {
               const auto& steps = r.config.multi_tier_checkpointing_backup_interval_steps.value;
               return on(r.config.enable_multi_tier_checkpointing) && steps &&
                      *steps < *r.config.local_checkpoint_period;
             },
             &C::multi_tier_checkpointing_backup_interval_steps,
             "multi_tier_checkpointing_backup_interval_steps must be at least local_checkpoint_period"},
};

bool trains_on_images(const MaxTextRun& run) {
  constexpr std::array<std::string_view, 14> models{
      "default",     "gemma3-4b",        "gemma3-12b",      "gemma3-27b",         "gemma4-26b",
      "gemma4-31b",  "llama4-17b-16e",   "llama4-17b-128e", "qwen3-omni-30b-a3b", "qwen3-vl-2b",
      "qwen3-vl-4b", "qwen3-vl-30b-a3b", "qwen3.5-35b-a3b", "qwen3.5-397b-a17b"};
  for (const std::string_view model : models) {
    if (*run.config.model_name == model) return true;
  }
  return false;
}

constexpr std::array training_conflicts{
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_dpo) && on(r.config.packing); }, &C::use_dpo,
             "use_dpo needs packing: false"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_dpo) && *r.config.dataset_type == "tfds"; },
             &C::dataset_type, "use_dpo needs dataset_type: hf or grain"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_sft) && on(r.config.use_dpo); }, &C::use_sft,
             "use_sft and use_dpo are both on: at most one"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_multimodal) && !trains_on_images(r); },
             &C::use_multimodal,
             "use_multimodal is for gemma3, gemma4-26b/31b, llama4, qwen3-omni, qwen3-vl and qwen3.5 models"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.use_multimodal) && on(r.config.use_sft) && !on(r.config.sft_train_on_completion_only);
             },
             &C::sft_train_on_completion_only, "use_sft with use_multimodal needs sft_train_on_completion_only: true"},
    Conflict{
        [](const MaxTextRun& r) { return on(r.config.use_multimodal) && on(r.config.use_sft) && on(r.config.packing); },
        &C::packing, "use_sft with use_multimodal needs packing: false"},
    Conflict{[](const MaxTextRun& r) { return *r.config.distill_beta > 0 && !on(r.config.scan_layers); },
             &C::distill_beta, "distill_beta above 0 needs scan_layers: true"},
    Conflict{[](const MaxTextRun& r) { return *r.config.distill_beta > 0 && !on(r.config.enable_nnx); },
             &C::distill_beta, "distill_beta above 0 needs enable_nnx: true"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.distill_alpha_schedule != "constant" && !r.config.distill_alpha_end.value;
             },
             &C::distill_alpha_schedule, "distill_alpha_schedule other than constant needs distill_alpha_end"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.distill_temperature_schedule != "constant" && !r.config.distill_temperature_end.value;
             },
             &C::distill_temperature_schedule,
             "distill_temperature_schedule other than constant needs distill_temperature_end"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.distill_beta_schedule != "constant" && !r.config.distill_beta_end.value;
             },
             &C::distill_beta_schedule, "distill_beta_schedule other than constant needs distill_beta_end"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.eval_interval > 0 && *r.config.eval_steps <= 0 &&
                      on(r.config.generate_padding_batch_eval);
             },
             &C::eval_steps, "generate_padding_batch_eval needs eval_steps above 0"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.grain_use_elastic_iterator) && *r.config.grain_file_type != "arrayrecord";
             },
             &C::grain_use_elastic_iterator, "grain_use_elastic_iterator needs grain_file_type: arrayrecord"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.grain_use_elastic_iterator) && on(r.config.packing); },
             &C::grain_use_elastic_iterator, "grain_use_elastic_iterator needs packing: false"},
    Conflict{
        [](const MaxTextRun& r) { return on(r.config.grain_use_elastic_iterator) && !on(r.config.use_truncation); },
        &C::grain_use_elastic_iterator, "grain_use_elastic_iterator needs use_truncation: true"},
};

void quantization_options(const MaxTextRun& run, Findings& out) { report_conflicts(quantization_conflicts, run, out); }
void checkpoint_options(const MaxTextRun& run, Findings& out) { report_conflicts(checkpoint_conflicts, run, out); }
void training_options(const MaxTextRun& run, Findings& out) { report_conflicts(training_conflicts, run, out); }

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX704",
      .name = "quantization-options-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Options of quantization go together.",
      .explanation = "The batch-split schedule quantizes with fp8_full or not at all, manual quantization belongs to "
                     "it, Qwix needs the NNX decoder.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_manual_quantization: true\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_manual_quantization: false\n"}},
     quantization_options},
    {{.id = "MX705",
      .name = "checkpoint-options-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Options of checkpoints go together.",
      .explanation = "One source to load from, checkpoints switched on to load one, a folder and a period for local "
                     "ones. Primus's preset switches checkpoints off.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nload_parameters_path: /checkpoints/1\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nload_parameters_path: /checkpoints/1\nenable_checkpointing: true\n"}},
     checkpoint_options},
    {{.id = "MX706",
      .name = "training-options-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Options of fine-tuning, distillation and evaluation go together.",
      .explanation = "Preference training takes unpacked data and no fine-tuning beside it; images need a model that "
                     "sees them; schedules need an end.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_dpo: true\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_dpo: true\npacking: false\n"}},
     training_options},
};

}  // namespace

RuleList option_conflict_rules() { return rules; }

}  // namespace primus_plan::maxtext
