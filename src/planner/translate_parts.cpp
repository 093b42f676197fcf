#include "planner/translate_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "primus_plan/planner/translate.h"

namespace primus_plan {
namespace {

/// Asks for the degrees; those of 1 are left to the target's presets, which have 1 too.
void ask_for(Degrees degrees, const Backend& target, Carried& out) {
  const auto overrides = target.degree_overrides(degrees);
  if (overrides.empty()) {
    throw TranslateError(fmt::format("{} cannot have these degrees: TP {}, PP {}, VPP {}, CP {}, EP {}, ETP {}",
                                     target.title(), degrees.tensor, degrees.pipeline, degrees.virtual_pipeline,
                                     degrees.context, degrees.expert, degrees.expert_tensor));
  }
  for (const auto& [key, value] : overrides) out.set(key, override_value(value));
}

bool is_sharded(const Common& run) { return run.workload.sharding.state != StateSharding::none; }

// ---- Megatron ----

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
  ask_for(degrees, target, out);
  // What TorchTitan always does and MaxText leaves to XLA.
  out.set("sequence_parallel", make_boolean(degrees.tensor > 1));
  if (run.workload.model.experts > 0 && run.workload.model.mtp_depth == 0) out.set("mtp_num_layers", make_null());
  megatron_stages(run, out);
}

void megatron_batch(const Common& run, Carried& out) {
  out.set("micro_batch_size", make_integer(run.pass));
  out.set("global_batch_size", make_integer(run.global));
  out.set("seq_length", make_integer(run.sequence_length));
  out.set("max_position_embeddings", make_integer(run.sequence_length));
}

void megatron_recompute(const Common& run, Carried& out) {
  switch (run.workload.recompute.granularity) {
    case RecomputeGranularity::none:
      return;
    case RecomputeGranularity::selective:
      out.set("recompute_granularity", make_string("selective"));
      out.set("recompute_modules", make_sequence({make_string("core_attn")}));
      out.remarks.emplace_back(
          "recompute: Megatron's selective drops the attention core; what it keeps is not quite "
          "what the other framework keeps");
      return;
    case RecomputeGranularity::full:
      out.set("recompute_granularity", make_string("full"));
      out.set("recompute_method", make_string("uniform"));
      out.set("recompute_num_layers", make_integer(1));
      return;
  }
}

void megatron_sharding(const Common& run, Carried& out) {
  out.set("use_distributed_optimizer", make_boolean(is_sharded(run)));
  if (run.workload.sharding.state == StateSharding::weights) {
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
                                                                "lr_decay_iters",
                                                                "mock_data",
                                                                "gradient_accumulation_fusion",
                                                                "data_parallel_sharding_strategy",
                                                                "overlap_p2p_comm",
                                                                "use_megatron_fsdp",
                                                                "decoder_first_pipeline_num_layers",
                                                                "decoder_last_pipeline_num_layers",
                                                                "pipeline_model_parallel_layout",
                                                                "model_parallel_size",
                                                                "fp8",
                                                                "fp8_recipe",
                                                                "bf16",
                                                                "moe_router_force_load_balancing",
                                                                "accumulate_allreduce_grads_in_fp32"});

// ---- TorchTitan ----

void torchtitan_degrees(const Common& run, const Backend& target, Carried& out) {
  Degrees degrees = run.degrees;
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
  ask_for(degrees, target, out);
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
  const bool full = recompute.granularity == RecomputeGranularity::full;
  const bool selective = recompute.granularity == RecomputeGranularity::selective;
  out.set("activation_checkpoint.mode", make_string(full ? "full" : selective ? "selective" : "none"));
  if (selective) {
    out.set("activation_checkpoint.selective_ac_option", make_string("op"));
    out.remarks.emplace_back(
        "recompute: TorchTitan's selective keeps the results of matrix products and of attention "
        "and drops the rest, which is more than Megatron's drops");
  }
  if (full && recompute.method == RecomputeMethod::block) {
    out.remarks.push_back(fmt::format("recompute: {} layers of each stage were recomputed; TorchTitan's full takes all",
                                      recompute.layers));
  }
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
     "training.mock_data", "model.name", "model.flavor", "model.hf_assets_path", "training.mixed_precision_param",
     "training.mixed_precision_reduce", "model.converters"});

