#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "planner/translate_parts.h"
#include "primus_plan/planner/translate.h"
#include "run/gpus_of_node.h"

namespace primus_plan {
namespace {

/// MaxText's stages are all alike; layers that do not divide stay outside the pipeline.
void maxtext_stages(const Common& run, Carried& out) {
  const std::int64_t chunks = run.degrees.pipeline * std::max<std::int64_t>(run.degrees.virtual_pipeline, 1);
  const std::int64_t layers = run.workload.model.layers;
  const std::int64_t inside = layers - layers % chunks;
  if (inside < 1) {
    throw TranslateError(
        fmt::format("{} layers are fewer than the {} equal stages that MaxText would need", layers, chunks));
  }
  out.set("num_layers_per_pipeline_stage", make_integer(inside / chunks));
  if (run.degrees.virtual_pipeline > 1) out.set("num_pipeline_repeats", make_integer(run.degrees.virtual_pipeline));
  if (inside == layers) return;
  out.set("pipeline_parallel_layers", make_integer(inside));
  out.remarks.push_back(
      fmt::format("pipeline: {} of {} layers do not divide over {} equal stages and run outside of the "
                  "pipeline",
                  layers - inside, layers, chunks));
}

/// Copies of shared-out weights (HSDP): ranks of a node share first, then nodes, as far as one copy goes; the rest is
/// data parallel. The other axes stand already, each in the node as far as it fits.
void maxtext_replicas(const Common& run, Carried& out) {
  const std::int64_t replicas = run.workload.sharding.replicas;
  std::int64_t in_node = gpus_of_node(run.launch);
  std::int64_t nodes = run.launch.world_size / in_node;
  for (const KeyValue& one : out.values) {
    if (one.value->kind != Kind::integer || one.value->integer < 1) continue;
    if (one.key.starts_with("ici_")) in_node /= one.value->integer;
    if (one.key.starts_with("dcn_")) nodes /= one.value->integer;
  }
  const std::int64_t shards = in_node * nodes / replicas;
  const std::int64_t inside = std::gcd(shards, in_node);
  if (shards < 1 || shards * replicas != in_node * nodes || nodes % (shards / inside) != 0) {
    out.remarks.push_back(fmt::format("sharding: {} copies of the weights do not fit MaxText's axes here", replicas));
    return;
  }
  if (inside == in_node && shards == inside) return;  // copies between nodes are the default
  std::erase_if(out.values, [](const KeyValue& one) { return one.key == "ici_fsdp_parallelism"; });
  out.set("ici_fsdp_parallelism", make_integer(inside));
  if (inside < in_node) out.set("ici_data_parallelism", make_integer(in_node / inside));
  out.set("dcn_fsdp_parallelism", make_integer(shards / inside));
  out.set("dcn_data_parallelism", make_integer(nodes / (shards / inside)));
}

void maxtext_degrees(const Common& run, const Backend& target, Carried& out) {
  Degrees degrees = run.degrees;
  const bool sharded = is_sharded(run);
  degrees.data_replicate = sharded && run.workload.sharding.replicas <= 1 ? 1 : 0;
  degrees.virtual_pipeline = 0;
  if (run.workload.model.experts == 0) {
    degrees.expert = 1;
    degrees.expert_tensor = degrees.tensor;
  }
  Carried asked;
  ask_for(degrees, run.launch, target, asked);
  for (KeyValue& change : asked.values) {
    if (change.value->kind == Kind::integer && change.value->integer == 1 && change.key.starts_with("ici_")) continue;
    if (!sharded && change.key == "ici_fsdp_parallelism") {
      out.set("ici_fsdp_parallelism", make_integer(1));
      out.set("ici_data_parallelism", make_integer(-1));
      continue;
    }
    out.values.push_back(std::move(change));
  }
  if (sharded && run.workload.sharding.replicas > 1) maxtext_replicas(run, out);
  if (run.degrees.context > 1)
    out.set("packing", make_boolean(false));  // packed sequences ask for a strategy of their own
  if (run.degrees.pipeline > 1) maxtext_stages(run, out);
}

/// Batches per device: whole numbers stay whole.
NodePtr per_device(std::int64_t samples, std::int64_t devices) {
  if (samples % devices == 0) return make_integer(samples / devices);
  return make_real(static_cast<double>(samples) / static_cast<double>(devices));
}

void maxtext_batch(const Common& run, Carried& out) {
  const bool pipelined = run.degrees.pipeline > 1;
  const std::int64_t steps = pipelined ? 1 : run.passes;
  out.set("per_device_batch_size", per_device(run.global / steps, run.launch.world_size));
  if (steps > 1) out.set("gradient_accumulation_steps", make_integer(steps));
  if (pipelined) out.set("num_pipeline_microbatches", make_integer(run.passes));
  out.set("max_target_length", make_integer(run.sequence_length));
  out.set("dataset_type", make_string("synthetic"));
}

/// MaxText wraps every layer in nn.remat: the policies say what it keeps, and none keeps nothing.
/// Source: src/maxtext/layers/nnx_decoders.py:get_remat_policy.
struct Policy {
  const char* name;
  const char* keeps;
};
constexpr Policy most{"minimal_with_context", "the results of matrix products and of attention"};
constexpr Policy no_attention{"minimal", "the results of matrix products, not of attention"};
constexpr Policy no_feed_forward{"save_dot_with_context_except_mlp", "what attention and its projections give"};

Policy policy_for(const Recompute& recompute) {
  if (recompute.granularity == RecomputeGranularity::none || recompute.elementwise_only) return most;
  if (recompute.kept_share < 1 || recompute.dense_ffn || recompute.experts) return no_feed_forward;
  return recompute.core_attention ? no_attention : most;
}

void maxtext_recompute(const Common& run, Carried& out) {
  const Recompute& recompute = run.workload.recompute;
  if (recompute.granularity == RecomputeGranularity::full || named_layers(run) > 0) {
    out.set("remat_policy", make_string("full"));
    tell_full_recompute(run, "MaxText's full", out);
    return;
  }
  const Policy policy = policy_for(recompute);
  out.set("remat_policy", make_string(policy.name));
  const bool none = recompute.granularity == RecomputeGranularity::none;
  out.remarks.push_back(fmt::format("recompute: {} {} keeps {} and makes the rest again{}",
                                    none ? "the original makes nothing again, MaxText's" : "MaxText's", policy.name,
                                    policy.keeps, none ? "; of its policies that is the least" : ""));
}

void maxtext_sharding(const Common& run, Carried& out) {
  if (run.workload.sharding.state == StateSharding::optimizer ||
      run.workload.sharding.state == StateSharding::gradients) {
    out.remarks.emplace_back(
        "sharding: MaxText's fsdp axis shares out weights and gradients with the optimizer's "
        "states; there is no way to share out the states alone");
  }
}

constexpr auto maxtext_keys = std::to_array<std::string_view>({"model",
                                                               "ici_fsdp_parallelism",
                                                               "ici_data_parallelism",
                                                               "ici_tensor_parallelism",
                                                               "ici_expert_parallelism",
                                                               "ici_context_parallelism",
                                                               "ici_pipeline_parallelism",
                                                               "dcn_fsdp_parallelism",
                                                               "dcn_data_parallelism",
                                                               "dcn_tensor_parallelism",
                                                               "dcn_expert_parallelism",
                                                               "dcn_context_parallelism",
                                                               "dcn_pipeline_parallelism",
                                                               "num_pipeline_repeats",
                                                               "num_pipeline_microbatches",
                                                               "gradient_accumulation_steps",
                                                               "remat_policy",
                                                               "warmup_steps_fraction",
                                                               "learning_rate_final_fraction",
                                                               "dataset_type",
                                                               "model_name",
                                                               "tokenizer_path",
                                                               "per_device_batch_size",
                                                               "dtype",
                                                               "weight_dtype",
                                                               "quantization",
                                                               "scan_layers",
                                                               "base_config",
                                                               "hardware",
                                                               "num_layers_per_pipeline_stage",
                                                               "pipeline_parallel_layers",
                                                               "ici_autoregressive_parallelism",
                                                               "shardy",
                                                               "packing",
                                                               "learning_rate_schedule_steps",
                                                               "max_target_length"});

}  // namespace

const TranslateWords maxtext_words{.framework = "maxtext",
                                   // Source: src/maxtext/configs/base.yml.
                                   .numbers = {{{"learning_rate", 3e-5},
                                                {"adam_weight_decay", 0.1},
                                                {"adam_b1", 0.9},
                                                {"adam_b2", 0.95},
                                                {"adam_eps", 1e-8},
                                                {"gradient_clipping_threshold", 1.0, 0.0},
                                                {"steps", 150001}}},
                                   .schedule = {.warmup = 0.1, .final_rate = 0.1, .decay = "cosine"},
                                   .low_precision = "quantization",
                                   .understood = maxtext_keys,
                                   .degrees = maxtext_degrees,
                                   .batch = maxtext_batch,
                                   .recompute = maxtext_recompute,
                                   .sharding = maxtext_sharding};

}  // namespace primus_plan
