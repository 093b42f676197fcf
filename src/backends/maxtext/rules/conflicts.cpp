#include <array>

#include "backends/maxtext/fields.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

using C = MaxTextConfig;
using Where = Field<C>::Member;

/// Options that MaxText refuses together: all of them stand in types.py as "if this and not that: raise".
struct Conflict {
  bool (*holds)(const MaxTextRun& run);
  Where where;
  std::string_view text;
};

template <std::size_t N>
void report(const std::array<Conflict, N>& conflicts, const MaxTextRun& run, Findings& out) {
  for (const Conflict& conflict : conflicts) {
    if (!conflict.holds(run)) continue;
    std::visit([&](auto member) { out.add(run.config.*member, [&](Message& m) { m.say("{}", conflict.text); }); },
               conflict.where);
  }
}

bool latent(const MaxTextRun& run) { return *run.config.attention_type == "mla"; }
bool on(const Flag& flag) { return *flag; }
bool filled(const Word& word) { return !word.value.empty(); }

constexpr std::array attention_conflicts{
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_tokamax_splash) && on(r.config.use_jax_splash); },
             &C::use_tokamax_splash, "use_tokamax_splash and use_jax_splash are both on: at most one"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.force_q_layout) && !on(r.config.use_jax_splash); },
             &C::force_q_layout, "force_q_layout needs use_jax_splash: true"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_qk_clip) && !latent(r); }, &C::use_qk_clip,
             "use_qk_clip needs latent attention (attention_type: mla)"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.use_qk_clip) && r.config.attn_logits_soft_cap.value.value_or(0) != 0;
             },
             &C::attn_logits_soft_cap, "use_qk_clip does not go with attn_logits_soft_cap"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.experimental_sa_quant_q_fp8) && !latent(r); },
             &C::experimental_sa_quant_q_fp8,
             "experimental_sa_quant_q_fp8 needs latent attention (attention_type: mla)"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.experimental_sa_quant_k_fp8) && !latent(r); },
             &C::experimental_sa_quant_k_fp8,
             "experimental_sa_quant_k_fp8 needs latent attention (attention_type: mla)"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.share_kv_projections) && on(r.config.fused_qkv); },
             &C::share_kv_projections, "share_kv_projections does not go with fused_qkv"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.share_kv_projections) && latent(r); },
             &C::share_kv_projections, "share_kv_projections does not go with latent attention (attention_type: mla)"},
    Conflict{[](const MaxTextRun& r) { return *r.config.num_kv_shared_layers > 0 && on(r.config.fused_qkv); },
             &C::num_kv_shared_layers, "num_kv_shared_layers does not go with fused_qkv"},
    Conflict{
        [](const MaxTextRun& r) { return *r.config.num_kv_shared_layers > 0 && on(r.config.share_kv_projections); },
        &C::num_kv_shared_layers, "num_kv_shared_layers does not go with share_kv_projections"},
    // Python tests the name against a text, not a list: parts of "dot_product" pass as well.
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.moba) &&
                      std::string_view("dot_product").find(*r.config.attention) == std::string_view::npos;
             },
             &C::moba, "moba needs attention: dot_product"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.attention_type == "chunk" && *r.config.chunk_attn_window_size <= 0;
             },
             &C::chunk_attn_window_size, "attention_type: chunk needs a chunk_attn_window_size above 0"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.attention_type == "local_sliding" && *r.config.sliding_window_size <= 0;
             },
             &C::sliding_window_size, "attention_type: local_sliding needs a sliding_window_size above 0"},
    Conflict{[](const MaxTextRun& r) { return *r.config.attention_type == "block_diffusion" && on(r.config.packing); },
             &C::packing, "attention_type: block_diffusion needs packing: false"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.attention_type == "block_diffusion" && *r.config.attention != "dot_product" &&
                      *r.config.hardware != "tpu";
             },
             &C::attention, "attention_type: block_diffusion needs attention: dot_product on GPUs"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.training_objective == "block_diffusion" &&
                      *r.config.attention_type != "block_diffusion";
             },
             &C::training_objective, "training_objective: block_diffusion needs attention_type: block_diffusion"},
    Conflict{[](const MaxTextRun& r) {
               const Int chunk = *r.config.mla_qk_head_chunk_size;
               return chunk > 0 && r.model.query_heads > 0 && r.model.query_heads % chunk != 0;
             },
             &C::mla_qk_head_chunk_size, "mla_qk_head_chunk_size must divide the query heads"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.decoder_block == "deepseek4" && *r.config.attention != "dot_product" &&
                      !(*r.config.attention == "flash" && on(r.config.use_tokamax_splash));
             },
             &C::attention, "deepseek4 decoders need attention: dot_product, or flash with use_tokamax_splash"},
};

constexpr std::array indexer_conflicts{
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_indexer) && !latent(r); }, &C::use_indexer,
             "use_indexer needs latent attention (attention_type: mla)"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_indexer) && latent(r) && *r.config.q_lora_rank == 0; },
             &C::use_indexer, "use_indexer needs a q_lora_rank above 0"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.use_indexer) && *r.config.attention != "dot_product" &&
                      !(*r.config.attention == "flash" && on(r.config.use_tokamax_splash));
             },
             &C::use_indexer, "use_indexer needs attention: dot_product, or flash with use_tokamax_splash"},
    Conflict{[](const MaxTextRun& r) {
               return on(r.config.use_indexer) && *r.config.indexer_loss_scaling_factor > 0 &&
                      *r.config.indexer_topk >= *r.config.max_target_length;
             },
             &C::indexer_topk, "indexer_topk must lie below max_target_length when the indexer has a loss"},
    Conflict{
        [](const MaxTextRun& r) { return !on(r.config.use_indexer) && *r.config.indexer_cutoff_threshold != "remat"; },
        &C::indexer_cutoff_threshold, "indexer_cutoff_threshold needs use_indexer: true"},
};

