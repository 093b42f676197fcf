#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";

// Options of the schedule that overlap_moe_expert_parallel_comm turns on.

void delayed_weight_gradients(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.delay_wgrad_compute || !has_megatron_config(run)) return;
  const bool engine = *config.transformer_impl == "transformer_engine";
  if (*config.overlap_moe_expert_parallel_comm && engine && !*config.moe_use_legacy_grouped_gemm) return;
  out.add(config.delay_wgrad_compute, [&](Message& m) {
    if (!*config.overlap_moe_expert_parallel_comm) {
      m.say("delay_wgrad_compute needs overlap_moe_expert_parallel_comm: true");
      m.also(config.overlap_moe_expert_parallel_comm);
    } else if (!engine) {
      m.say("delay_wgrad_compute needs transformer_impl transformer_engine, but it is {}", *config.transformer_impl);
      m.also(config.transformer_impl);
    } else {
      m.say("delay_wgrad_compute does not work with moe_use_legacy_grouped_gemm");
      m.also(config.moe_use_legacy_grouped_gemm);
    }
    m.fix("compute weight gradients at once", config.delay_wgrad_compute, "false");
  });
}

void early_release(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const Flag& early = config.ep_overlap_early_attn_memory_release;
  if (!*early || *config.overlap_moe_expert_parallel_comm || !has_megatron_config(run)) return;
  out.add(early, [&](Message& m) {
    m.say("ep_overlap_early_attn_memory_release needs overlap_moe_expert_parallel_comm: true");
    m.also(config.overlap_moe_expert_parallel_comm);
    m.fix("switch it off", early, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG448",
      .name = "delayed-weight-gradients",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "delay_wgrad_compute needs the overlapped expert traffic.",
      .explanation = "Weight gradients are put off to fill the time that dispatched tokens travel. That takes "
                     "overlap_moe_expert_parallel_comm, Transformer Engine, and experts other than the legacy "
                     "grouped ones.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "delay_wgrad_compute: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "delay_wgrad_compute: true\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"}},
     delayed_weight_gradients},
    {{.id = "MG449",
      .name = "early-attention-release",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "ep_overlap_early_attn_memory_release needs the overlapped expert traffic.",
      .explanation = "It changes when the overlapped schedule gives back the memory of attention; without that "
                     "schedule it has no meaning and is refused.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "ep_overlap_early_attn_memory_release: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "ep_overlap_early_attn_memory_release: true\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"}},
     early_release},
};

}  // namespace

RuleList expert_overlap_option_rules() { return rules; }

}  // namespace primus_plan::megatron
