#include <algorithm>
#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sharding.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* fsdp_buffers =
    "megatron/core/distributed/fsdp/src/megatron_fsdp/param_and_grad_buffer.py:__init__";

constexpr std::array<std::string_view, 4> strategies{"no_shard", "optim", "optim_grads", "optim_grads_params"};

bool is_strategy(const Word& word) {
  return std::find(strategies.begin(), strategies.end(), *word) != strategies.end();
}

void checkpoint_format(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  // With torch FSDP2 the format is judged as that one's.
  const bool dtensors = *config.ckpt_format == "fsdp_dtensor";
  if (dtensors == *config.use_megatron_fsdp || *config.use_torch_fsdp2) return;
  out.add(dtensors ? config.ckpt_format.origin : config.use_megatron_fsdp.origin, [&](Message& m) {
    if (dtensors) {
      m.say("ckpt_format fsdp_dtensor is for use_megatron_fsdp, which is off");
      m.also(config.use_megatron_fsdp).help("ckpt_format: torch_dist");
      m.fix("set ckpt_format to torch_dist", config.ckpt_format, "torch_dist");
    } else {
      m.say("use_megatron_fsdp saves as ckpt_format fsdp_dtensor, not {}",
            is_set(config.ckpt_format) ? *config.ckpt_format : "null");
      m.also(config.ckpt_format).help("ckpt_format: fsdp_dtensor (the Primus trainer preset says torch_dist)");
      m.fix("set ckpt_format to fsdp_dtensor", config.ckpt_format, "fsdp_dtensor");
    }
  });
}

void strategy_unknown(const MegatronRun& run, Findings& out) {
  const Word& strategy = run.config.data_parallel_sharding_strategy;
  if (!*run.config.use_megatron_fsdp || is_strategy(strategy)) return;
  out.add(strategy, [&](Message& m) {
    m.say("data_parallel_sharding_strategy {} is none that Megatron-FSDP knows", is_set(strategy) ? *strategy : "null");
    m.help("strategies: no_shard, optim (ZeRO-1), optim_grads (ZeRO-2), optim_grads_params (ZeRO-3)");
    offer_word(m, strategy, strategies);
  });
}

void strategy_without_fsdp(const MegatronRun& run, Findings& out) {
  const Word& strategy = run.config.data_parallel_sharding_strategy;
  if (*run.config.use_megatron_fsdp || *strategy == "no_shard" || !is_asked_for(strategy)) return;
  out.add(strategy, [&](Message& m) {
    m.say("data_parallel_sharding_strategy {} has no effect without use_megatron_fsdp",
          is_set(strategy) ? *strategy : "null");
    m.also(run.config.use_megatron_fsdp);
    m.help("use_megatron_fsdp: true with ckpt_format: fsdp_dtensor; or drop the key");
  });
}

void outer_strategy(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.use_megatron_fsdp || optimizer_instances(run) <= 1) return;
  if (*config.outer_dp_sharding_strategy == "no_shard" || !is_strategy(config.data_parallel_sharding_strategy)) return;
  if (*config.data_parallel_sharding_strategy == "optim_grads_params") return;
  out.add(config.outer_dp_sharding_strategy, [&](Message& m) {
    m.say(
        "outer_dp_sharding_strategy {} over {} replicas needs data_parallel_sharding_strategy optim_grads_params, not "
        "{}",
        is_set(config.outer_dp_sharding_strategy) ? *config.outer_dp_sharding_strategy : "null",
        optimizer_instances(run), *config.data_parallel_sharding_strategy);
    m.also(config.data_parallel_sharding_strategy).also(config.num_distributed_optimizer_instances);
    if (*config.outer_dp_sharding_strategy == "optim")  // MG811 has a word for others
      m.fix("set outer_dp_sharding_strategy to no_shard", config.outer_dp_sharding_strategy, "no_shard");
  });
}