// ---- MaxText ----

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
  ask_for(degrees, target, asked);
  for (KeyValue& change : asked.values) {
    if (change.value->kind == Kind::integer && change.value->integer == 1 && change.key.starts_with("ici_")) continue;
    if (!sharded && change.key == "ici_fsdp_parallelism") {
      out.set("ici_fsdp_parallelism", make_integer(1));
      out.set("ici_data_parallelism", make_integer(-1));
      continue;
    }
    out.values.push_back(std::move(change));
  }
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
  out.set("per_device_batch_size", per_device(run.global / steps, run.world_size));
  if (steps > 1) out.set("gradient_accumulation_steps", make_integer(steps));
  if (pipelined) out.set("num_pipeline_microbatches", make_integer(run.passes));
  out.set("max_target_length", make_integer(run.sequence_length));
  out.set("dataset_type", make_string("synthetic"));
}

void maxtext_recompute(const Common& run, Carried& out) {
  switch (run.workload.recompute.granularity) {
    case RecomputeGranularity::none:
      out.set("remat_policy", make_string("none"));
      return;
    case RecomputeGranularity::selective:
      out.set("remat_policy", make_string("minimal_with_context"));
      out.remarks.emplace_back(
          "recompute: minimal_with_context keeps the results of matrix products and of attention "
          "and makes the rest again");
      return;
    case RecomputeGranularity::full:
      out.set("remat_policy", make_string("full"));
      return;
  }
}

void maxtext_sharding(const Common& run, Carried& out) {
  if (run.workload.sharding.state == StateSharding::optimizer ||
      run.workload.sharding.state == StateSharding::gradients) {
    out.remarks.emplace_back(
        "sharding: MaxText's fsdp axis shares out weights and gradients with the optimizer's "
        "states; there is no way to share out the states alone");
  }
}

constexpr auto maxtext_keys = std::to_array<std::string_view>({"ici_fsdp_parallelism",
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
                                                               "max_target_length"});

constexpr TranslateWords megatron_words{
    .framework = "megatron",
    .numbers = {"lr", "weight_decay", "adam_beta1", "adam_beta2", "adam_eps", "clip_grad", "train_iters"},
    .low_precision = "fp8",
    .understood = megatron_keys,
    .degrees = megatron_degrees,
    .batch = megatron_batch,
    .recompute = megatron_recompute,
    .sharding = megatron_sharding};
constexpr TranslateWords torchtitan_words{
    .framework = "torchtitan",
    .numbers = {"optimizer.lr", "optimizer.weight_decay", "optimizer.beta1", "optimizer.beta2", "optimizer.eps",
                "training.max_norm", "training.steps"},
    .low_precision = "a model preset that ends in -fp8",
    .understood = torchtitan_keys,
    .degrees = torchtitan_degrees,
    .batch = torchtitan_batch,
    .recompute = torchtitan_recompute,
    .sharding = torchtitan_sharding};
constexpr TranslateWords maxtext_words{.framework = "maxtext",
                                       .numbers = {"learning_rate", "adam_weight_decay", "adam_b1", "adam_b2",
                                                   "adam_eps", "gradient_clipping_threshold", "steps"},
                                       .low_precision = "quantization",
                                       .understood = maxtext_keys,
                                       .degrees = maxtext_degrees,
                                       .batch = maxtext_batch,
                                       .recompute = maxtext_recompute,
                                       .sharding = maxtext_sharding};
constexpr std::array<const TranslateWords*, 3> all_words{&megatron_words, &torchtitan_words, &maxtext_words};

