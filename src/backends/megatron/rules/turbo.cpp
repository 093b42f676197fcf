#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* rocm_stops = "Primus stops in its own argument checks";

/// Switches of single Primus-Turbo features; each needs enable_primus_turbo.
constexpr Flag MegatronConfig::*features[] = {
    &MegatronConfig::use_turbo_attention,
    &MegatronConfig::use_turbo_deepep,
    &MegatronConfig::use_turbo_fused_act_with_probs,
    &MegatronConfig::use_turbo_gemm,
    &MegatronConfig::use_turbo_grouped_gemm,
    &MegatronConfig::use_turbo_mega_moe,
    &MegatronConfig::use_turbo_rms_norm,
};

const Flag* first_feature(const MegatronConfig& config) {
  const auto* found =
      std::find_if(std::begin(features), std::end(features), [&](auto each) { return *(config.*each); });
  return found == std::end(features) ? nullptr : &(config.**found);
}

std::string feature_names(const MegatronConfig& config) {
  std::string names;
  for (const auto each : features) {
    if (*(config.*each)) names += fmt::format("{}{}", names.empty() ? "" : ", ", (config.*each).key);
  }
  return names;
}

void features_switched_off(const MegatronRun& run, Findings& out) {
  if (*run.config.enable_primus_turbo) return;
  const Flag* first = first_feature(run.given);
  if (first == nullptr) return;
  out.add(*first, [&](Message& m) {
    m.say("no effect without enable_primus_turbo: true: {}", feature_names(run.given));
    m.also(run.config.enable_primus_turbo);
    for (const auto each : features) {
      const Flag& feature = run.given.*each;
      if (*feature && &feature != first) m.also(feature);
    }
    m.fix("switch Primus-Turbo on", run.config.enable_primus_turbo, "true");
  });
}

void linear_layers_split(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.enable_primus_turbo || !*config.use_turbo_gemm || run.tp() <= 1) return;
  if (*config.transformer_impl != "transformer_engine" || !has_megatron_config(run)) return;
  out.add(config.use_turbo_gemm, [&](Message& m) {
    m.say("use_turbo_gemm needs tensor_model_parallel_size 1, but it is {}", run.tp());
    m.also(config.tensor_model_parallel_size);
    m.help("set tensor_model_parallel_size: 1, or use_turbo_gemm: false");
    m.fix("linear layers of Transformer Engine", config.use_turbo_gemm, "false");
  });
}

void features_under_tensor_parallel(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.enable_primus_turbo || run.tp() <= 1) return;
  const Flag* first = first_feature(run.given);
  // The linear layers stop the run by themselves, and so do grouped ones that are split.
  if (first == nullptr || *config.use_turbo_gemm) return;
  if (*config.use_turbo_grouped_gemm && run.degrees.expert_tensor > 1) return;
  out.add(*first, [&](Message& m) {
    m.say("with tensor_model_parallel_size {} it depends on the release of Primus whether these take effect: {}",
          run.tp(), feature_names(run.given));
    m.also(config.tensor_model_parallel_size);
    m.because(
        "until August 2026 Primus left every Primus-Turbo patch out under tensor parallelism, with a line in the "
        "log alone; the pinned version applies all but the linear layers");
    m.help("look for \"Primus Turbo\" in the log of the first step, or set tensor_model_parallel_size: 1");
  });
}

void removed_names(const MegatronRun& run, Findings& out) {
  const auto report = [&](const Flag& old_name, const char* new_name) {
    if (!*old_name) return;
    out.add(old_name, [&](Message& m) {
      m.say("{} was removed from Primus: the key is {} now", old_name.key, new_name);
      m.help("write {}: true instead", new_name);
      m.fix("switch the old key off", old_name, "false");
    });
  };
  report(run.config.use_turbo_parallel_linear, "use_turbo_gemm");
  report(run.config.use_turbo_grouped_mlp, "use_turbo_grouped_gemm");
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG468",
      .name = "turbo-switched-off",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/patches/turbo/utils.py:_is_primus_turbo_enabled",
      .outcome = "Primus leaves the patches out and the ordinary layers run",
      .summary = "use_turbo_* keys need enable_primus_turbo.",
      .explanation = "Each feature of Primus-Turbo has its own switch, and enable_primus_turbo is the switch for "
                     "all of them. Without it the others do nothing, though Primus still checks some of them.",
      .bad = {.world_size = 8, .yaml = "use_turbo_attention: true\n"},
      .good = {.world_size = 8,
               .yaml = "enable_primus_turbo: true\n"
                       "use_turbo_attention: true\n"}},
     features_switched_off},
    {{.id = "MG458",
      .name = "turbo-gemm-with-tensor-parallel",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/core/extensions/primus_turbo.py:__init__",
      .outcome = "Primus stops when it builds the first linear layer (AssertionError)",
      .summary = "Turbo's linear layers are not split by tensor parallelism.",
      .explanation = "The column- and row-parallel layers of Primus-Turbo insist on tensor_model_parallel_size "
                     "1. Attention, norms and the DeepEP dispatcher have no such limit.",
      .bad = {.world_size = 8,
              .yaml = "enable_primus_turbo: true\n"
                      "use_turbo_gemm: true\n"
                      "tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "enable_primus_turbo: true\n"
                       "use_turbo_gemm: true\n"}},
     linear_layers_split},
    {{.id = "MG460",
      .name = "turbo-under-tensor-parallel",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/patches/turbo/utils.py:is_primus_turbo_can_patch",
      .outcome = "Older releases of Primus leave every Primus-Turbo patch out",
      .summary = "Under tensor parallelism older Primus releases switch Primus-Turbo off in silence.",
      .explanation = "Until August 2026 Primus applied none of its Primus-Turbo patches when "
                     "tensor_model_parallel_size was above 1: the run went on with Transformer Engine, and only "
                     "a line in the log told. The pinned version applies those that do not depend on tensor "
                     "parallelism. Which one holds depends on the image the run uses.",
      .bad = {.world_size = 8,
              .yaml = "enable_primus_turbo: true\n"
                      "use_turbo_attention: true\n"
                      "tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "enable_primus_turbo: true\n"
                       "use_turbo_attention: true\n"}},
     features_under_tensor_parallel},
    {{.id = "MG465",
      .name = "turbo-key-removed",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = rocm_stops,
      .summary = "use_turbo_parallel_linear and use_turbo_grouped_mlp are gone.",
      .explanation = "Primus renamed them to use_turbo_gemm and use_turbo_grouped_gemm and refuses the old names "
                     "when they are true.",
      .bad = {.world_size = 8, .yaml = "use_turbo_grouped_mlp: true\n"},
      .good = {.world_size = 8,
               .yaml = "enable_primus_turbo: true\n"
                       "use_turbo_grouped_gemm: true\n"}},
     removed_names},
};

}  // namespace

RuleList turbo_rules() { return rules; }

}  // namespace primus_plan::megatron