void with_pipeline(const MegatronRun& run, Findings& out) {
  const Count& pipeline = run.config.pipeline_model_parallel_size;
  if (!*run.config.use_megatron_fsdp || *run.config.use_torch_fsdp2 || *pipeline <= 1) return;
  out.add(pipeline, [&](Message& m) {
    m.say("use_megatron_fsdp builds a mesh of DP x CP x TP = {} ranks, not the {} of a pipeline with PP {}",
          run.dp() * run.cp() * run.tp(), run.world(), run.pp());
    m.also(run.config.use_megatron_fsdp);
    m.help("pipeline_model_parallel_size: 1");
    m.fix("set pipeline_model_parallel_size to 1", pipeline, "1");
  });
}

void weight_hash(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const MaybeCount& interval = config.check_weight_hash_across_dp_replicas_interval;
  if (!*config.use_megatron_fsdp || !interval.value) return;
  if (*config.data_parallel_sharding_strategy != "optim_grads_params") return;
  out.add(interval, [&](Message& m) {
    m.say("{} {} compares replicas of the weights, and optim_grads_params keeps none", interval.key, *interval.value);
    m.also(config.data_parallel_sharding_strategy);
    m.fix("set it to null", interval, "null");
  });
}

void manual_registration(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.fsdp_manual_registration || (*config.use_megatron_fsdp && *config.nccl_ub)) return;
  out.add(config.fsdp_manual_registration, [&](Message& m) {
    const Flag& missing = *config.use_megatron_fsdp ? config.nccl_ub : config.use_megatron_fsdp;
    m.say("fsdp_manual_registration needs {}, which is off", missing.key);
    m.also(missing);
    m.help("it registers the buffers of Megatron-FSDP that nccl_ub asks for");
    m.fix("switch fsdp_manual_registration off", config.fsdp_manual_registration, "false");
  });
}

