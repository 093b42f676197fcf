#include "backends/maxtext/rules/conflicts.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

using C = MaxTextConfig;

bool latent(const MaxTextRun& run) { return *run.config.attention_type == "mla"; }

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

void attention_options(const MaxTextRun& run, Findings& out) { report_conflicts(attention_conflicts, run, out); }
void indexer_options(const MaxTextRun& run, Findings& out) { report_conflicts(indexer_conflicts, run, out); }
void model_options(const MaxTextRun& run, Findings& out) { report_conflicts(model_conflicts, run, out); }

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX620",
      .name = "attention-options-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Options of the attention go together.",
      .explanation = "MaxText refuses pairs that exclude each other: two splash kernels, options of latent attention "
                     "without it, shared and fused projections, windows without a size.",
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
};

}  // namespace

RuleList model_conflict_rules() { return rules; }

}  // namespace primus_plan::maxtext
