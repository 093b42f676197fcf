#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// Both grids exist; what follows from them can be judged.
bool grids_exist(const MegatronRun& run) { return run.dp() > 0 && run.degrees.expert_data > 0; }

Int instances(const MegatronRun& run) { return run.config.num_distributed_optimizer_instances.value.value_or(1); }

void order_needs_equal_grids(const MegatronRun& run, Findings& out) {
  if (!grids_exist(run) || !*run.config.use_tp_pp_dp_mapping || run.pp() == 1) return;
  if (run.dp() == run.degrees.expert_data) return;
  out.add(run.config.use_tp_pp_dp_mapping, [&](Message& m) {
    m.say("use_tp_pp_dp_mapping with PP {} needs DP and expert DP to be equal, but DP is {} and expert DP {}", run.pp(),
          run.dp(), run.degrees.expert_data);
    because_of_dp(m, run);
    because_of_expert_dp(m, run);
    m.help("drop use_tp_pp_dp_mapping, or choose ETP x EP = TP x CP = {}", saturating_multiply(run.tp(), run.cp()));
  });
}

void instances_not_dividing(const MegatronRun& run, Findings& out) {
  const Int count = instances(run);
  if (!grids_exist(run)) return;
  const Int dense = run.dp() * run.cp();
  const Int expert = run.degrees.expert_data;
  if (count >= 1 && dense % count == 0 && expert % count == 0) return;
  // Primus takes the degree over only where its own conditions hold.
  const bool replicate = run.given.data_parallel_replicate_degree.value.value_or(1) > 1 &&
                         *run.config.use_torch_fsdp2 && *run.config.ckpt_format == "torch_dcp";
  const MaybeCount& field =
      replicate ? run.config.data_parallel_replicate_degree : run.config.num_distributed_optimizer_instances;
  out.add(field, [&](Message& m) {
    if (count >= 1 && dense % count == 0) {
      m.say("{} {} does not divide expert DP {}", field.key, count, expert);
    } else {
      m.say("{} {} does not divide DP x CP = {} x {} = {}", field.key, count, run.dp(), run.cp(), dense);
    }
    because_of_dp(m, run);
    because_of_expert_dp(m, run);
    m.help("choose a divisor of both {} and {}", dense, expert);
  });
}

void instances_need_distributed_optimizer(const MegatronRun& run, Findings& out) {
  if (instances(run) <= 1 || *run.config.use_distributed_optimizer) return;
  if (*run.config.use_torch_fsdp2 || *run.config.use_megatron_fsdp) return;
  out.add(run.config.num_distributed_optimizer_instances, [&](Message& m) {
    m.say("num_distributed_optimizer_instances is {} but use_distributed_optimizer is off", instances(run));
    m.also(run.config.use_distributed_optimizer);
    m.help("set use_distributed_optimizer: true, or num_distributed_optimizer_instances: 1");
    fix_either(m, run.config.use_distributed_optimizer, "true", run.config.num_distributed_optimizer_instances, "1");
  });
}

void sharp_group(const MegatronRun& run, Findings& out) {
  const Word& group = run.config.sharp_enabled_group;
  if (group.value.data() == nullptr) return;
  const bool known = *group == "dp" || *group == "dp_replica";
  const bool replicas_exist = *group != "dp_replica" || instances(run) > 1;
  if (*run.config.use_sharp && known && replicas_exist) return;
  out.add(group, [&](Message& m) {
    if (!*run.config.use_sharp) {
      m.say("sharp_enabled_group is {} but use_sharp is off", *group);
    } else if (!known) {
      m.say("sharp_enabled_group {} is neither dp nor dp_replica", *group);
      offer_word(m, group, "dp|dp_replica");
    } else {
      m.say("sharp_enabled_group dp_replica needs num_distributed_optimizer_instances above 1");
    }
    m.also(run.config.use_sharp);
  });
}

void pipeline_backend(const MegatronRun& run, Findings& out) {
  const Word& backend = run.config.pipeline_model_parallel_comm_backend;
  if (backend.value.data() == nullptr || *backend == "nccl") return;
  const auto connections = run.environment.get("CUDA_DEVICE_MAX_CONNECTIONS");
  const bool fsdp = *run.config.use_torch_fsdp2 || *run.config.use_megatron_fsdp;
  const bool one_connection = connections ? *connections == "1" : !fsdp;
  if (*backend == "ucc" && !one_connection) return;
  out.add(backend, [&](Message& m) {
    if (*backend == "ucc") {
      m.say(
          "pipeline_model_parallel_comm_backend ucc does not work with CUDA_DEVICE_MAX_CONNECTIONS=1, which Primus "
          "sets");
      m.help("export CUDA_DEVICE_MAX_CONNECTIONS with another value, or use nccl");
      m.fix("use nccl", backend, "nccl");
    } else {
      m.say("pipeline_model_parallel_comm_backend {} is neither nccl nor ucc", *backend);
      offer_word(m, backend, "nccl|ucc");
    }
  });
}

