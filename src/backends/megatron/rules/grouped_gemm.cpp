#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "backends/megatron/rules/turbo.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* rocm_stops = "Primus stops in its own argument checks (ValueError)";

/// Experts run as one grouped matrix product of Transformer Engine or Primus-Turbo.
bool has_grouped_experts(const MegatronRun& run) {
  return builds_experts(run) && *run.config.moe_grouped_gemm && *run.config.transformer_impl == "transformer_engine";
}

void bias_with_dropout_fusion(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!has_grouped_experts(run) || *config.moe_use_legacy_grouped_gemm) return;
  if (!*config.add_bias_linear || !*config.bias_dropout_fusion) return;
  out.add(config.bias_dropout_fusion, [&](Message& m) {
    m.say("bias_dropout_fusion does not work with add_bias_linear and grouped experts (moe_grouped_gemm)");
    m.also(config.add_bias_linear);
    m.help("set bias_dropout_fusion: false, or add_bias_linear: false");
    m.fix("no fusion", config.bias_dropout_fusion, "false");
  });
}

void legacy_with_bias_or_activation(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!has_grouped_experts(run) || !*config.moe_use_legacy_grouped_gemm || *config.use_turbo_grouped_gemm) return;
  // Gated by something else than SiLU or GeLU: quick_geglu alone.
  const bool gate_unknown = *config.quick_geglu && !*config.swiglu;
  if (!*config.add_bias_linear && !gate_unknown) return;
  const Flag& cause = *config.add_bias_linear ? config.add_bias_linear : config.quick_geglu;
  out.add(cause, [&](Message& m) {
    m.say("{} does not work with moe_use_legacy_grouped_gemm", cause.key);
    m.also(config.moe_use_legacy_grouped_gemm);
    m.help("set {}: false, or moe_use_legacy_grouped_gemm: false", cause.key);
    m.fix("leave the legacy path", config.moe_use_legacy_grouped_gemm, "false");
  });
}

void turbo_and_legacy(const MegatronRun& run, Findings& out) {
  const Flag& turbo = run.given.use_turbo_grouped_gemm;
  const Flag& legacy = run.config.moe_use_legacy_grouped_gemm;
  if (!*turbo || !*legacy) return;
  out.add(legacy, [&](Message& m) {
    m.say("use_turbo_grouped_gemm and moe_use_legacy_grouped_gemm ask for two implementations of the same experts");
    m.also(turbo);
    m.fix("leave the legacy path", legacy, "false");
  });
}

void turbo_with_expert_tensor_parallel(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!has_grouped_experts(run) || !*config.enable_primus_turbo || !*config.use_turbo_grouped_gemm) return;
  if (*config.moe_use_legacy_grouped_gemm || run.degrees.expert_tensor <= 1) return;
  out.add(config.use_turbo_grouped_gemm, [&](Message& m) {
    m.say("use_turbo_grouped_gemm needs expert_tensor_parallel_size 1, but it is {}", run.degrees.expert_tensor);
    if (!run.given.expert_tensor_parallel_size.value) {
      m.because("expert_tensor_parallel_size is not set: it follows tensor_model_parallel_size {}", run.tp());
    }
    m.also(config.expert_tensor_parallel_size);
    m.help("set expert_tensor_parallel_size: 1, or use_turbo_grouped_gemm: false{}",
           sync_free_stage(run) >= 2 ? " with turbo_sync_free_moe_stage: 1" : "");
  });
}

/// Whether tokens are padded for quantized experts when Primus looks: sync-free stages have overwritten the key, the
/// older moe_router_padding_for_fp8 is not yet part of it.
bool pads_for_quantization(const MegatronRun& run) {
  return sync_free_stage(run) > 0 ? is_quantized(run) : *run.given.moe_router_padding_for_quantization;
}

