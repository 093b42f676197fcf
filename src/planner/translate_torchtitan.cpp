#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "planner/translate_parts.h"
#include "primus_plan/planner/translate.h"

namespace primus_plan {
namespace {

/// Two stages are what torch gives a rank of an interleaved schedule by itself.
constexpr std::int64_t usual_stages_of_rank = 2;

/// More stages of a rank take a number of layers for each, so that the layers and the weights of embedding and output
/// make as many stages as there are to be. Source: torchtitan/distributed/pipeline_parallel.py:pipeline_llm.
void torchtitan_stages(const Common& run, Carried& out) {
  if (run.degrees.virtual_pipeline <= usual_stages_of_rank) return;
  const std::int64_t stages = run.degrees.pipeline * run.degrees.virtual_pipeline;
  const std::int64_t layers = run.workload.model.layers;
  for (const std::int64_t weight :
       {std::int64_t{0}, std::int64_t{1}}) {  // of embedding and of output; 1 is the default
    const std::int64_t units = layers + 2 * weight;
    const std::int64_t of_stage = (units + stages - 1) / stages;
    if ((units + of_stage - 1) / of_stage != stages || weight > units / stages) continue;
    out.set("parallelism.pipeline_parallel_layers_per_stage", make_integer(of_stage));
    out.set("parallelism.pipeline_parallel_first_stage_less_layers", make_integer(weight));
    out.set("parallelism.pipeline_parallel_last_stage_less_layers", make_integer(weight));
    return;
  }
  throw TranslateError(
      fmt::format("TorchTitan cuts a pipeline by the layers of a stage, and no number of them makes {} stages (PP {} x "
                  "VPP {}) of {} layers",
                  stages, run.degrees.pipeline, run.degrees.virtual_pipeline, layers));
}

void torchtitan_degrees(const Common& run, const Backend& target, Carried& out) {
  torchtitan_stages(run, out);
  Degrees degrees = run.degrees;
  degrees.virtual_pipeline = std::min(degrees.virtual_pipeline, usual_stages_of_rank);
  degrees.expert_data = 0;
  // TorchTitan's expert-parallel ranks are taken from those that share out weights.
  const bool sharded = is_sharded(run) || (run.workload.model.experts > 0 && degrees.expert > 1);
  degrees.data_replicate = sharded ? std::max<std::int64_t>(run.workload.sharding.replicas, 1) : run.degrees.data;
  degrees.data_shard = sharded ? 0 : 1;
  if (run.workload.model.experts == 0) {
    degrees.expert = 1;
    degrees.expert_tensor = 0;
  }
  if (sharded && !is_sharded(run)) {
    out.remarks.emplace_back("sharding: weights are shared out, which TorchTitan's expert parallelism needs");
  }
  ask_for(degrees, run.launch, target, out);
}

void torchtitan_batch(const Common& run, Carried& out) {
  const bool pipelined = run.degrees.pipeline > 1;
  out.set("training.local_batch_size", make_integer(pipelined ? run.pass * run.passes : run.pass));
  out.set("training.global_batch_size", make_integer(run.global));
  out.set("training.seq_len", make_integer(run.sequence_length));
  if (!pipelined) return;
  out.set("parallelism.pipeline_parallel_microbatch_size", make_integer(run.pass));
  out.remarks.emplace_back(
      "batch: TorchTitan cuts each local batch into the pipeline's micro-batches, so one local batch is all of a step");
}

void torchtitan_recompute(const Common& run, Carried& out) {
  const Recompute& recompute = run.workload.recompute;
  if (const std::int64_t named = named_layers(run); named > 0) {
    // Every n-th layer.
    const std::int64_t every = std::max<std::int64_t>((run.workload.model.layers + named / 2) / named, 1);
    out.set("activation_checkpoint.mode", make_string("selective"));
    out.set("activation_checkpoint.selective_ac_option", make_string(fmt::format("{}", every)));
    out.remarks.push_back(fmt::format("recompute: {} of {} layers were named; TorchTitan takes one of each {}", named,
                                      run.workload.model.layers, every));
    return;
  }
  const bool full = recompute.granularity == RecomputeGranularity::full;
  const bool selective = recompute.granularity == RecomputeGranularity::selective;
  out.set("activation_checkpoint.mode", make_string(full ? "full" : selective ? "selective" : "none"));
  if (selective) {
    out.set("activation_checkpoint.selective_ac_option", make_string("op"));
    out.remarks.emplace_back(
        "recompute: TorchTitan's selective keeps the results of matrix products and of attention "
        "and drops the rest, which is not quite what the original drops");
  }
  if (full) tell_full_recompute(run, "TorchTitan's full", out);
}

void torchtitan_sharding(const Common& run, Carried& out) {
  const StateSharding state = run.workload.sharding.state;
  if (state == StateSharding::weights || state == StateSharding::none) return;
  if (run.degrees.pipeline == 1) out.set("parallelism.fsdp_reshard_after_forward", make_string("never"));
  out.remarks.emplace_back(
      "sharding: TorchTitan has no optimizer that shares out its states alone; FSDP that keeps "
      "gathered weights until the backward pass comes nearest");
}

constexpr auto torchtitan_keys = std::to_array<std::string_view>(
    {"lr_scheduler.decay_type", "parallelism.pipeline_parallel_schedule",
     "parallelism.pipeline_parallel_microbatch_size", "parallelism.pipeline_parallel_layers_per_stage",
     "parallelism.fsdp_reshard_after_forward", "activation_checkpoint.mode",
     "activation_checkpoint.selective_ac_option", "lr_scheduler.warmup_steps", "lr_scheduler.min_lr_factor",
     "lr_scheduler.total_steps", "training.mock_data", "model.name", "model.flavor", "model.hf_assets_path",
     "training.mixed_precision_param", "training.mixed_precision_reduce", "model.converters"});

}  // namespace

const TranslateWords torchtitan_words{.framework = "torchtitan",
                                      // Source: torchtitan/config/job_config.py.
                                      .numbers = {{{"optimizer.lr", 8e-4},
                                                   {"optimizer.weight_decay", 0.1},
                                                   {"optimizer.beta1", 0.9},
                                                   {"optimizer.beta2", 0.95},
                                                   {"optimizer.eps", 1e-8},
                                                   {"training.max_norm", 1.0, 1e9},  // 0 clips all of it
                                                   {"training.steps", 10000}}},
                                      .schedule = {.warmup = 200, .final_rate = 0, .decay = "linear"},
                                      .low_precision = "a model preset that ends in -fp8",
                                      .understood = torchtitan_keys,
                                      .degrees = torchtitan_degrees,
                                      .batch = torchtitan_batch,
                                      .recompute = torchtitan_recompute,
                                      .sharding = torchtitan_sharding};

}  // namespace primus_plan
