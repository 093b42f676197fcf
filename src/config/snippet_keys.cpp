#include "config/snippet_keys.h"

#include <algorithm>

namespace primus_plan {
namespace {

constexpr SnippetBackend backends[] = {
    {"megatron", "Megatron", "language_model.yaml"},
    {"torchtitan", "TorchTitan", "llama3_8B.yaml"},
    {"maxtext", "MaxText", "llama3_8B.yaml"},
};

enum class Match : std::uint8_t { whole, start, part, section };

struct TellingKey {
  Match match;
  std::string_view text;
  std::string_view framework;  ///< empty: shared
};

/// The first that matches decides. Keys that only presets can place are looked up there.
constexpr TellingKey telling_keys[] = {
    {Match::section, "parallelism", "torchtitan"},
    {Match::section, "training", "torchtitan"},
    {Match::section, "activation_checkpoint", "torchtitan"},
    {Match::section, "checkpoint", "torchtitan"},
    {Match::section, "comm", "torchtitan"},
    {Match::section, "compile", "torchtitan"},
    {Match::section, "debug", "torchtitan"},
    {Match::section, "experimental", "torchtitan"},
    {Match::section, "fault_tolerance", "torchtitan"},
    {Match::section, "job", "torchtitan"},
    {Match::section, "lr_scheduler", "torchtitan"},
    {Match::section, "memory_estimation", "torchtitan"},
    {Match::section, "metrics", "torchtitan"},
    {Match::section, "model", "torchtitan"},
    {Match::section, "optimizer", "torchtitan"},
    {Match::section, "primus_turbo", "torchtitan"},
    {Match::section, "profiling", "torchtitan"},
    {Match::section, "quantize", "torchtitan"},
    {Match::section, "validation", "torchtitan"},

    {Match::whole, "adam_eps", ""},
    {Match::whole, "eval_interval", ""},
    {Match::whole, "kv_lora_rank", ""},
    {Match::whole, "max_position_embeddings", ""},
    {Match::whole, "mscale", ""},
    {Match::whole, "mtp_loss_scaling_factor", ""},
    {Match::whole, "mtp_num_layers", ""},
    {Match::whole, "num_experts", ""},
    {Match::whole, "q_lora_rank", ""},
    {Match::whole, "rope_type", ""},
    {Match::whole, "tokenizer_type", ""},
    {Match::whole, "v_head_dim", ""},
    {Match::whole, "vocab_size", ""},

    {Match::start, "ici_", "maxtext"},
    {Match::start, "dcn_", "maxtext"},
    {Match::start, "base_", "maxtext"},
    {Match::start, "remat_", "maxtext"},
    {Match::start, "per_device_", "maxtext"},
    {Match::start, "eval_per_device_", "maxtext"},
    {Match::part, "_parallelism", "maxtext"},
    {Match::part, "_sharding_strategy", "megatron"},
    {Match::part, "sharding", "maxtext"},
    {Match::whole, "attention", "maxtext"},
    {Match::whole, "capacity_factor", "maxtext"},
    {Match::whole, "custom_mesh", "maxtext"},
    {Match::whole, "dataset_type", "maxtext"},
    {Match::whole, "enable_checkpointing", "maxtext"},
    {Match::whole, "gradient_accumulation_steps", "maxtext"},
    {Match::whole, "gradient_clipping_threshold", "maxtext"},
    {Match::whole, "hardware", "maxtext"},
    {Match::whole, "learning_rate", "maxtext"},
    {Match::whole, "max_target_length", "maxtext"},
    {Match::whole, "megablox", "maxtext"},
    {Match::whole, "mesh_axes", "maxtext"},
    {Match::whole, "model_name", "maxtext"},
    {Match::whole, "num_experts_per_tok", "maxtext"},
    {Match::whole, "num_layers_per_pipeline_stage", "maxtext"},
    {Match::whole, "num_pipeline_microbatches", "maxtext"},
    {Match::whole, "num_pipeline_repeats", "maxtext"},
    {Match::whole, "optimizer_memory_host_offload", "maxtext"},
    {Match::whole, "opt_type", "maxtext"},
    {Match::whole, "pipeline_parallel_layers", "maxtext"},
    {Match::whole, "quantization", "maxtext"},
    {Match::whole, "scan_layers", "maxtext"},
    {Match::whole, "shard_mode", "maxtext"},
    {Match::whole, "sparse_matmul", "maxtext"},
    {Match::whole, "steps", "maxtext"},
    {Match::whole, "weight_dtype", "maxtext"},

    {Match::whole, "parallelism", "torchtitan"},  // a section with a wrong value
    {Match::part, "parallel", "megatron"},
    {Match::part, "batch_size", "megatron"},
    {Match::part, "fsdp", "megatron"},
    {Match::part, "pipeline", "megatron"},
    {Match::part, "turbo", "megatron"},
    {Match::start, "cp_comm", "megatron"},
    {Match::start, "cuda_graph", "megatron"},
    {Match::start, "decoder_", "megatron"},
    {Match::start, "fp4", "megatron"},
    {Match::start, "fp8", "megatron"},
    {Match::start, "lr", "megatron"},
    {Match::start, "moe_", "megatron"},
    {Match::start, "num_layers", "megatron"},
    {Match::start, "overlap_", "megatron"},
    {Match::start, "recompute_", "megatron"},
    {Match::start, "tp_comm_", "megatron"},
    {Match::start, "train_", "megatron"},
};

bool matches(const TellingKey& telling, std::string_view key, bool is_section) {
  if (is_section != (telling.match == Match::section)) return false;  // the flat keys take no mappings
  switch (telling.match) {
    case Match::whole:
      return key == telling.text;
    case Match::start:
      return key.starts_with(telling.text);
    case Match::part:
      return key.find(telling.text) != std::string_view::npos;
    case Match::section:
      break;
  }
  return key == telling.text;
}

}  // namespace

std::span<const SnippetBackend> snippet_backends() { return backends; }

KeyOwner owner_of_key(std::string_view key, bool is_section) {
  const auto found =
      std::ranges::find_if(telling_keys, [&](const TellingKey& telling) { return matches(telling, key, is_section); });
  if (found == std::end(telling_keys)) return {};
  return {.framework = found->framework, .shared = found->framework.empty()};
}

}  // namespace primus_plan
