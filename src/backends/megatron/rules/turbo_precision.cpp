#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* rocm_stops = "Primus stops in its own argument checks";

void fp8_recipe(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!is_set(config.fp8) || !*config.use_turbo_gemm) return;
  const Word& recipe = config.fp8_recipe;
  if (*recipe == "tensorwise" || *recipe == "blockwise" || *recipe == "mxfp8") return;
  out.add(recipe, [&](Message& m) {
    m.say("use_turbo_gemm takes fp8_recipe tensorwise, blockwise or mxfp8, but it is {}", or_null(recipe));
    m.also(config.use_turbo_gemm);
    m.help("set fp8_recipe: tensorwise");
    if (recipe.value.data() == nullptr || *recipe == "delayed" || *recipe == "custom") {
      m.fix("scale by tensor", recipe, "tensorwise");
    } else {
      offer_word(m, recipe, "tensorwise|blockwise|mxfp8");
    }
  });
}

void fp4_recipe(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!is_set(config.fp4) || !*config.use_turbo_gemm || *config.fp4_recipe == "mxfp4") return;
  out.add(config.fp4_recipe, [&](Message& m) {
    m.say("use_turbo_gemm takes fp4_recipe mxfp4, but it is {}", or_null(config.fp4_recipe));
    m.also(config.use_turbo_gemm);
    m.help("set fp4_recipe: mxfp4");
    if (*config.fp4_recipe == "nvfp4" || *config.fp4_recipe == "custom") {
      m.fix("use mxfp4", config.fp4_recipe, "mxfp4");
    } else {
      offer_word(m, config.fp4_recipe, "mxfp4");
    }
  });
}

void fp4_of_the_engine(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!is_set(config.fp4) || !*config.use_turbo_gemm || !*config.fp4_use_native_te_autocast) return;
  if (*config.transformer_impl == "local") return;
  out.add(config.fp4_use_native_te_autocast, [&](Message& m) {
    m.say("fp4_use_native_te_autocast leaves fp4 to Transformer Engine, while use_turbo_gemm takes the layers from it");
    m.also(config.use_turbo_gemm);
    m.fix("leave fp4 to Primus-Turbo", config.fp4_use_native_te_autocast, "false");
  });
}

void mxfp8_variable(const MegatronRun& run, Findings& out) {
  const Word& recipe = run.config.fp8_recipe;
  if (*recipe != "mxfp8" || run.environment.get("NVTE_ROCM_ENABLE_MXFP8").value_or("0") == "1") return;
  out.add(recipe, [&](Message& m) {
    m.say("fp8_recipe mxfp8 needs NVTE_ROCM_ENABLE_MXFP8=1 in the environment");
    if (!is_set(run.config.fp8)) m.because("Primus looks at the recipe even though fp8 is not set");
    m.help("export NVTE_ROCM_ENABLE_MXFP8=1 (here: --env NVTE_ROCM_ENABLE_MXFP8=1), or choose another recipe");
    m.fix("scale by tensor", recipe, "tensorwise");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG461",
      .name = "turbo-fp8-recipe",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "Primus stops in its own argument checks (AssertionError)",
      .summary = "Turbo's linear layers have three fp8 recipes.",
      .explanation = "use_turbo_gemm with fp8 works with fp8_recipe tensorwise, blockwise or mxfp8. The base "
                     "preset says delayed, which the experiment has to replace. Primus checks this whether or "
                     "not enable_primus_turbo is on.",
      .bad = {.world_size = 8,
              .yaml = "enable_primus_turbo: true\n"
                      "use_turbo_gemm: true\n"
                      "fp8: hybrid\n"
                      "fp8_recipe: delayed\n"},
      .good = {.world_size = 8,
               .yaml = "enable_primus_turbo: true\n"
                       "use_turbo_gemm: true\n"
                       "fp8: hybrid\n"
                       "fp8_recipe: tensorwise\n"}},
     fp8_recipe},
    {{.id = "MG462",
      .name = "turbo-fp4-recipe",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "Primus stops in its own argument checks (AssertionError)",
      .summary = "Turbo's linear layers have one fp4 recipe: mxfp4.",
      .explanation = "use_turbo_gemm with fp4 works with fp4_recipe mxfp4 only.",
      .bad = {.world_size = 8,
              .yaml = "enable_primus_turbo: true\n"
                      "use_turbo_gemm: true\n"
                      "fp4: e2m1\n"
                      "fp4_recipe: nvfp4\n"},
      .good = {.world_size = 8,
               .yaml = "enable_primus_turbo: true\n"
                       "use_turbo_gemm: true\n"
                       "fp4: e2m1\n"
                       "fp4_recipe: mxfp4\n"}},
     fp4_recipe},
    {{.id = "MG463",
      .name = "turbo-fp4-native",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = rocm_stops,
      .summary = "fp4 runs in Primus-Turbo or in Transformer Engine, not in both.",
      .explanation = "fp4_use_native_te_autocast leaves fp4 to Transformer Engine's own layers, which "
                     "use_turbo_gemm replaces.",
      .bad = {.world_size = 8,
              .yaml = "enable_primus_turbo: true\n"
                      "use_turbo_gemm: true\n"
                      "fp4: e2m1\n"
                      "fp4_recipe: mxfp4\n"
                      "fp4_use_native_te_autocast: true\n"},
      .good = {.world_size = 8,
               .yaml = "enable_primus_turbo: true\n"
                       "use_turbo_gemm: true\n"
                       "fp4: e2m1\n"
                       "fp4_recipe: mxfp4\n"}},
     fp4_of_the_engine},
    {{.id = "MG464",
      .name = "mxfp8-variable",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "Primus stops in its own argument checks (AssertionError)",
      .summary = "fp8_recipe mxfp8 needs an environment variable.",
      .explanation = "On ROCm mxfp8 is behind NVTE_ROCM_ENABLE_MXFP8=1. Primus asks for the variable as soon as "
                     "the recipe is named, even when fp8 is off.",
      .bad = {.world_size = 8,
              .yaml = "fp8: hybrid\n"
                      "fp8_recipe: mxfp8\n"},
      .good = {.world_size = 8,
               .yaml = "fp8: hybrid\n"
                       "fp8_recipe: mxfp8\n",
               .environment = "NVTE_ROCM_ENABLE_MXFP8=1"}},
     mxfp8_variable},
};

}  // namespace

RuleList turbo_precision_rules() { return rules; }

}  // namespace primus_plan::megatron
