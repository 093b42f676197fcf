#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops when it checks its arguments (AssertionError)";
constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";

void shared_size_not_positive(const MegatronRun& run, Findings& out) {
  const MaybeCount& size = run.config.moe_shared_expert_intermediate_size;
  if (size.value.value_or(1) > 0 || !has_megatron_config(run)) return;
  out.add(size, [&](Message& m) {
    m.say("moe_shared_expert_intermediate_size is {}: a shared expert has a positive width", *size.value);
    m.fix("no shared expert", size, "null");
  });
}

void shared_overlap_dispatcher(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!config.moe_shared_expert_intermediate_size.value || !*config.moe_shared_expert_overlap) return;
  const Word& type = config.moe_token_dispatcher_type;
  if (*type == "alltoall" || !has_megatron_config(run)) return;
  out.add(config.moe_shared_expert_overlap, [&](Message& m) {
    m.say("moe_shared_expert_overlap works with moe_token_dispatcher_type alltoall only, but it is {}", or_null(type));
    m.also(type);
    fix_either(m, config.moe_shared_expert_overlap, "false", type, "alltoall");
  });
}

void shared_expert_bias(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!builds_experts(run) || !config.moe_shared_expert_intermediate_size.value || !*config.add_bias_linear) return;
  out.add(config.add_bias_linear, [&](Message& m) {
    m.say("add_bias_linear is on, but the shared expert (moe_shared_expert_intermediate_size {}) has no bias",
          *config.moe_shared_expert_intermediate_size.value);
    m.also(config.moe_shared_expert_intermediate_size);
    m.fix("no bias", config.add_bias_linear, "false");
  });
}

void latent_without_experts(const MegatronRun& run, Findings& out) {
  const MaybeCount& size = run.config.moe_latent_size;
  if (!size.value) return;
  if (*size.value > 0 && run.is_moe() && !*run.config.use_legacy_models) return;
  out.add(size, [&](Message& m) {
    if (*size.value <= 0) {
      m.say("moe_latent_size is {}: a projection has a positive width", *size.value);
    } else if (!run.is_moe()) {
      m.say("moe_latent_size is {}, but the model has no experts: num_experts is not set", *size.value);
    } else {
      m.say("moe_latent_size {} does not work with use_legacy_models", *size.value);
    }
    m.fix("no latent projection", size, "null");
  });
}

void latent_with_shared_overlap(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!builds_experts(run) || !config.moe_latent_size.value || !*config.moe_shared_expert_overlap) return;
  if (!config.moe_shared_expert_intermediate_size.value) return;
  out.add(config.moe_shared_expert_overlap, [&](Message& m) {
    m.say("moe_shared_expert_overlap does not work with moe_latent_size {}", *config.moe_latent_size.value);
    m.also(config.moe_latent_size);
    m.fix("no overlap of the shared expert", config.moe_shared_expert_overlap, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG421",
      .name = "shared-expert-overlap-dispatcher",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping the shared expert needs the alltoall dispatcher.",
      .explanation = "moe_shared_expert_overlap runs the shared expert while tokens travel. Only the alltoall "
                     "dispatcher is written for that.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: allgather\n"
                      "moe_shared_expert_intermediate_size: 512\n"
                      "moe_shared_expert_overlap: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_shared_expert_intermediate_size: 512\n"
                       "moe_shared_expert_overlap: true\n"}},
     shared_overlap_dispatcher},
    {{.id = "MG422",
      .name = "shared-expert-size",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "moe_shared_expert_intermediate_size is positive or null.",
      .explanation = "It is the width of all shared experts together. null means that there is none; 0 is "
                     "refused.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_shared_expert_intermediate_size: 0\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_shared_expert_intermediate_size: 512\n"}},
     shared_size_not_positive},
    {{.id = "MG423",
      .name = "shared-expert-bias",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/moe/shared_experts.py:__init__",
      .outcome = "Megatron stops when it builds the shared expert (AssertionError)",
      .summary = "Shared experts have no bias.",
      .explanation = "add_bias_linear holds for all linear layers of the model, and the shared expert is not "
                     "written for it.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_shared_expert_intermediate_size: 512\n"
                      "add_bias_linear: true\n"
                      "bias_dropout_fusion: false\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_shared_expert_intermediate_size: 512\n"}},
     shared_expert_bias},
    {{.id = "MG407",
      .name = "latent-experts",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "moe_latent_size needs experts and a positive width.",
      .explanation = "Tokens are projected to this width before they travel to the experts and back after. It "
                     "means nothing in a dense model, and the legacy models do not have it.",
      .bad = {.world_size = 8, .yaml = "moe_latent_size: 256\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_latent_size: 256\n"}},
     latent_without_experts},
    {{.id = "MG414",
      .name = "latent-experts-with-shared-overlap",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/transformer/moe/moe_layer.py:forward",
      .outcome = "the first forward pass stops (AssertionError)",
      .summary = "A latent projection excludes overlap of the shared expert.",
      .explanation = "The shared expert works on the full width while the others work on the latent one, and the "
                     "overlapped path does not tell them apart.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_latent_size: 256\n"
                      "moe_shared_expert_intermediate_size: 512\n"
                      "moe_shared_expert_overlap: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_latent_size: 256\n"
                       "moe_shared_expert_intermediate_size: 512\n"}},
     latent_with_shared_overlap},
};

}  // namespace

RuleList shared_expert_rules() { return rules; }

}  // namespace primus_plan::megatron
