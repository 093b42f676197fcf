#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "backends/megatron/rules/turbo.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* rocm_stops = "Primus stops in its own argument checks";

const Raw& stage_key(const MegatronRun& run) { return run.given.turbo_sync_free_moe_stage; }

void stage_too_high(const MegatronRun& run, Findings& out) {
  if (sync_free_stage(run) <= 3) return;
  out.add(stage_key(run), [&](Message& m) {
    m.say("turbo_sync_free_moe_stage is {}: the stages are 0 (off) to 3", sync_free_stage(run));
    m.fix("use stage 3", stage_key(run), "3");
    m.fix("switch it off", stage_key(run), "0");
  });
}

void stage_negative(const MegatronRun& run, Findings& out) {
  if (sync_free_stage(run) >= 0) return;
  out.add(stage_key(run), [&](Message& m) {
    m.say("turbo_sync_free_moe_stage {} has no effect: the stages are 0 (off) to 3", sync_free_stage(run));
    m.fix("say off", stage_key(run), "0");
  });
}

void stage_without_turbo(const MegatronRun& run, Findings& out) {
  if (sync_free_stage(run) < 1 || *run.config.enable_primus_turbo) return;
  out.add(stage_key(run), [&](Message& m) {
    m.say("turbo_sync_free_moe_stage {} needs enable_primus_turbo: true", sync_free_stage(run));
    m.also(run.config.enable_primus_turbo);
    m.fix("switch Primus-Turbo on", run.config.enable_primus_turbo, "true");
  });
}

void stage_without_grouped_gemm(const MegatronRun& run, Findings& out) {
  if (sync_free_stage(run) < 2 || *run.given.use_turbo_grouped_gemm) return;
  out.add(stage_key(run), [&](Message& m) {
    m.say("turbo_sync_free_moe_stage {} needs use_turbo_grouped_gemm: true", sync_free_stage(run));
    m.also(run.given.use_turbo_grouped_gemm);
    m.help("or use stage 1");
    m.fix("switch the grouped product on", run.given.use_turbo_grouped_gemm, "true");
  });
}

void deepep_comes_late(const MegatronRun& run, Findings& out) {
  if (sync_free_stage(run) < 2 || sync_free_stage(run) > 3 || !*run.config.enable_primus_turbo) return;
  if (*run.given.use_turbo_deepep || !*run.given.use_turbo_grouped_gemm) return;
  out.add(stage_key(run), [&](Message& m) {
    m.say("turbo_sync_free_moe_stage {} turns use_turbo_deepep on after Primus has chosen the dispatcher: {} stays",
          sync_free_stage(run), *run.config.moe_token_dispatcher_type);
    m.also(run.given.use_turbo_deepep);
    m.also(run.config.moe_token_dispatcher_type);
    m.help("set use_turbo_deepep: true yourself");
    m.fix("ask for DeepEP in time", run.given.use_turbo_deepep, "true");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG450",
      .name = "sync-free-stage-range",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "primus/backends/megatron/patches/args/rocm_arg_validation.py:_get_sync_free_moe_options",
      .outcome = "Primus stops in its own argument checks (ValueError)",
      .summary = "turbo_sync_free_moe_stage is 0 to 3.",
      .explanation = "Stage 1 fuses the router and the permutation, stage 2 adds DeepEP and the grouped product "
                     "of Primus-Turbo, stage 3 the fused activation.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_grouped_gemm: true\n"
                      "turbo_sync_free_moe_stage: 4\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_grouped_gemm: true\n"
                       "turbo_sync_free_moe_stage: 1\n"}},
     stage_too_high},
    {{.id = "MG451",
      .name = "sync-free-stage-negative",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "Primus skips everything about sync-free experts",
      .summary = "A negative turbo_sync_free_moe_stage does nothing.",
      .explanation = "Primus looks at the stage only when it is above 0.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "turbo_sync_free_moe_stage: -1\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "turbo_sync_free_moe_stage: 0\n"}},
     stage_negative},
    {{.id = "MG452",
      .name = "sync-free-without-turbo",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = rocm_stops,
      .summary = "Sync-free experts need Primus-Turbo.",
      .explanation = "All parts of turbo_sync_free_moe_stage come from Primus-Turbo, so enable_primus_turbo has "
                     "to be on.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "turbo_sync_free_moe_stage: 1\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "turbo_sync_free_moe_stage: 1\n"}},
     stage_without_turbo},
    {{.id = "MG453",
      .name = "sync-free-without-grouped-gemm",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = rocm_stops,
      .summary = "Stages 2 and 3 need use_turbo_grouped_gemm.",
      .explanation = "The grouped product of Primus-Turbo is part of these stages. Primus would turn it on, but "
                     "first asks the experiment to say so.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_deepep: true\n"
                      "moe_router_dtype: fp32\n"
                      "expert_model_parallel_size: 8\n"
                      "turbo_sync_free_moe_stage: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_deepep: true\n"
                       "use_turbo_grouped_gemm: true\n"
                       "moe_router_dtype: fp32\n"
                       "expert_model_parallel_size: 8\n"
                       "turbo_sync_free_moe_stage: 2\n"}},
     stage_without_grouped_gemm},
    {{.id = "MG454",
      .name = "sync-free-deepep-late",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "the log says that DeepEP is on, but the dispatcher was not replaced",
      .summary = "Stages 2 and 3 turn DeepEP on too late.",
      .explanation = "Primus replaces the dispatcher before it checks the arguments, and the stage sets "
                     "use_turbo_deepep during that check. The replaced dispatcher is missing although the log "
                     "lists it; its constraints hold all the same. Setting use_turbo_deepep in the experiment "
                     "avoids it.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_grouped_gemm: true\n"
                      "moe_router_dtype: fp32\n"
                      "expert_model_parallel_size: 8\n"
                      "turbo_sync_free_moe_stage: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_deepep: true\n"
                       "use_turbo_grouped_gemm: true\n"
                       "moe_router_dtype: fp32\n"
                       "expert_model_parallel_size: 8\n"
                       "turbo_sync_free_moe_stage: 2\n"}},
     deepep_comes_late},
};

}  // namespace

RuleList sync_free_expert_rules() { return rules; }

}  // namespace primus_plan::megatron