void shards_nothing(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.use_megatron_fsdp || *config.use_torch_fsdp2) return;
  if (*config.data_parallel_sharding_strategy != "no_shard") return;
  out.add(config.use_megatron_fsdp, [&](Message& m) {
    m.say("use_megatron_fsdp with data_parallel_sharding_strategy no_shard keeps gradients and parameters whole");
    m.also(config.data_parallel_sharding_strategy);
    m.help("data_parallel_sharding_strategy: optim_grads_params shards everything (ZeRO-3)");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG560",
      .name = "megatron-fsdp-checkpoint-format",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Megatron-FSDP saves as fsdp_dtensor, and nothing else does.",
      .explanation = "The sharded parameters are DTensors in Megatron-FSDP's own layout. The Primus trainer preset has "
                     "ckpt_format: torch_dist.",
      .bad = {.world_size = 8,
              .yaml = "use_megatron_fsdp: true\n"
                      "gradient_accumulation_fusion: false\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"}},
     checkpoint_format},
    {{.id = "MG561",
      .name = "megatron-fsdp-strategy-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = fsdp_buffers,
      .outcome = "Megatron stops when it wraps the model (ValueError)",
      .summary = "data_parallel_sharding_strategy is no_shard, optim, optim_grads or optim_grads_params.",
      .explanation =
          "They shard nothing, the optimizer's state, gradients as well, parameters as well (ZeRO-1 to ZeRO-3).",
      .bad = {.world_size = 8,
              .yaml = "use_megatron_fsdp: true\n"
                      "ckpt_format: fsdp_dtensor\n"
                      "gradient_accumulation_fusion: false\n"
                      "data_parallel_sharding_strategy: full\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"
                       "data_parallel_sharding_strategy: optim_grads_params\n"}},
     strategy_unknown},
    {{.id = "MG562",
      .name = "sharding-strategy-without-fsdp",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "megatron/training/training.py:get_model",
      .outcome = "Megatron ignores the key",
      .summary = "data_parallel_sharding_strategy acts only with use_megatron_fsdp.",
      .explanation = "Without Megatron-FSDP, use_distributed_optimizer decides what is sharded.",
      .bad = {.world_size = 8, .yaml = "num_layers: 24\ndata_parallel_sharding_strategy: optim_grads\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"
                       "data_parallel_sharding_strategy: optim_grads\n"}},
     strategy_without_fsdp},
    {{.id = "MG563",
      .name = "outer-sharding-unsupported",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = fsdp_buffers,
      .outcome = "Megatron stops when it wraps the model (NotImplementedError)",
      .summary = "outer_dp_sharding_strategy needs data_parallel_sharding_strategy optim_grads_params.",
      .explanation = "With num_distributed_optimizer_instances above 1 Megatron-FSDP shards within a replica, and "
                     "outer_dp_sharding_strategy over the replicas too.",
      .bad = {.world_size = 8,
              .yaml = "use_megatron_fsdp: true\n"
                      "ckpt_format: fsdp_dtensor\n"
                      "gradient_accumulation_fusion: false\n"
                      "num_distributed_optimizer_instances: 2\n"
                      "outer_dp_sharding_strategy: optim\n"
                      "data_parallel_sharding_strategy: optim\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"
                       "num_distributed_optimizer_instances: 2\n"
                       "outer_dp_sharding_strategy: optim\n"
                       "data_parallel_sharding_strategy: optim_grads_params\n"}},
     outer_strategy},
    {{.id = "MG564",
      .name = "megatron-fsdp-with-pipeline",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/distributed/fsdp/mcore_fsdp_adapter.py:_get_dp_tp_mesh",
      .outcome = "Megatron stops when it wraps the model (EinopsError)",
      .summary = "Megatron-FSDP needs PP = 1.",
      .explanation = "Nothing checks it, but the device mesh covers all ranks with DP x CP x TP only. With a pipeline "
                     "the sizes do not fit.",
      .bad = {.world_size = 8,
              .yaml = "use_megatron_fsdp: true\n"
                      "ckpt_format: fsdp_dtensor\n"
                      "gradient_accumulation_fusion: false\n"
                      "pipeline_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"
                       "pipeline_model_parallel_size: 1\n"}},
     with_pipeline},
    {{.id = "MG566",
      .name = "weight-hash-without-replicas",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "check_weight_hash_across_dp_replicas_interval needs replicas of the weights.",
      .explanation = "With optim_grads_params each rank holds a shard of its own, so there is nothing to compare.",
      .bad = {.world_size = 8,
              .yaml = "use_megatron_fsdp: true\n"
                      "ckpt_format: fsdp_dtensor\n"
                      "gradient_accumulation_fusion: false\n"
                      "data_parallel_sharding_strategy: optim_grads_params\n"
                      "check_weight_hash_across_dp_replicas_interval: 10\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"
                       "data_parallel_sharding_strategy: optim_grads_params\n"}},
     weight_hash},
    {{.id = "MG567",
      .name = "manual-registration-incomplete",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "fsdp_manual_registration needs Megatron-FSDP and nccl_ub.",
      .explanation = "It moves the registration of communication buffers to the end of the first step.",
      .bad = {.world_size = 8, .yaml = "fsdp_manual_registration: true\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"
                       "fsdp_manual_registration: true\n"
                       "nccl_ub: true\n"
                       "fsdp_double_buffer: true\n"}},
     manual_registration},
    {{.id = "MG569",
      .name = "megatron-fsdp-shards-nothing",
      .severity = Severity::note,
      .stage = Stage::advice,
      .runtime_site = "",
      .outcome = "",
      .summary = "Megatron-FSDP with no_shard keeps gradients and parameters whole.",
      .explanation = "The Primus trainer preset has data_parallel_sharding_strategy: no_shard, so use_megatron_fsdp "
                     "alone saves no memory.",
      .bad = {.world_size = 8,
              .yaml = "use_megatron_fsdp: true\n"
                      "ckpt_format: fsdp_dtensor\n"
                      "gradient_accumulation_fusion: false\n"
                      "data_parallel_sharding_strategy: no_shard\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"
                       "data_parallel_sharding_strategy: optim_grads_params\n"}},
     shards_nothing},
};

}  // namespace

RuleList megatron_fsdp_rules() { return rules; }

}  // namespace primus_plan::megatron