constexpr std::array model_conflicts{
    Conflict{[](const MaxTextRun& r) {
               const std::string_view block = *r.config.decoder_block;
               return *r.config.partial_rotary_factor != 1.0 && block != "qwen3_next" && block != "qwen3_5";
             },
             &C::partial_rotary_factor, "partial_rotary_factor is for qwen3_next and qwen3_5 decoders"},
    Conflict{[](const MaxTextRun& r) {
               const std::string_view block = *r.config.decoder_block;
               const Int heads = *r.config.gdn_num_key_heads;
               return (block == "qwen3_next" || block == "qwen3_5") &&
                      (heads == 0 || *r.config.gdn_num_value_heads % heads != 0);
             },
             &C::gdn_num_value_heads, "gdn_num_value_heads must be a multiple of gdn_num_key_heads"},
    Conflict{[](const MaxTextRun& r) {
               return *r.config.decoder_block == "qwen3_custom_moe" &&
                      *r.config.moe_expert_input_dim != *r.config.attention_output_dim;
             },
             &C::moe_expert_input_dim, "qwen3_custom_moe needs moe_expert_input_dim equal to attention_output_dim"},
    Conflict{[](const MaxTextRun& r) { return *r.config.decoder_block == "deepseek4" && *r.config.mtp_num_layers > 0; },
             &C::mtp_num_layers, "deepseek4 decoders have no multi-token prediction (mtp_num_layers: 0)"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.rope_pairwise) && !on(r.config.rope_interleave); },
             &C::rope_pairwise, "rope_pairwise needs rope_interleave: true"},
    Conflict{[](const MaxTextRun& r) { return r.parsed.deepstack && on(r.config.scan_layers); }, &C::scan_layers,
             "deepstack_visual_indexes_for_vit needs scan_layers: false"},
    Conflict{[](const MaxTextRun& r) {
               return (*r.config.model_name == "gemma4-e2b" || *r.config.model_name == "gemma4-e4b") &&
                      on(r.config.scan_layers);
             },
             &C::scan_layers, "gemma4-e2b and gemma4-e4b need scan_layers: false"},
    Conflict{[](const MaxTextRun& r) { return r.parsed.bad_compress_ratio != 0; }, &C::compress_ratios,
             "compress_ratios are 0 or at least 4"},
    Conflict{[](const MaxTextRun& r) { return on(r.config.use_mhc_pallas_kernel) && !on(r.config.enable_mhc_lite); },
             &C::use_mhc_pallas_kernel, "use_mhc_pallas_kernel needs enable_mhc_lite: true"},
    Conflict{[](const MaxTextRun& r) {
               return r.parsed.engram && (!filled(r.config.hf_access_token) || !filled(r.config.tokenizer_path));
             },
             &C::engram_layers, "engram_layers need hf_access_token and tokenizer_path"},
};

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

void attention_options(const MaxTextRun& run, Findings& out) { report(attention_conflicts, run, out); }
void indexer_options(const MaxTextRun& run, Findings& out) { report(indexer_conflicts, run, out); }
void model_options(const MaxTextRun& run, Findings& out) { report(model_conflicts, run, out); }
void quantization_options(const MaxTextRun& run, Findings& out) { report(quantization_conflicts, run, out); }
void checkpoint_options(const MaxTextRun& run, Findings& out) { report(checkpoint_conflicts, run, out); }
void training_options(const MaxTextRun& run, Findings& out) { report(training_conflicts, run, out); }

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX620",
      .name = "attention-options-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Options of the attention go together.",
      .explanation = "MaxText refuses pairs that exclude each other: two splash kernels, options of latent attention "
                     "without it, shared and fused\n"
                     "projections, windows without a size.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nforce_q_layout: true\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nforce_q_layout: true\nuse_jax_splash: true\n"}},
     attention_options},
    {{.id = "MX621",
      .name = "indexer-options-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "The sparse indexer has the attention that it needs.",
      .explanation = "DeepSeek's sparse attention selects tokens with an indexer, which MaxText has for latent "
                     "attention with dot products.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nindexer_cutoff_threshold: device\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nindexer_cutoff_threshold: remat\n"}},
     indexer_options},
    {{.id = "MX622",
      .name = "model-options-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Options of the model fit its decoder.",
      .explanation = "Some options exist for one decoder only, or need another beside them.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\npartial_rotary_factor: 0.5\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\npartial_rotary_factor: 1.0\n"}},
     model_options},
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
                     "ones. Primus's preset switches\n"
                     "checkpoints off.",
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
                     "sees them; schedules need an\n"
                     "end.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_dpo: true\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_dpo: true\npacking: false\n"}},
     training_options},
};

}  // namespace

RuleList conflict_rules() { return rules; }

}  // namespace primus_plan::maxtext