std::optional<double> number_at(const Module& module, std::string_view key) {
  const Node* value = module.params->at_path(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->kind == Kind::integer ? static_cast<double>(value->integer) : value->real;
}

std::string word_at(const Module& module, std::string_view key) {
  const Node* value = module.params->at_path(key);
  return value != nullptr && value->is_string() ? value->text : std::string();
}

/// A learning-rate schedule: the peak, the steps to it, and the part of the peak that it ends at.
struct Schedule {
  std::optional<double> warmup_steps;
  std::optional<double> final_fraction;
  std::string decay;  ///< "cosine", "linear"; other words are one framework's own
};

Schedule schedule_of(const Module& module, const TranslateWords& from) {
  Schedule out;
  if (from.framework == "megatron") {
    out.decay = word_at(module, "lr_decay_style");
    out.warmup_steps = number_at(module, "lr_warmup_iters");
    const auto lr = number_at(module, "lr");
    const auto least = number_at(module, "min_lr");
    if (lr && least && *lr > 0) out.final_fraction = *least / *lr;
  } else if (from.framework == "torchtitan") {
    out.decay = word_at(module, "lr_scheduler.decay_type");
    out.warmup_steps = number_at(module, "lr_scheduler.warmup_steps");
    out.final_fraction = number_at(module, "lr_scheduler.min_lr_factor");
  } else {
    out.decay = "cosine";
    const auto steps = number_at(module, "steps");
    const auto part = number_at(module, "warmup_steps_fraction");
    if (steps && part) out.warmup_steps = *steps * *part;
    out.final_fraction = number_at(module, "learning_rate_final_fraction");
  }
  return out;
}

/// Six digits: what a quotient of two written numbers is worth.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 6 - std::ceil(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

}  // namespace

void carry_schedule(const Module& module, const TranslateWords& from, const TranslateWords& to, const Common& /*run*/,
                    Carried& out) {
  const Schedule schedule = schedule_of(module, from);
  const auto steps = number_at(module, from.numbers.back());
  const auto lr = number_at(module, from.numbers.front());
  if (schedule.warmup_steps) {
    const auto whole = static_cast<std::int64_t>(std::llround(*schedule.warmup_steps));
    if (to.framework == "megatron") {
      // Megatron wants a warm-up that ends before the training does; TorchTitan cuts it on its own.
      const auto longest = steps ? std::max<std::int64_t>(std::llround(*steps) - 1, 0) : whole;
      out.set("lr_warmup_iters", make_integer(std::min(whole, longest)));
      if (whole > longest) {
        out.remarks.push_back(
            fmt::format("learning rate: a warm-up of {} steps is longer than the training and is cut", whole));
      }
    }
    if (to.framework == "torchtitan") out.set("lr_scheduler.warmup_steps", make_integer(whole));
    if (to.framework == "maxtext" && steps && *steps > 0) {
      out.set("warmup_steps_fraction", make_real(rounded(std::min(1.0, *schedule.warmup_steps / *steps))));
    }
  }
  const bool is_shared = schedule.decay == "cosine" || schedule.decay == "linear";
  if (is_shared && to.framework == "megatron") out.set("lr_decay_style", make_string(schedule.decay));
  if (is_shared && to.framework == "torchtitan") out.set("lr_scheduler.decay_type", make_string(schedule.decay));
  if (!schedule.decay.empty() && schedule.decay != "cosine" && to.framework == "maxtext") {
    out.remarks.push_back(fmt::format("learning rate: MaxText decays along a cosine, not {}", schedule.decay));
  }
  if (!schedule.final_fraction) return;
  if (to.framework == "megatron" && lr) out.set("min_lr", make_real(rounded(*lr * *schedule.final_fraction)));
  if (to.framework == "torchtitan") out.set("lr_scheduler.min_lr_factor", make_real(rounded(*schedule.final_fraction)));
  if (to.framework == "maxtext") out.set("learning_rate_final_fraction", make_real(rounded(*schedule.final_fraction)));
}

Common common_terms(const Analysis& analysis) {
  const RunDescription& run = analysis.run;
  Common out{.workload = *analysis.workload,
             .degrees = run.degrees,
             .world_size = run.launch.world_size,
             .global = run.batch.global,
             .sequence_length = run.batch.sequence_length,
             .pass = run.batch.micro};
  if (run.batch.pipeline_micro_batches > 0) out.pass = run.batch.micro / run.batch.pipeline_micro_batches;
  if (out.pass < 1 || run.degrees.data < 1 || out.global < 1 || out.sequence_length < 1) {
    throw TranslateError("the batch of this run is no whole number of samples on each rank");
  }
  out.passes = out.global / (out.pass * run.degrees.data);
  if (out.passes < 1) throw TranslateError("the batch of this run is less than one micro-batch");
  return out;
}

std::span<const TranslateWords* const> translate_words() { return all_words; }

}  // namespace primus_plan
