#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

/// use_turbo_deepep, set by the experiment or by turbo_sync_free_moe_stage. Primus checks it even where
/// enable_primus_turbo is off.
bool uses_deepep(const MegatronRun& run) { return *run.config.use_turbo_deepep; }

const char* who_asks(const MegatronRun& run) {
  return *run.given.use_turbo_deepep ? "use_turbo_deepep"
                                     : "turbo_sync_free_moe_stage, which turns use_turbo_deepep on,";
}

void deepep_shared_overlap(const MegatronRun& run, Findings& out) {
  const Flag& overlap = run.config.moe_shared_expert_overlap;
  if (!uses_deepep(run) || !*overlap) return;
  out.add(overlap, [&](Message& m) {
    m.say("{} excludes moe_shared_expert_overlap", who_asks(run));
    m.also(run.given.use_turbo_deepep);
    m.also(run.given.turbo_sync_free_moe_stage);
    m.fix("no overlap of the shared expert", overlap, "false");
  });
}

void deepep_router_type(const MegatronRun& run, Findings& out) {
  const Word& type = run.config.moe_router_dtype;
  if (!uses_deepep(run) || *type == "fp32") return;
  out.add(type, [&](Message& m) {
    m.say("{} needs moe_router_dtype fp32, but it is {}", who_asks(run), or_null(type));
    m.also(run.given.use_turbo_deepep);
    m.also(run.given.turbo_sync_free_moe_stage);
    m.help("set moe_router_dtype: fp32");
    m.fix("route in fp32", type, "fp32");
  });
}

void deepep_compute_units(const MegatronRun& run, Findings& out) {
  constexpr Int between_nodes = 16;
  constexpr Int most_units = 32;
  const MaybeCount& units = run.config.turbo_deepep_num_cu;
  if (!uses_deepep(run) || run.ep() < between_nodes) return;
  if (run.environment.get("PRIMUS_TURBO_MOE_DISPATCH_COMBINE_BACKEND").value_or("TURBO") != "TURBO") return;
  if (units.value && *units.value <= most_units) return;
  out.add(units, [&](Message& m) {
    if (units.value) {
      m.say("turbo_deepep_num_cu is {}, but with expert_model_parallel_size {} it is {} at most", *units.value,
            run.ep(), most_units);
    } else {
      m.say("turbo_deepep_num_cu is null, but with expert_model_parallel_size {} it is a number up to {}", run.ep(),
            most_units);
    }
    m.also(run.config.expert_model_parallel_size);
    m.because("from EP {} on tokens travel between nodes", between_nodes);
    m.fix("use 32 compute units", units, "32");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG455",
      .name = "turbo-deepep-shared-overlap",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "Primus stops in its own argument checks (AssertionError)",
      .summary = "Turbo's DeepEP excludes overlap of the shared expert.",
      .explanation = "The DeepEP dispatcher of Primus-Turbo has no place for the shared expert. Primus checks "
                     "this even where enable_primus_turbo is off.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_deepep: true\n"
                      "expert_model_parallel_size: 8\n"
                      "moe_router_dtype: fp32\n"
                      "moe_shared_expert_overlap: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_deepep: true\n"
                       "expert_model_parallel_size: 8\n"
                       "moe_router_dtype: fp32\n"}},
     deepep_shared_overlap},
    {{.id = "MG456",
      .name = "turbo-deepep-router-type",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "Primus stops in its own argument checks (AssertionError)",
      .summary = "Turbo's DeepEP needs moe_router_dtype fp32.",
      .explanation = "DeepEP sends the probabilities of the router in fp32. Primus checks this even where "
                     "enable_primus_turbo is off.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_deepep: true\n"
                      "expert_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_deepep: true\n"
                       "expert_model_parallel_size: 8\n"
                       "moe_router_dtype: fp32\n"}},
     deepep_router_type},
    {{.id = "MG457",
      .name = "turbo-deepep-compute-units",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "Primus stops in its own argument checks (AssertionError)",
      .summary = "From EP 16 on turbo_deepep_num_cu is 32 at most.",
      .explanation = "Between nodes DeepEP runs on at most 32 compute units; 64 or 80 are values for a single "
                     "node. The limit is off when PRIMUS_TURBO_MOE_DISPATCH_COMBINE_BACKEND names another "
                     "backend than TURBO.",
      .bad = {.world_size = 16,
              .yaml = "num_experts: 16\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_deepep: true\n"
                      "expert_model_parallel_size: 16\n"
                      "moe_router_dtype: fp32\n"
                      "turbo_deepep_num_cu: 64\n"
                      "global_batch_size: 32\n"},
      .good = {.world_size = 16,
               .yaml = "num_experts: 16\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_deepep: true\n"
                       "expert_model_parallel_size: 16\n"
                       "moe_router_dtype: fp32\n"
                       "turbo_deepep_num_cu: 32\n"
                       "global_batch_size: 32\n"}},
     deepep_compute_units},
};

}  // namespace

RuleList turbo_deepep_rules() { return rules; }

}  // namespace primus_plan::megatron