void without_padding(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const Flag& bare = config.turbo_grouped_gemm_without_padding;
  if (!*bare) return;
  if (*config.enable_primus_turbo && *config.use_turbo_grouped_gemm && !pads_for_quantization(run)) return;
  out.add(bare, [&](Message& m) {
    if (!*config.enable_primus_turbo) {
      m.say("turbo_grouped_gemm_without_padding needs enable_primus_turbo: true");
    } else if (!*config.use_turbo_grouped_gemm) {
      m.say("turbo_grouped_gemm_without_padding needs use_turbo_grouped_gemm: true");
    } else {
      m.say("turbo_grouped_gemm_without_padding meets padded tokens: moe_router_padding_for_quantization is on");
      if (sync_free_stage(run) > 0) {
        m.because("turbo_sync_free_moe_stage {} turns the padding on with fp8 or fp4", sync_free_stage(run));
      }
    }
    m.fix("keep the padding", bare, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG410",
      .name = "grouped-experts-bias-fusion",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/moe/experts.py:__init__",
      .outcome = "Megatron stops when it builds the experts (AssertionError)",
      .summary = "Grouped experts with a bias exclude the fused dropout.",
      .explanation = "TEGroupedMLP adds the bias of its experts itself and hands none to the fused bias-dropout- "
                     "add after it.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "add_bias_linear: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "add_bias_linear: true\n"
                       "bias_dropout_fusion: false\n"}},
     bias_with_dropout_fusion},
    {{.id = "MG471",
      .name = "legacy-grouped-gemm",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/core/transformer/moe/deprecated_20251209/experts.py:__init__",
      .outcome = "Primus stops when it builds the experts",
      .summary = "The legacy grouped product has no bias and knows SiLU and GeLU gates.",
      .explanation = "moe_use_legacy_grouped_gemm runs the experts through the grouped_gemm package, which was "
                     "written before biases and other gates.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_use_legacy_grouped_gemm: true\n"
                      "add_bias_linear: true\n"
                      "bias_dropout_fusion: false\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_use_legacy_grouped_gemm: true\n"}},
     legacy_with_bias_or_activation},
    {{.id = "MG466",
      .name = "turbo-grouped-gemm-and-legacy",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = rocm_stops,
      .summary = "use_turbo_grouped_gemm and moe_use_legacy_grouped_gemm exclude each other.",
      .explanation = "Both say how the experts' matrix products run. Primus checks the pair whether or not "
                     "enable_primus_turbo is on.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_grouped_gemm: true\n"
                      "moe_use_legacy_grouped_gemm: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_grouped_gemm: true\n"}},
     turbo_and_legacy},
    {{.id = "MG459",
      .name = "turbo-grouped-gemm-with-tensor-parallel",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/core/extensions/primus_turbo.py:__init__",
      .outcome = "Primus stops when it builds the experts (AssertionError)",
      .summary = "Turbo's grouped experts are not split by tensor parallelism.",
      .explanation = "The grouped linear layers of Primus-Turbo need expert_tensor_parallel_size 1. It follows "
                     "tensor_model_parallel_size when it is unset.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_grouped_gemm: true\n"
                      "tensor_model_parallel_size: 2\n"
                      "sequence_parallel: true\n"
                      "expert_tensor_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_grouped_gemm: true\n"}},
     turbo_with_expert_tensor_parallel},
    {{.id = "MG467",
      .name = "turbo-grouped-gemm-padding",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = rocm_stops,
      .summary = "turbo_grouped_gemm_without_padding needs Turbo's grouped experts and unpadded tokens.",
      .explanation = "The key tells Primus-Turbo's grouped product that groups may have any length. It needs "
                     "enable_primus_turbo and use_turbo_grouped_gemm, and excludes "
                     "moe_router_padding_for_quantization, which every sync-free stage turns on with fp8 or fp4.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_grouped_gemm: true\n"
                      "turbo_grouped_gemm_without_padding: true\n"
                      "moe_router_padding_for_quantization: true\n"
                      "fp8: hybrid\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_grouped_gemm: true\n"
                       "turbo_grouped_gemm_without_padding: true\n"}},
     without_padding},
};

}  // namespace

RuleList grouped_gemm_rules() { return rules; }

}  // namespace primus_plan::megatron
