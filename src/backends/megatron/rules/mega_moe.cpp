#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* mega_moe = "primus/backends/megatron/core/extensions/mega_moe.py:_assert_supported_config";

constexpr Int one_node = 8;

bool asks_for_mega_moe(const MegatronRun& run) {
  return builds_experts(run) && *run.config.enable_primus_turbo && *run.config.use_turbo_mega_moe;
}

/// Primus puts the fused layer in. Source: primus/backends/megatron/patches/turbo/mega_moe_patches.py.
bool is_mega_moe(const MegatronRun& run) {
  return asks_for_mega_moe(run) && *run.config.bf16 && run.ep() > 1 && run.ep() <= one_node;
}

void mega_moe_left_out(const MegatronRun& run, Findings& out) {
  if (!asks_for_mega_moe(run) || is_mega_moe(run)) return;
  out.add(run.config.use_turbo_mega_moe, [&](Message& m) {
    if (!*run.config.bf16) {
      m.say("use_turbo_mega_moe has no effect: it needs bf16");
      m.also(run.config.bf16);
    } else {
      m.say("use_turbo_mega_moe has no effect: it needs expert_model_parallel_size from 2 to {}, but it is {}",
            one_node, run.ep());
      m.also(run.config.expert_model_parallel_size);
    }
    m.fix("the ordinary layer", run.config.use_turbo_mega_moe, "false");
  });
}

void mega_moe_unsupported(const MegatronRun& run, Findings& out) {
  if (!is_mega_moe(run)) return;
  const MegatronConfig& config = run.config;
  const auto report = [&](bool wrong, const auto& field, const char* needs) {
    if (!wrong) return;
    out.add(field, [&](Message& m) {
      m.say("use_turbo_mega_moe needs {}", needs);
      m.also(config.use_turbo_mega_moe);
    });
  };
  const std::string_view precision = *config.turbo_mega_moe_precision;
  report(run.tp() != 1, config.tensor_model_parallel_size, "tensor_model_parallel_size: 1");
  report(!*config.swiglu, config.swiglu, "swiglu: true");
  report(has_capacity(run), config.moe_expert_capacity_factor, "moe_expert_capacity_factor: null");
  report(*config.add_bias_linear, config.add_bias_linear, "add_bias_linear: false");
  report(balances_with(run, "sinkhorn"), config.moe_router_load_balancing_type,
         "a moe_router_load_balancing_type other than sinkhorn");
  report(!precision.empty() && precision != "bf16" && precision != "mxfp8", config.turbo_mega_moe_precision,
         "turbo_mega_moe_precision bf16 or mxfp8");
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG469",
      .name = "mega-moe-unsupported",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = mega_moe,
      .outcome = "Primus stops when it builds the layer (AssertionError)",
      .summary = "The fused expert layer of Primus-Turbo is written for one kind of expert.",
      .explanation = "use_turbo_mega_moe replaces the whole layer by one kernel: no tensor parallelism, SwiGLU "
                     "without bias, no capacity, no sinkhorn balancing, in bf16 or mxfp8.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_mega_moe: true\n"
                      "expert_model_parallel_size: 8\n"
                      "moe_expert_capacity_factor: 1.0\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_mega_moe: true\n"
                       "expert_model_parallel_size: 8\n"}},
     mega_moe_unsupported},
    {{.id = "MG470",
      .name = "mega-moe-left-out",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/patches/turbo/mega_moe_patches.py:_is_turbo_mega_moe_can_patch",
      .outcome = "Primus leaves the patch out and the ordinary layer runs",
      .summary = "The fused expert layer needs bf16 and 2 to 8 expert-parallel ranks.",
      .explanation = "The kernel of use_turbo_mega_moe exchanges tokens inside a node. With another EP, or "
                     "without bf16, Primus does not put it in and says nothing.",
      .bad = {.world_size = 16,
              .yaml = "num_experts: 16\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_mega_moe: true\n"
                      "expert_model_parallel_size: 16\n"
                      "global_batch_size: 32\n"},
      .good = {.world_size = 16,
               .yaml = "num_experts: 16\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_mega_moe: true\n"
                       "expert_model_parallel_size: 8\n"
                       "global_batch_size: 32\n"}},
     mega_moe_left_out},
};

}  // namespace

RuleList mega_moe_rules() { return rules; }

}  // namespace primus_plan::megatron
