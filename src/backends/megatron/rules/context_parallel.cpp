#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "backends/megatron/rules/turbo.h"

namespace primus_plan::megatron {
namespace {

void local_attention(const MegatronRun& run, Findings& out) {
  if (run.cp() <= 1 || *run.config.transformer_impl != "local" || turbo_attention(run)) return;
  out.add(run.config.transformer_impl, [&](Message& m) {
    m.say("CP {} needs Transformer Engine's or Primus-Turbo's attention, but transformer_impl is local", run.cp());
    m.also(run.config.context_parallel_size);
    m.fix("use Transformer Engine", run.config.transformer_impl, "transformer_engine");
  });
}

/// Source: transformer_engine/pytorch/attention/dot_product_attention/utils.py:get_attention_backend. Megatron leaves
/// Transformer Engine no other backend than the one that is asked for.
void unfused_attention(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool engine = *config.transformer_impl == "transformer_engine" && *config.model_type == "gpt";
  if (run.cp() <= 1 || *config.attention_backend != "unfused" || !engine || turbo_attention(run)) return;
  out.add(config.attention_backend, [&](Message& m) {
    m.say(
        "attention_backend unfused does not go with CP {}: Transformer Engine's unfused attention knows nothing of "
        "other ranks' tokens, and no other backend is left",
        run.cp());
    m.also(config.context_parallel_size);
    m.help("attention_backend: auto, flash or fused; or context_parallel_size: 1");
    m.fix("set attention_backend to auto", config.attention_backend, "auto");
  });
}

void sink_attention(const MegatronRun& run, Findings& out) {
  if (run.cp() <= 1 || !*run.config.use_sink_attention) return;
  out.add(run.config.use_sink_attention, [&](Message& m) {
    m.say("sink attention is switched off in silence with CP {}: another model is trained", run.cp());
    m.also(run.config.context_parallel_size);
  });
}

void turbo_window(const MegatronRun& run, Findings& out) {
  if (!turbo_attention(run) || run.config.window_size.value == nullptr) return;
  out.add(run.config.window_size, [&](Message& m) {
    m.say("Turbo attention takes no window_size");
    m.also(run.config.use_turbo_attention, "Turbo attention is on here");
    m.help("use sink_sliding_window, or use_turbo_attention: false");
  });
}

void hybrid_context(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.hybrid_context_parallel) return;
  struct Need {
    bool met;
    const char* text;
  };
  const std::array needs{Need{run.pp() <= 1, "pipeline_model_parallel_size 1"},
                         Need{!*config.enable_cuda_graph, "enable_cuda_graph off"},
                         Need{!*config.use_megatron_fsdp, "use_megatron_fsdp off"},
                         Need{*config.dataloader_type == "single", "dataloader_type single"},
                         Need{*config.calculate_per_token_loss, "calculate_per_token_loss on"}};
  for (const Need& need : needs) {
    if (need.met) continue;
    out.add(config.hybrid_context_parallel, [&](Message& m) { m.say("hybrid_context_parallel needs {}", need.text); });
  }
}

void hybrid_context_odd(const MegatronRun& run, Findings& out) {
  if (!*run.config.hybrid_context_parallel || run.dp() <= 0 || run.dp() * run.cp() % 2 == 0) return;
  out.add(run.config.hybrid_context_parallel, [&](Message& m) {
    m.say("hybrid_context_parallel needs an even DP x CP, not {} x {} = {}", run.dp(), run.cp(), run.dp() * run.cp());
    because_of_dp(m, run);
  });
}

/// Primus's patch sets the variable to 8 for an FSDP, where use_custom_fsdp counts as one; else it keeps what is
/// exported, or sets 1. Source: primus/backends/megatron/patches/env_patches.py:set_cuda_device_max_connections.
void max_connections(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool exempt = *config.use_torch_fsdp2 || *config.use_megatron_fsdp || *config.overlap_moe_expert_parallel_comm;
  if (exempt || (run.tp() <= 1 && run.cp() <= 1)) return;
  const bool custom_fsdp = *run.given.use_custom_fsdp;
  const auto exported = run.environment.get("CUDA_DEVICE_MAX_CONNECTIONS");
  const std::string_view value = custom_fsdp ? std::string_view("8") : exported.value_or("1");
  if (value == "1") return;
  out.add(run.tp() > 1 ? config.tensor_model_parallel_size : config.context_parallel_size, [&](Message& m) {
    m.say("CUDA_DEVICE_MAX_CONNECTIONS is {}, but TP {} and CP {} need 1", value, run.tp(), run.cp());
    if (custom_fsdp) {
      m.because("Primus sets it to 8 for use_custom_fsdp, which switches on nothing else");
      m.also(run.given.use_custom_fsdp);
      m.help("take use_custom_fsdp out, or use use_megatron_fsdp");
    } else {
      m.help("unset it (Primus sets 1), or export 1");
    }
  });
}

void attention_variant(const MegatronRun& run, Findings& out) {
  const Word& variant = run.config.experimental_attention_variant;
  const bool dsa = *variant == "dsa";
  if (run.cp() > 1 && (dsa || *variant == "gated_delta_net")) {
    out.add(run.config.context_parallel_size, [&](Message& m) {
      m.say("{} attention does not support context parallelism yet, but CP is {}", *variant, run.cp());
      m.also(variant);
      m.fix("set context_parallel_size to 1", run.config.context_parallel_size, "1");
    });
  }
  if (dsa && *run.config.apply_rope_fusion) {
    out.add(variant, [&](Message& m) {
      m.say("dsa attention needs apply_rope_fusion: false");
      m.also(run.config.apply_rope_fusion);
    });
  }
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG616",
      .name = "context-with-local-attention",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/dot_product_attention.py:__init__",
      .outcome = "Megatron stops when attention is built (AssertionError)",
      .summary = "Context parallelism needs Transformer Engine or Primus-Turbo attention.",
      .explanation = "The local attention knows nothing of other ranks' tokens.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 2\n"
                      "transformer_impl: local\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 2\n"
                       "transformer_impl: transformer_engine\n"}},
     local_attention},
    {{.id = "MG623",
      .name = "context-with-unfused-attention",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "transformer_engine/pytorch/attention/dot_product_attention/utils.py:get_attention_backend",
      .outcome = "Transformer Engine stops in the first step: no attention backend is available (ValueError)",
      .summary = "Context parallelism needs flash or fused attention.",
      .explanation = "attention_backend switches the other backends of Transformer Engine off, and under context "
                     "parallelism Transformer Engine switches the unfused one off.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 2\n"
                      "attention_backend: unfused\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 2\n"
                       "attention_backend: fused\n"}},
     unfused_attention},
    {{.id = "MG618",
      .name = "sink-attention-lost",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/core/extensions/primus_turbo.py:__init__",
      .outcome = "sink attention is switched off: another model is trained",
      .summary = "Sink attention works without context parallelism only.",
      .explanation = "Primus-Turbo logs a warning and goes on without sinks.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 2\n"
                      "use_sink_attention: true\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_attention: true\n"
                      "cp_comm_type: a2a\n"},
      .good = {.world_size = 8,
               .yaml = "use_sink_attention: true\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_attention: true\n"
                       "cp_comm_type: a2a\n"}},
     sink_attention},
    {{.id = "MG619",
      .name = "turbo-window",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/core/extensions/primus_turbo.py:__init__",
      .outcome = "Primus-Turbo stops when attention is built (AssertionError)",
      .summary = "Turbo attention takes no window_size.",
      .explanation = "Its sliding windows are set with sink_sliding_window.",
      .bad = {.world_size = 8,
              .yaml = "window_size: [128, 0]\n"
                      "enable_primus_turbo: true\n"
                      "use_turbo_attention: true\n"},
      .good = {.world_size = 8,
               .yaml = "window_size: null\n"
                       "enable_primus_turbo: true\n"
                       "use_turbo_attention: true\n"}},
     turbo_window},
    {{.id = "MG620",
      .name = "hybrid-context-needs",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "hybrid_context_parallel needs a plain set-up.",
      .explanation = "No pipeline, no CUDA graphs, no Megatron-FSDP, dataloader_type single (the pre_trainer preset "
                     "takes cyclic) and calculate_per_token_loss.",
      .bad = {.world_size = 8,
              .yaml = "hybrid_context_parallel: true\n"
                      "calculate_per_token_loss: true\n"
                      "max_seqlen_per_dp_cp_rank: 4096\n"
                      "dataloader_type: cyclic\n"},
      .good = {.world_size = 8,
               .yaml = "hybrid_context_parallel: true\n"
                       "calculate_per_token_loss: true\n"
                       "max_seqlen_per_dp_cp_rank: 4096\n"
                       "dataloader_type: single\n"}},
     hybrid_context},
    {{.id = "MG621",
      .name = "hybrid-context-odd",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::parallel_state,
      .outcome = "Megatron stops when it builds the process groups (AssertionError)",
      .summary = "hybrid_context_parallel needs an even DP x CP.",
      .explanation = "The groups are halved again and again.",
      .bad = {.world_size = 8,
              .yaml = "hybrid_context_parallel: true\n"
                      "calculate_per_token_loss: true\n"
                      "max_seqlen_per_dp_cp_rank: 4096\n"
                      "dataloader_type: single\n"
                      "tensor_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "hybrid_context_parallel: true\n"
                       "calculate_per_token_loss: true\n"
                       "max_seqlen_per_dp_cp_rank: 4096\n"
                       "dataloader_type: single\n"
                       "tensor_model_parallel_size: 4\n"}},
     hybrid_context_odd},
    {{.id = "MG622",
      .name = "device-max-connections",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Tensor and context parallelism need CUDA_DEVICE_MAX_CONNECTIONS=1.",
      .explanation = "One hardware queue makes sure that communication is launched in the order of the code. Primus "
                     "sets 1 only where the variable is not exported already.",
      .bad = {.world_size = 8,
              .yaml = "tensor_model_parallel_size: 2\n",
              .environment = "CUDA_DEVICE_MAX_CONNECTIONS=8"},
      .good = {.world_size = 8,
               .yaml = "tensor_model_parallel_size: 2\n",
               .environment = "CUDA_DEVICE_MAX_CONNECTIONS=1"}},
     max_connections},
    {{.id = "MG624",
      .name = "attention-variant-with-context",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "gated_delta_net and dsa attention work without context parallelism only.",
      .explanation = "dsa also needs apply_rope_fusion: false.",
      .bad = {.world_size = 8,
              .yaml = "context_parallel_size: 2\n"
                      "experimental_attention_variant: dsa\n"
                      "multi_latent_attention: true\n"
                      "apply_rope_fusion: false\n"},
      .good = {.world_size = 8,
               .yaml = "context_parallel_size: 1\n"
                       "experimental_attention_variant: dsa\n"
                       "multi_latent_attention: true\n"
                       "apply_rope_fusion: false\n"}},
     attention_variant},
};

}  // namespace

RuleList context_parallel_rules() { return rules; }

}  // namespace primus_plan::megatron
