// Every rule about a word of a closed set offers the word that is meant, or none: never another value.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "primus_plan/backends/example.h"
#include "primus_plan/diagnostics/edits.h"

namespace primus_plan {
namespace {

/// `before` + word + `after` is the file.
struct Typed {
  const char* rule;
  const char* word;
  const char* meant;  ///< what the fix writes; empty where none is clear
  const char* before;
  const char* after = "";
};

constexpr const char* batch = "micro_batch_size: 1\nglobal_batch_size: 8\n";

// The whole file of a Megatron row is `batch` and what stands here.
constexpr Typed megatron_words[] = {
    {"MG511", "adma", "adam", "optimizer: "},
    {"MG511", "adamw", "adam", "optimizer: "},
    {"MG511", "lion", "", "optimizer: "},
    {"MG701", "selectiv", "selective", "recompute_granularity: "},
    {"MG701", "Full", "full", "recompute_granularity: ", "\nrecompute_method: uniform\nrecompute_num_layers: 1"},
    {"MG701", "some", "", "recompute_granularity: "},
    {"MG702", "blok", "block", "recompute_granularity: full\nrecompute_num_layers: 1\nrecompute_method: "},
    {"MG702", "all", "", "recompute_granularity: full\nrecompute_num_layers: 1\nrecompute_method: "},
    {"MG767", "flsh", "flash", "attention_backend: "},
    {"MG767", "unfusd", "unfused", "attention_backend: "},
    {"MG767", "xformers", "", "attention_backend: "},
    {"MG108", "uc", "", "pipeline_model_parallel_comm_backend: "},
    {"MG108", "ncl", "nccl", "pipeline_model_parallel_comm_backend: "},
    {"MG759", "locl", "local", "non_persistent_ckpt_type: "},
    {"MG759", "both", "", "non_persistent_ckpt_type: "},
    {"MG742", "blockwize", "blockwise", "fp8: hybrid\nfp8_recipe: "},
    {"MG742", "block", "blockwise", "fp8: hybrid\nfp8_recipe: "},
    {"MG742", "mxfp-8", "mxfp8", "fp8: hybrid\nfp8_recipe: "},
    {"MG742", "rowwise", "", "fp8: hybrid\nfp8_recipe: "},
    {"MG426", "sigmod", "sigmoid", "num_experts: 8\nmoe_router_score_function: "},
    {"MG426", "relu", "", "num_experts: 8\nmoe_router_score_function: "},
    {"MG415", "all_gather", "allgather", "num_experts: 8\nmoe_token_dispatcher_type: "},
    {"MG415", "all", "", "num_experts: 8\nmoe_token_dispatcher_type: "},
    {"MG561", "optim_grad", "optim_grads",
     "use_megatron_fsdp: true\nckpt_format: fsdp_dtensor\ndata_parallel_sharding_strategy: "},
    {"MG561", "zero3", "", "use_megatron_fsdp: true\nckpt_format: fsdp_dtensor\ndata_parallel_sharding_strategy: "},
    {"MG751", "locale", "local", "cuda_graph_impl: "},
    {"MG751", "full", "", "cuda_graph_impl: "},
    {"MG752", "atn", "attn", "cuda_graph_impl: transformer_engine\ncuda_graph_scope: [", "]"},
    {"MG752", "attention", "", "cuda_graph_impl: transformer_engine\ncuda_graph_scope: [", "]"},
    {"MG228", "cylic", "cyclic", "dataloader_type: "},
    {"MG228", "batch", "", "dataloader_type: "},
    {"MG523", "float32", "fp32", "main_grads_dtype: "},
    {"MG523", "BFloat16", "bf16", "main_grads_dtype: "},
    {"MG523", "fp64", "", "main_grads_dtype: "},
    {"MG418", "deep_ep", "deepep",
     "num_experts: 8\nmoe_grouped_gemm: true\nmoe_token_dispatcher_type: flex\nexpert_model_parallel_size: 8\n"
     "moe_flex_dispatcher_backend: "},
    {"MG418", "nccl", "",
     "num_experts: 8\nmoe_grouped_gemm: true\nmoe_token_dispatcher_type: flex\nexpert_model_parallel_size: 8\n"
     "moe_flex_dispatcher_backend: "},
    {"MG683", "yarm", "yarn", "multi_latent_attention: true\napply_rope_fusion: false\nrope_type: "},
    {"MG683", "linear", "", "multi_latent_attention: true\napply_rope_fusion: false\nrope_type: "},
    {"MG351", "zero_bubble", "zero-bubble",
     "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\npp_algorithm: "},
    {"MG351", "zb-h1", "",
     "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\npp_algorithm: "},
    {"MG380", "non", "none", "mtp_num_layers: 1\nadd_position_embedding: true\nposition_embedding_type: "},
    {"MG380", "alibi", "", "mtp_num_layers: 1\nadd_position_embedding: true\nposition_embedding_type: "},
    {"MG461", "block", "blockwise", "enable_primus_turbo: true\nuse_turbo_gemm: true\nfp8: hybrid\nfp8_recipe: "},
    {"MG461", "delayed", "tensorwise", "enable_primus_turbo: true\nuse_turbo_gemm: true\nfp8: hybrid\nfp8_recipe: "},
    {"MG461", "rowwise", "", "enable_primus_turbo: true\nuse_turbo_gemm: true\nfp8: hybrid\nfp8_recipe: "},
    {"MG713", "layer_norm", "layernorm", "recompute_granularity: selective\nrecompute_modules: [", "]"},
    {"MG713", "attn", "", "recompute_granularity: selective\nrecompute_modules: [", "]"},
    {"MG727", "core-attn", "core_attn", "num_layers: 24\nfine_grained_activation_offloading: true\noffload_modules: [",
     "]"},
    {"MG107", "dp-replica", "dp_replica", "use_sharp: true\nsharp_enabled_group: "},
    {"MG107", "pp", "", "use_sharp: true\nsharp_enabled_group: "},
    {"MG810", "cosin", "cosine", "lr_decay_style: "},
    {"MG810", "step", "", "lr_decay_style: "},
    {"MG811", "transformer-engine", "transformer_engine", "transformer_impl: "},
};

constexpr Typed other_words[] = {
    {"TT562", "asynch", "async", "checkpoint:\n  enable: true\n  async_mode: ", "\ntraining:\n  seq_len: 2048\n"},
    {"TT562", "never", "", "checkpoint:\n  enable: true\n  async_mode: ", "\ntraining:\n  seq_len: 2048\n"},
    {"TT563", "bf16", "bfloat16", "checkpoint:\n  enable: true\n  export_dtype: ", "\ntraining:\n  seq_len: 2048\n"},
    {"TT563", "int8", "", "checkpoint:\n  enable: true\n  export_dtype: ", "\ntraining:\n  seq_len: 2048\n"},
    {"TT267", "cosin", "cosine", "lr_scheduler:\n  decay_type: ", "\ntraining:\n  seq_len: 2048\n"},
    {"TT726", "rowwis", "rowwise", "quantize:\n  linear:\n    float8:\n      recipe_name: ",
     "\nmodel:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
     "primus_turbo:\n  use_turbo_float8_linear: false\ntraining:\n  seq_len: 2048\n"},
    {"TT701", "Full", "full", "activation_checkpoint:\n  mode: ", "\ntraining:\n  seq_len: 2048\n"},
    {"TT701", "selectiv", "selective", "activation_checkpoint:\n  mode: ", "\ntraining:\n  seq_len: 2048\n"},
    {"TT701", "some", "", "activation_checkpoint:\n  mode: ", "\ntraining:\n  seq_len: 2048\n"},
    {"TT702", "OP", "op", "activation_checkpoint:\n  mode: selective\n  selective_ac_option: "},
    {"TT702", "every2", "", "activation_checkpoint:\n  mode: selective\n  selective_ac_option: "},
    {"TT712", "fp32", "float32", "training:\n  mixed_precision_reduce: "},
    {"TT712", "float23", "float32", "training:\n  dtype: "},
    {"TT712", "bf16", "bfloat16", "training:\n  mixed_precision_param: "},
    {"TT712", "fp16", "float16", "training:\n  mixed_precision_param: "},
    {"TT712", "fp8", "", "training:\n  mixed_precision_param: "},
    {"TT552", "Adm", "Adam", "optimizer:\n  name: "},
    {"TT552", "adamw", "AdamW", "optimizer:\n  name: "},
    {"TT552", "SGD", "", "optimizer:\n  name: "},
    {"TT553", "for_loop", "for-loop", "optimizer:\n  implementation: "},
    {"TT553", "fast", "", "optimizer:\n  implementation: "},
    {"TT501", "alway", "always", "parallelism:\n  fsdp_reshard_after_forward: "},
    {"TT501", "nevr", "never", "parallelism:\n  fsdp_reshard_after_forward: "},
    {"TT501", "yes_please", "", "parallelism:\n  fsdp_reshard_after_forward: "},
    {"TT613", "head_tail", "headtail",
     "model:\n  name: llama3\n  flavor: 8B\n  converters: []\nparallelism:\n  context_parallel_degree: 2\n"
     "  context_parallel_load_balancer: "},
    {"TT613", "zigzag", "",
     "model:\n  name: llama3\n  flavor: 8B\n  converters: []\nparallelism:\n  context_parallel_degree: 2\n"
     "  context_parallel_load_balancer: "},
    {"TT616", "FLEX", "flex", "model:\n  name: llama3\n  flavor: 8B\n  attn_type: "},
    {"TT616", "flash", "", "model:\n  name: llama3\n  flavor: 8B\n  attn_type: "},
    {"TT256", "c4_tests", "c4_test", "training:\n  dataset: "},
    {"TT256", "fineweb", "", "training:\n  dataset: "},
    {"TT815", "deep_ep", "deepep", "parallelism:\n  expert_parallel_comm_backend: "},
    {"TT815", "nccl", "", "parallelism:\n  expert_parallel_comm_backend: "},
    {"MX605", "allgather", "all_gather",
     "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\ncontext_parallel_strategy: "},
    {"MX605", "a2a", "", "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\ncontext_parallel_strategy: "},
    {"MX609", "contxt", "context", "per_device_batch_size: 1\ncontext_sharding: "},
    {"MX609", "tensor", "", "per_device_batch_size: 1\ncontext_sharding: "},
    {"MX702", "dot-product", "dot_product", "per_device_batch_size: 1\nattention: "},
    {"MX702", "cudnn_flash", "", "per_device_batch_size: 1\nattention: "},
    {"MX703", "disable", "disabled", "per_device_batch_size: 1\nte_comm_gemm_overlap: "},
    {"MX703", "off_please", "", "per_device_batch_size: 1\nte_comm_gemm_overlap: "},
    {"MX113", "ring", "", "allow_split_physical_axes: true\ncustom_mesh: "},
    {"MX803", "fp32", "float32", "per_device_batch_size: 1\nmodel_name: llama3-8b\ndtype: "},
    {"MX803", "tpuu", "tpu", "per_device_batch_size: 1\nmodel_name: llama3-8b\nhardware: "},
    {"MX803", "llama3-7b", "", "per_device_batch_size: 1\nmodel_name: "},
    {"MX701", "minimal-flash", "minimal_flash", "per_device_batch_size: 1\nmodel_name: llama3-8b\nremat_policy: "},
    {"MX701", "some", "", "per_device_batch_size: 1\nmodel_name: llama3-8b\nremat_policy: "},
};

const ExampleChecker& checker() {
  static const ExampleChecker checker;
  return checker;
}

void expect_offer(const Typed& typed, const std::string& start) {
  const std::string before = start + typed.before;
  const std::string text = before + typed.word + typed.after + "\n";
  const std::string about = std::string(typed.rule) + " of " + text;
  const Example example{.world_size = 8, .yaml = text};
  const CheckedExample report = checker().check(example, text);
  std::string written;
  bool fired = false;
  for (const Finding& finding : report.findings) {
    if (finding.rule->id != typed.rule) continue;
    fired = true;
    for (const Fix& fix : finding.fixes) {
      ASSERT_EQ(fix.edits.size(), 1U) << about;
      const TextChange change = text_change(fix.edits[0]).value();
      EXPECT_EQ(change.begin, before.size()) << about;
      EXPECT_EQ(change.end, before.size() + std::string_view(typed.word).size()) << about;
      written += change.replacement;
    }
  }
  EXPECT_TRUE(fired) << about;
  EXPECT_EQ(written, typed.meant) << about;
}

TEST(MistypedWords, OfMegatron) {
  for (const Typed& typed : megatron_words) expect_offer(typed, batch);
}

TEST(MistypedWords, OfTorchTitanAndMaxText) {
  for (const Typed& typed : other_words) expect_offer(typed, "");
}

}  // namespace
}  // namespace primus_plan
