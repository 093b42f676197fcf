#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "planner/translate_parts.h"

namespace primus_plan {
namespace {

/// Layers of each stage, chunk by chunk over the ranks: the run's own where its stages are plain, else as even as they
/// go.
std::vector<std::int64_t> stage_layers(const Common& run) {
  const auto& stages = run.workload.run.stages;
  const std::int64_t ranks = run.degrees.pipeline;
  const std::int64_t chunks = std::max<std::int64_t>(run.degrees.virtual_pipeline, 1);
  const std::int64_t layers = run.workload.model.layers;
  std::vector<std::int64_t> out;
  std::int64_t sum = 0;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (const std::vector<StageChunk>& rank : stages) {
      if (static_cast<std::int64_t>(rank.size()) != chunks) continue;
      out.push_back(rank[static_cast<std::size_t>(chunk)].layers);
      sum += out.back();
    }
  }
  if (static_cast<std::int64_t>(out.size()) == ranks * chunks && sum == layers) return out;
  out.assign(static_cast<std::size_t>(ranks * chunks), layers / (ranks * chunks));
  for (std::int64_t i = 0; i < layers % (ranks * chunks); ++i) ++out[static_cast<std::size_t>(i)];
  return out;
}

/// Stages that are not alike are written out, a letter for each layer.
void megatron_stages(const Common& run, Carried& out) {
  const std::int64_t stages = run.degrees.pipeline * std::max<std::int64_t>(run.degrees.virtual_pipeline, 1);
  if (stages < 2 || run.workload.model.layers % stages == 0) return;
  std::string text = "E";
  const std::vector<std::int64_t> layers = stage_layers(run);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) text += '|';
    text += std::string(static_cast<std::size_t>(layers[i]), 't');
  }
  text += std::string(static_cast<std::size_t>(std::max<std::int64_t>(run.workload.model.mtp_depth, 0)), 'm') + 'L';
  std::erase_if(out.values, [](const KeyValue& v) { return v.key == "num_virtual_stages_per_pipeline_rank"; });
  out.set("pipeline_model_parallel_layout", make_string(std::move(text)));
}

void megatron_degrees(const Common& run, const Backend& target, Carried& out) {
  Degrees degrees = run.degrees;
  if (degrees.expert_tensor == degrees.tensor || run.workload.model.experts == 0) degrees.expert_tensor = 0;
  if (run.workload.model.experts == 0) degrees.expert = 1;
  ask_for(degrees, run.launch, target, out);
  // What TorchTitan always does and MaxText leaves to XLA.
  out.set("sequence_parallel", make_boolean(degrees.tensor > 1));
  megatron_stages(run, out);
}

void megatron_batch(const Common& run, Carried& out) {
  out.set("micro_batch_size", make_integer(run.pass));
  out.set("global_batch_size", make_integer(run.global));
  out.set("seq_length", make_integer(run.sequence_length));
  out.set("max_position_embeddings", make_integer(run.sequence_length));
}

/// Policies that keep less than this drop feed-forward blocks, too; those that keep more, norms and activation
/// functions (MaxText's minimal ones keep about two thirds of a layer, TorchTitan's single operations 45 %).
constexpr double keeps_feed_forward = 0.5;

/// The modules that the planner's levels recompute, too: backends/megatron/candidate.cpp.
void megatron_selective(const Common& run, Carried& out) {
  const bool heavy = run.workload.recompute.kept_share < keeps_feed_forward;
  const bool experts = run.workload.model.experts > 0;
  std::vector<NodePtr> modules{make_string("layernorm")};
  if (experts) modules.push_back(make_string(heavy ? "moe" : "moe_act"));
  if (heavy && !experts) modules.push_back(make_string("mlp"));
  out.set("recompute_granularity", make_string("selective"));
  out.set("recompute_modules", make_sequence(std::move(modules)));
  out.remarks.push_back(
      fmt::format("recompute: Megatron's selective drops norms and {}; what it keeps is not quite what the other "
                  "framework keeps",
                  heavy ? "feed-forward blocks" : "activation functions of experts"));
}

