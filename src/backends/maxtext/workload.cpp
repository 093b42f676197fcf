#include "backends/maxtext/workload.h"

#include <algorithm>

#include "backends/common/describe.h"
#include "backends/common/impossible_batch.h"
#include "backends/common/layer_kinds.h"
#include "backends/maxtext/describe.h"
#include "backends/maxtext/dimensions.h"
#include "backends/maxtext/flops.h"
#include "backends/maxtext/remat.h"

namespace primus_plan::maxtext {
namespace {

constexpr Int most_layers = 1'000'000;  // no model has more; bounds the work on hostile numbers

/// Bytes of one logit with its copies: float32 logits (cast_logits_to_fp32 is on by default) and the bfloat16 ones that
/// they come from, which XLA overwrites with gradients; a soft cap keeps its own float32 copy.
constexpr double logit_bytes = 6;
constexpr double capped_logit_bytes = 10;

bool is_gemma2(const MaxTextRun& run) { return block_of(run) == Block::gemma2; }

/// gemma2's layers are pairs.
Int layer_count(const MaxTextRun& run) { return run.model.layers * (is_gemma2(run) ? 2 : 1); }

bool layer_has_experts(const MaxTextRun& run, Int layer) {
  if (!run.is_moe()) return false;
  switch (block_of(run)) {
    case Block::deepseek:
      return layer >= *run.config.first_num_dense_layers;
    case Block::llama4: {
      const Int step = *run.config.interleave_moe_layer_step;
      return step > 0 && layer % step == step - 1;
    }
    default:
      return true;
  }
}

LayerKind layer_kind(const MaxTextRun& run, Int layer) {
  const MaxTextConfig& config = run.config;
  const std::string_view type = *config.attention_type;
  LayerKind out;
  out.feed_forward = layer_has_experts(run, layer) ? FeedForward::experts : FeedForward::dense;
  if (type == "mla") out.mixer = Mixer::latent_attention;
  if (type == "local_sliding") out.window = *config.sliding_window_size;
  if (type == "chunk") {
    out.window = *config.chunk_attn_window_size;
    out.chunked = true;
  }
  const Block block = block_of(run);
  const Int cycle = attention_cycle(run);
  if (cycle <= 0) return out;
  const bool global = layer % cycle == cycle - 1;
  if (block == Block::qwen3_next) {
    if (!global) out.mixer = Mixer::gated_delta;
  } else if (!global) {
    out.chunked = block == Block::llama4;
    out.window = out.chunked ? *config.chunk_attn_window_size : *config.sliding_window_size;
  } else if (block == Block::gemma4 || block == Block::gemma4_small) {
    out.head_width = *config.global_head_dim;
    out.kv_heads = *config.global_num_kv_heads;
  }
  return out;
}

void describe_attention(const MaxTextRun& run, ModelShape& out) {
  const MaxTextConfig& config = run.config;
  out.heads = run.model.query_heads;
  out.kv_heads = run.model.key_heads;
  out.head_width = out.value_width = *config.head_dim;
  out.qkv_bias = *config.attention_bias;
  // attentions.py:Attention norms q and k with weights, but for llama4's, whose L2 norm has none.
  out.qk_norm = *config.use_qk_norm && block_of(run) != Block::llama4;
  out.rope_base = std::max<Int>(*config.rope_max_timescale, 0);
  if (*config.attention_type == "mla") {
    out.kv_heads = out.heads;
    out.q_rank = *config.q_lora_rank;
    out.kv_rank = *config.kv_lora_rank;
    out.nope_width = *config.qk_nope_head_dim;
    out.rope_width = *config.qk_rope_head_dim;
    out.head_width = out.nope_width + out.rope_width;
    out.value_width = *config.v_head_dim;
    out.qk_norm = true;  // attention_mla.py:MLA norms its latents, whatever use_qk_norm says
  }
  if (block_of(run) != Block::qwen3_next) return;
  out.output_gate = true;  // Qwen3NextFullAttention projects q and its gate at once
  out.linear_key_heads = *config.gdn_num_key_heads;
  out.linear_value_heads = *config.gdn_num_value_heads;
  out.linear_key_width = *config.gdn_key_head_dim;
  out.linear_value_width = *config.gdn_value_head_dim;
  out.convolution = *config.gdn_conv_kernel_dim;
}

/// How full the experts' buffers are made: capacity_factor, and without one the dense product that gives every expert
/// every token. Source: src/maxtext/layers/moe.py:RoutedMoE.
double capacity_of(const MaxTextConfig& config) {
  if (*config.sparse_matmul) return 0;
  if (*config.capacity_factor > 0) return *config.capacity_factor;
  return static_cast<double>(*config.num_experts) / static_cast<double>(std::max<Int>(*config.num_experts_per_tok, 1));
}

void describe_feed_forward(const MaxTextRun& run, ModelShape& out) {
  const MaxTextConfig& config = run.config;
  const bool any_dense = expert_layers(run) < run.model.layers;
  out.gated = up_projections(run) > 1;
  out.ffn = any_dense ? run.model.mlp : 0;
  if (!run.is_moe()) return;
  out.experts = *config.num_experts;
  out.experts_per_token = *config.num_experts_per_tok;
  out.expert_ffn = run.model.moe_mlp;
  out.shared_ffn = shared_width(run);
  if (block_of(run) == Block::qwen3_custom_moe) out.latent_width = std::max<Int>(*config.moe_expert_input_dim, 0);
  out.capacity_factor = capacity_of(config);
}

ModelShape shape_of(const MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  ModelShape out;
  out.layers = layer_count(run);
  out.hidden = run.model.embedding;
  out.vocabulary = out.padded_vocabulary = *config.vocab_size;
  out.tied_embeddings = *config.logits_via_embedding;
  out.learned_positions = std::max<Int>(*config.trainable_position_size, 0);
  // A limit that the model file or the user states; the default of base.yml says nothing of the model.
  const Node* positions = run.layers.values->get("max_position_embeddings");
  if (positions != nullptr && positions->kind == Kind::integer)
    out.longest_sequence = std::max<Int>(positions->integer, 0);
  const bool gpt3 = *config.decoder_block == "gpt3";
  out.biases = gpt3 || (*config.mlp_bias && *config.attention_bias);
  out.layer_norm_bias = gpt3;
  out.mtp_depth = *config.mtp_num_layers;
  describe_attention(run, out);
  describe_feed_forward(run, out);
  for (Int layer = 0; layer < out.layers; ++layer) append_layer(out.kinds, layer_kind(run, layer));
  return out;
}

NumberFormat format_of(std::string_view name) {
  if (name == "bfloat16") return NumberFormat::bf16;
  if (name == "float16") return NumberFormat::fp16;
  return NumberFormat::fp32;
}

struct Quantization {
  std::string_view name;
  NumberFormat compute;
  ScalingRecipe recipe;
};
/// Integer quantization is left out: it is emulated in training.
constexpr Quantization quantizations[] = {
    {"fp8", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"fp8_full", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"fp8_gpu", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"fp8_nanoo", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"nanoo_fp8", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"fp8_e4m3", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"fp8_e5m2", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"te_fp8_delayedscaling", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"te_fp8_currentscaling", NumberFormat::fp8, ScalingRecipe::per_tensor},
    {"te_mxfp8", NumberFormat::fp8, ScalingRecipe::microscaling},
    {"te_nvfp4", NumberFormat::fp4, ScalingRecipe::microscaling},
    {"te_nvfp4_no_rht", NumberFormat::fp4, ScalingRecipe::microscaling},
    {"fp4", NumberFormat::fp4, ScalingRecipe::microscaling},
};

Precision precision_of(const MaxTextConfig& config) {
  Precision out;
  out.compute = format_of(*config.dtype);
  for (const Quantization& entry : quantizations) {
    if (entry.name != *config.quantization) continue;
    out.compute = entry.compute;
    out.recipe = entry.recipe;
  }
  const NumberFormat weights = format_of(*config.weight_dtype);
  // The optimizer updates the weights themselves; Optax keeps its moments in their format unless mu_dtype says another.
  out.weights = out.main_weights = out.second_moment = weights;
  out.separate_main_weights = false;
  out.first_moment = config.mu_dtype.value.empty() ? weights : format_of(*config.mu_dtype);
  // train.py casts only float32 gradients.
  out.gradients = weights == NumberFormat::fp32 ? format_of(*config.grad_dtype) : weights;
  return out;
}

Sharding sharding_of(const MaxTextRun& run) {
  Sharding out;
  out.replicas = std::max<Int>(run.degrees.data_replicate, 1);
  out.dense_shards = std::max<Int>(run.degrees.data_shard, 1);
  // The experts are dealt out first; the rest of the axes share each of them.
  const Int experts = std::max<Int>(run.degrees.expert, 1);
  out.expert_shards = std::max<Int>(out.dense_shards / experts, 1);
  if (out.dense_shards > 1 || out.expert_shards > 1) out.state = StateSharding::weights;
  out.whole_unit_buffers = out.state == StateSharding::weights;
  out.keeps_gathered_weights = *run.config.pipeline_fsdp_ag_once && run.pipelined();
  out.offloaded_optimizer = *run.config.optimizer_memory_host_offload ? 1 : 0;
  out.offloaded_weights = *run.config.parameter_memory_host_offload;
  return out;
}

Kernels kernels_of(const MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  Kernels out;
  out.flash_attention = *config.attention != "dot_product";
  out.loss_chunks = std::max<Int>(*config.num_vocab_tiling, 1);
  out.logit_bytes = *config.final_logits_soft_cap > 0 ? capped_logit_bytes : logit_bytes;
  out.transformer_engine = false;
  out.separate_gradient_buffers = false;
  out.compiled = true;
  out.all_experts_same_load = *config.use_random_routing;
  out.context_all_to_all = *config.context_parallel_strategy == "ulysses";
  return out;
}

/// Where the samples do not fill the batch shards, XLA pads: every shard computes as many as the fullest.
void pad_batch(const MaxTextRun& run, Batch& batch) {
  const Int samples = run.batch_sizes.micro;
  const Int shards = run.degrees.data;
  if (batch.micro <= 0 && samples >= 1 && shards >= 1) batch.micro = samples / shards + (samples % shards != 0 ? 1 : 0);
}

/// A micro-batch of the pipeline is a part of what the devices take at once. One loop runs all forward passes, every
/// micro-batch through a repeat before the next; its gradient is taken after it.
/// Source: src/maxtext/layers/pipeline.py, get_microbatch_and_repeat_ids and __call__.
void describe_schedule(const MaxTextRun& run, Workload& out) {
  if (run.pipeline_stages < 2) return;
  out.schedule = *run.config.num_pipeline_repeats > 1 ? ScheduleKind::circular : ScheduleKind::gpipe;
  const Int parts = out.run.batch.pipeline_micro_batches;
  if (parts > 0) out.run.batch.micro = out.run.batch.micro / parts + (out.run.batch.micro % parts != 0 ? 1 : 0);
}

void describe_unknowns(const MaxTextRun& run, Workload& out) {
  const MaxTextConfig& config = run.config;
  if (*config.decoder_block == "deepseek4") out.unknown.emplace_back("compressed attention");
  if (block_of(run) == Block::gemma4_small) out.unknown.emplace_back("per-layer embeddings");
  if (*config.use_indexer) out.unknown.emplace_back("the attention indexer");
  if (engram_layer_count(run) > 0) out.unknown.emplace_back("engram layers");
  if (*config.use_multimodal) out.unknown.emplace_back("the vision encoder");
  leave_out_unresolved_degrees(out);
  if (run.mesh.resolved) leave_out_impossible_batch(out, "whole samples on a device", "max_target_length");
}

Optimizer optimizer_of(const MaxTextConfig& config) {
  // optax.sgd(learning_rate_schedule): src/maxtext/optimizers/optimizers.py, get_optimizer.
  if (*config.opt_type == "sgd") return Optimizer::plain_sgd;
  return *config.opt_type == "muon" ? Optimizer::muon : Optimizer::adam;
}

WorkloadKeys keys_of(const MaxTextConfig& config) {
  return {.layers = key_of(config.base_num_decoder_layers),
          .hidden = key_of(config.base_emb_dim),
          .heads = key_of(config.base_num_query_heads),
          .kv_heads = key_of(config.base_num_kv_heads),
          .ffn = key_of(config.base_mlp_dim),
          .vocabulary = key_of(config.vocab_size),
          .experts = key_of(config.num_experts),
          .experts_per_token = key_of(config.num_experts_per_tok),
          .expert_ffn = key_of(config.base_moe_mlp_dim),
          .precision = config.quantization.value.empty() ? key_of(config.dtype) : key_of(config.quantization),
          .gradients = config.weight_dtype.value == "float32" ? key_of(config.grad_dtype) : key_of(config.weight_dtype),
          .sharding = key_of(config.ici_fsdp_parallelism),
          .recompute = key_of(config.remat_policy),
          .fused_loss = key_of(config.num_vocab_tiling)};
}

/// What the estimates lack of the model; empty when nothing.
std::string_view unknown_dimensions(const MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  const ModelSizes& model = run.model;
  if (model.embedding <= 0 || model.layers <= 0 || model.query_heads <= 0) return "the dimensions of the model";
  if (model.layers > most_layers) return "layers beyond 1,000,000";
  const std::string_view trouble = trouble_with_dimensions({model.embedding,
                                                            model.query_heads,
                                                            model.key_heads,
                                                            model.mlp,
                                                            *config.head_dim,
                                                            *config.vocab_size,
                                                            *config.num_experts,
                                                            *config.num_experts_per_tok,
                                                            *config.shared_experts,
                                                            *config.first_num_dense_layers,
                                                            *config.sliding_window_size,
                                                            *config.chunk_attn_window_size,
                                                            *config.kv_lora_rank,
                                                            *config.q_lora_rank,
                                                            *config.qk_nope_head_dim,
                                                            *config.qk_rope_head_dim,
                                                            *config.v_head_dim,
                                                            *config.global_head_dim,
                                                            *config.global_num_kv_heads,
                                                            *config.gdn_num_key_heads,
                                                            *config.gdn_num_value_heads,
                                                            *config.gdn_key_head_dim,
                                                            *config.gdn_value_head_dim,
                                                            *config.gdn_conv_kernel_dim,
                                                            *config.mtp_num_layers,
                                                            *config.num_kv_shared_layers,
                                                            *config.engram_max_ngram_size,
                                                            *config.image_size_for_vit,
                                                            *config.tile_size_for_vit});
  return trouble.empty() && run.is_moe() ? trouble_with_dimensions({model.moe_mlp}) : trouble;
}

}  // namespace

Workload workload(const MaxTextRun& run) {
  Workload out;
  out.run = describe(run);
  out.keys = keys_of(run.config);
  out.counted_as = FlopsCount::maxtext;
  out.runtime = Runtime::xla;
  if (const std::string_view fact = unknown_dimensions(run); !fact.empty()) {
    out.unknown.push_back(fact);
    return out;
  }
  out.model = shape_of(run);
  if (is_gemma2(run)) {
    for (auto& chunks : out.run.stages) {
      for (StageChunk& chunk : chunks) {
        chunk.first_layer *= 2;
        chunk.layers *= 2;
      }
    }
  }
  out.precision = precision_of(run.config);
  out.sharding = sharding_of(run);
  out.recompute = recompute_of(run, out.model);
  out.overlap = {.tensor = false,
                 .gradient_reduce = true,
                 .parameter_gather = true,
                 .expert = false,
                 .pipeline = *run.config.pipeline_delay_activation_forwarding};
  out.kernels = kernels_of(run);
  out.optimizer = optimizer_of(run.config);
  out.sequence_parallel = run.degrees.tensor > 1;
  pad_batch(run, out.run.batch);
  describe_schedule(run, out);
  describe_unknowns(run, out);
  out.counted_flops_per_token = counted_flops_per_token(run);
  return out;
}

}  // namespace primus_plan::maxtext