void seed_not_positive(const MegatronRun& run, Findings& out) {
  if (*run.config.seed > 0) return;
  out.add(run.config.seed, [&](Message& m) {
    m.say("seed is {}: Megatron takes a positive one", *run.config.seed);
    m.fix("set seed to 1234", run.config.seed, "1234");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG104",
      .name = "order-needs-equal-grids",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::parallel_state,
      .outcome = "Megatron stops when it builds the process groups (AssertionError)",
      .summary = "use_tp_pp_dp_mapping with pipeline parallelism needs DP = expert DP.",
      .explanation = "With the rank order tp-cp-ep-pp-dp the dense and the expert grid share their pipeline groups "
                     "only when both have the same number of replicas: ETP x EP = TP x CP.",
      .bad = {.world_size = 8,
              .yaml = "use_tp_pp_dp_mapping: true\n"
                      "pipeline_model_parallel_size: 2\n"
                      "expert_model_parallel_size: 4\n"
                      "num_experts: 8\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_grouped_gemm: true\n"},
      .good = {.world_size = 8,
               .yaml = "use_tp_pp_dp_mapping: true\n"
                       "pipeline_model_parallel_size: 2\n"}},
     order_needs_equal_grids},
    {{.id = "MG105",
      .name = "optimizer-instances-not-dividing",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::parallel_state,
      .outcome = "Megatron stops when it builds the process groups (AssertionError)",
      .summary = "num_distributed_optimizer_instances divides DP x CP and expert DP.",
      .explanation = "The data-parallel ranks are cut into that many shards of the optimizer state, for dense and for "
                     "expert parameters alike. data_parallel_replicate_degree (HSDP) becomes the same number.",
      .bad = {.world_size = 8, .yaml = "num_distributed_optimizer_instances: 3\n"},
      .good = {.world_size = 8, .yaml = "num_distributed_optimizer_instances: 2\n"}},
     instances_not_dividing},
    {{.id = "MG106",
      .name = "optimizer-instances-without-optimizer",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/distributed/distributed_data_parallel.py:__init__",
      .outcome = "Megatron stops when it wraps the model (AssertionError)",
      .summary = "Several optimizer instances need the distributed optimizer.",
      .explanation = "num_distributed_optimizer_instances shards optimizer states over part of the data-parallel "
                     "ranks. Without use_distributed_optimizer there is nothing to shard and the wrapper refuses.",
      .bad = {.world_size = 8,
              .yaml = "use_distributed_optimizer: false\n"
                      "num_distributed_optimizer_instances: 2\n"},
      .good = {.world_size = 8,
               .yaml = "use_distributed_optimizer: true\n"
                       "num_distributed_optimizer_instances: 2\n"}},
     instances_need_distributed_optimizer},
    {{.id = "MG107",
      .name = "sharp-group",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::parallel_state,
      .outcome = "Megatron stops when it builds the process groups (AssertionError)",
      .summary = "sharp_enabled_group goes with use_sharp and names dp or dp_replica.",
      .explanation = "dp_replica exists only with num_distributed_optimizer_instances above 1.",
      .bad = {.world_size = 8, .yaml = "sharp_enabled_group: dp\n"},
      .good = {.world_size = 8,
               .yaml = "sharp_enabled_group: dp\n"
                       "use_sharp: true\n"}},
     sharp_group},
    {{.id = "MG108",
      .name = "pipeline-comm-backend",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::parallel_state,
      .outcome = "Megatron stops when it builds the pipeline groups (AssertionError)",
      .summary = "pipeline_model_parallel_comm_backend is null, nccl or ucc.",
      .explanation = "ucc also needs CUDA_DEVICE_MAX_CONNECTIONS to differ from 1, and Primus sets it to 1 unless FSDP "
                     "is on or it is exported.",
      .bad = {.world_size = 8, .yaml = "pipeline_model_parallel_comm_backend: gloo\n"},
      .good = {.world_size = 8, .yaml = "pipeline_model_parallel_comm_backend: nccl\n"}},
     pipeline_backend},
    {{.id = "MG109",
      .name = "seed-not-positive",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = "megatron/training/initialize.py:_set_random_seed",
      .outcome = "Megatron stops (ValueError)",
      .summary = "seed is positive.",
      .explanation = "Each rank derives its own seed from it: seed + 100 x pipeline rank.",
      .bad = {.world_size = 8, .yaml = "seed: 0\n"},
      .good = {.world_size = 8, .yaml = "seed: 1234\n"}},
     seed_not_positive},
};

}  // namespace

RuleList process_group_rules() { return rules; }

}  // namespace primus_plan::megatron