void megatron_recompute(const Common& run, Carried& out) {
  const Recompute& recompute = run.workload.recompute;
  if (recompute.offloaded > 0) {
    out.remarks.emplace_back("recompute: activations that the original keeps in host memory stay on the GPU");
  }
  if (const std::int64_t named = named_layers(run); named > 0) {
    const std::int64_t chunks = run.degrees.pipeline * std::max<std::int64_t>(run.degrees.virtual_pipeline, 1);
    out.set("recompute_granularity", make_string("full"));
    out.set("recompute_method", make_string("block"));
    out.set("recompute_num_layers", make_integer(std::max<std::int64_t>((named + chunks - 1) / chunks, 1)));
    out.remarks.emplace_back("recompute: the first layers of each stage are recomputed, as many as were all over it");
    return;
  }
  if (recompute.granularity == RecomputeGranularity::full) {
    out.set("recompute_granularity", make_string("full"));
    out.set("recompute_method", make_string("uniform"));
    out.set("recompute_num_layers", make_integer(1));
  } else if (recompute.elementwise_only) {
    out.remarks.emplace_back(
        "recompute: the compiler makes norms and activation functions again; Megatron without recompute keeps them");
  } else if (recompute.granularity == RecomputeGranularity::selective) {
    megatron_selective(run, out);
  }
}

/// FSDP2 as Primus's experiments have it. It takes no pipeline, no expert parallelism and no tied embeddings.
void set_fsdp2(const Common& run, Carried& out) {
  out.set("use_torch_fsdp2", make_boolean(true));
  out.set("use_distributed_optimizer", make_boolean(false));
  out.set("overlap_grad_reduce", make_boolean(false));
  out.set("overlap_param_gather", make_boolean(false));
  out.set("gradient_accumulation_fusion", make_boolean(false));
  out.set("ckpt_format", make_string("torch_dist"));
  if (run.workload.sharding.replicas > 1) {
    out.remarks.emplace_back(
        fmt::format("sharding: FSDP2 shares the weights out over all data-parallel ranks, not in {} copies",
                    run.workload.sharding.replicas));
  }
}

void megatron_sharding(const Common& run, Carried& out) {
  const bool weights = run.workload.sharding.state == StateSharding::weights;
  const bool tied = run.workload.model.tied_embeddings;
  if (weights && run.degrees.pipeline <= 1 && run.degrees.expert <= 1 && !tied) {
    set_fsdp2(run, out);
    return;
  }
  out.set("use_distributed_optimizer", make_boolean(is_sharded(run)));
  if (is_sharded(run) && run.workload.sharding.replicas > 1) {
    out.remarks.emplace_back(
        fmt::format("sharding: the distributed optimizer shares its states out over all data-parallel ranks, not in {} "
                    "copies",
                    run.workload.sharding.replicas));
  }
  if (weights) {
    out.set("overlap_grad_reduce", make_boolean(true));
    out.set("overlap_param_gather", make_boolean(true));
    out.remarks.emplace_back(
        "sharding: the distributed optimizer shares out the optimizer's states alone, while the "
        "weights and gradients, which FSDP shares out too, stay whole on each rank");
  }
}

constexpr auto megatron_keys = std::to_array<std::string_view>({"model",
                                                                "sequence_parallel",
                                                                "max_position_embeddings",
                                                                "lr_decay_style",
                                                                "recompute_granularity",
                                                                "recompute_method",
                                                                "recompute_num_layers",
                                                                "recompute_modules",
                                                                "use_distributed_optimizer",
                                                                "use_torch_fsdp2",
                                                                "overlap_grad_reduce",
                                                                "overlap_param_gather",
                                                                "num_virtual_stages_per_pipeline_rank",
                                                                "virtual_pipeline_model_parallel_size",
                                                                "num_layers_per_virtual_pipeline_stage",
                                                                "min_lr",
                                                                "lr_warmup_iters",
                                                                "lr_warmup_fraction",
                                                                "lr_decay_iters",
                                                                "mock_data",
                                                                "gradient_accumulation_fusion",
                                                                "data_parallel_sharding_strategy",
                                                                "overlap_p2p_comm",
                                                                "use_megatron_fsdp",
                                                                "model_parallel_size",
                                                                "fp8",
                                                                "fp8_recipe",
                                                                "bf16",
                                                                "fp16",
                                                                "accumulate_allreduce_grads_in_fp32"});

}  // namespace

const TranslateWords megatron_words{.framework = "megatron",
                                    // Source: megatron/training/arguments.py.
                                    .numbers = {{{"lr", {}},
                                                 {"weight_decay", 0.01},
                                                 {"adam_beta1", 0.9},
                                                 {"adam_beta2", 0.999},
                                                 {"adam_eps", 1e-8},
                                                 {"clip_grad", 1.0, 0.0},
                                                 {"train_iters", {}}}},
                                    .schedule = {.warmup = 0, .final_rate = 0, .decay = "linear"},
                                    .low_precision = "fp8",
                                    .understood = megatron_keys,
                                    .degrees = megatron_degrees,
                                    .batch = megatron_batch,
                                    .recompute = megatron_recompute,
                                    .sharding = megatron_sharding};

}  // namespace primus_plan
