#include <algorithm>

#include "backends/common/choices.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* float8_init = "torchtitan/components/quantization/float8.py:__init__";
constexpr const char* mx_init = "torchtitan/components/quantization/mx.py:__init__";

bool fp8_patch(const TorchTitanRun& run) {
  return *run.config.enable_primus_turbo && *run.config.use_turbo_float8_linear;
}
bool mx_patch(const TorchTitanRun& run) { return *run.config.enable_primus_turbo && *run.config.use_turbo_mx_linear; }

/// Source: torchtitan/protocols/model_converter.py:register_model_converter and its callers; Primus's patches/turbo.
bool is_registered(std::string_view name, const TorchTitanRun& run) {
  constexpr std::string_view upstream[] = {"quantize.linear.float8", "quantize.linear.mx", "quantize.grouped_mm.float8",
                                           "quantize.grouped_mm.mx", "primus_turbo"};
  if (std::find(std::begin(upstream), std::end(upstream), name) != std::end(upstream)) return true;
  if (name == "turbo_fp8_linear" || name == "primus_turbo_fp8") return fp8_patch(run);
  if (name == "mx" || name == "primus_turbo_mx") return mx_patch(run);
  return false;
}

void converters_unreadable(const TorchTitanRun& run, Findings& out) {
  if (run.parsed.converters.readable) return;
  out.add(run.config.model_converters, [&](Message& m) {
    m.say("model.converters is no list of names");
    m.help("[] means none");
  });
}

void converter_unknown(const TorchTitanRun& run, Findings& out) {
  for (const std::string_view name : run.parsed.converters.names) {
    if (is_registered(name, run)) continue;
    out.add(run.config.model_converters, [&](Message& m) {
      m.say("model.converters: no converter is registered as {}", quoted(name));
      m.help(
          "quantize.linear.float8, quantize.linear.mx, quantize.grouped_mm.float8, quantize.grouped_mm.mx, "
          "primus_turbo");
      if (name == "turbo_fp8_linear" || name == "primus_turbo_fp8")
        m.help("Primus registers it with primus_turbo.use_turbo_float8_linear");
      if (name == "mx" || name == "primus_turbo_mx")
        m.help("Primus registers it with primus_turbo.use_turbo_mx_linear");
    });
  }
}

void turbo_converter_without_import(const TorchTitanRun& run, Findings& out) {
  constexpr std::string_view extension = "primus.backends.torchtitan.primus_turbo_extensions.config_extension";
  const Word& module = run.config.experimental_custom_args_module;
  if (!run.parsed.converters.turbo || *module == extension) return;
  out.add(module, [&](Message& m) {
    m.say("experimental.custom_args_module {} takes the place of the module that registers the primus_turbo converter",
          quoted(*module));
    m.because("an import that fails is logged and forgotten; the converter is then missing (KeyError)");
    m.help("keep {}, or drop primus_turbo from model.converters", extension);
  });
}

std::string_view family_of(std::string_view converter) { return converter.substr(converter.rfind('.') + 1); }

void quantization_families_mixed(const TorchTitanRun& run, Findings& out) {
  std::string_view first;
  for (const std::string_view name : run.parsed.converters.names) {
    if (name.find("quantize") == std::string_view::npos) continue;
    if (first.empty()) first = name;
    if (family_of(name) == family_of(first)) continue;
    out.add(run.config.model_converters, [&](Message& m) {
      m.say("model.converters mixes {} and {}", first, name);
      m.help("take converters of one kind: float8 or mx");
    });
    return;
  }
}

/// MXFP8 needs gfx950 or SM100. Nothing in an experiment names the GPU; ROCm images name what they are built for.
bool is_built_for_gfx950(const Environment& environment) {
  const auto targets = environment.get("PYTORCH_ROCM_ARCH");
  return targets && targets->find("gfx95") != std::string_view::npos;
}

void mx_linear_not_possible(const TorchTitanRun& run, Findings& out) {
  if (!run.parsed.converters.mx_linear) return;
  const bool has_hardware = is_built_for_gfx950(run.environment);
  const bool tensor_parallel = run.tp() > 1 && run.parsed.compiles_model;
  if (has_hardware && !tensor_parallel) return;
  out.add(run.config.model_converters, [&](Message& m) {
    if (!has_hardware) {
      m.say("quantize.linear.mx needs MI350 or MI355X (gfx950) or a GPU of SM100: on MI300X and MI325X the run stops");
      m.help("quantize.linear.float8 runs on all of them");
      m.help("for MI350 and MI355X say what the image is built for: --env PYTORCH_ROCM_ARCH=gfx950");
      if (tensor_parallel) m.because("even there a compiled model does not go with TP {}", run.tp());
    } else {
      m.say("quantize.linear.mx in a compiled model does not go with TP {}", run.tp());
      m.also(run.config.tensor_parallel_degree).also(run.config.compile_enable);
      m.help("tensor_parallel_degree: 1, or compile.enable: false");
    }
  });
}

void grouped_float8_with_parallelism(const TorchTitanRun& run, Findings& out) {
  if (!run.parsed.converters.grouped_float8 || (run.pp() <= 1 && run.cp() <= 1)) return;
  out.add(run.config.model_converters, [&](Message& m) {
    m.say("quantize.grouped_mm.float8 goes with neither PP nor CP, here PP {} and CP {}", run.pp(), run.cp());
    m.also(run.config.pipeline_parallel_degree).also(run.config.context_parallel_degree);
    m.help("drop quantize.grouped_mm.float8, or set pipeline_parallel_degree and context_parallel_degree to 1");
  });
}

void float8_gather_with_recipe(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& given = run.given;
  const bool has_recipe = !(*given.float8_recipe_name).empty();
  if (!run.parsed.converters.float8_linear || !has_recipe || !*given.float8_enable_fsdp_float8_all_gather) return;
  out.add(given.float8_enable_fsdp_float8_all_gather, [&](Message& m) {
    m.say("enable_fsdp_float8_all_gather does not go with recipe_name {}", *given.float8_recipe_name);
    m.also(given.float8_recipe_name);
    m.help("drop recipe_name (tensorwise scaling), or set enable_fsdp_float8_all_gather to false");
    fix_either(m, given.float8_enable_fsdp_float8_all_gather, "false", given.float8_recipe_name, "null");
  });
}

void float8_gather_without_shards(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& given = run.given;
  if (!run.parsed.converters.float8_linear || run.meshes.dp_shard != 1 || !*given.float8_enable_fsdp_float8_all_gather)
    return;
  if (!(*given.float8_recipe_name).empty()) return;
  out.add(given.float8_enable_fsdp_float8_all_gather, [&](Message& m) {
    m.say("enable_fsdp_float8_all_gather has no effect: the shard degree is 1 (CP does not count here)");
    because_of_shard(m, run);
  });
}

void float8_recipe_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& recipe = run.given.float8_recipe_name;
  if (!run.parsed.converters.float8_linear || recipe.value.data() == nullptr || run.is_unreadable(recipe.key)) return;
  constexpr std::string_view recipes = "tensorwise|rowwise|rowwise_with_gw_hp";
  if (is_choice(recipes, *recipe)) return;
  out.add(recipe, [&](Message& m) {
    m.say("quantize.linear.float8.recipe_name {} is none of tensorwise, rowwise, rowwise_with_gw_hp", quoted(*recipe));
    m.help("null scales by tensor");
    offer_word(m, recipe, recipes);
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT721",
      .name = "converters-unreadable",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/protocols/model_converter.py:__init__",
      .outcome = "TorchTitan stops when it builds the converters (TypeError or KeyError)",
      .summary = "model.converters is a list of names.",
      .explanation = "A string would be read letter by letter, null not at all.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: null\ntraining:\n"
                      "  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: []\ntraining:\n  seq_len: 2048\n"}},
     converters_unreadable},
    {{.id = "TT722",
      .name = "converter-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/protocols/model_converter.py:__init__",
      .outcome = "TorchTitan stops when it builds the converters (KeyError)",
      .summary = "model.converters names registered converters.",
      .explanation = "float8 and mx have been renamed to quantize.linear.float8 and quantize.linear.mx. Primus "
                     "adds primus_turbo, and some names together with the primus_turbo switches that stand for "
                     "them.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [float8]\ntraining:\n"
                      "  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.grouped_mm.float8]\n"
                       "training:\n  seq_len: 2048\n"}},
     converter_unknown},
    {{.id = "TT723",
      .name = "turbo-converter-without-import",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = "primus/backends/torchtitan/config_utils.py:build_job_config_from_namespace",
      .outcome = "the converter is likely to be missing (KeyError)",
      .summary = "The primus_turbo converter comes with the preset's experimental.custom_args_module.",
      .explanation = "That module registers the primus_turbo section and its converter. A module of your own has "
                     "to import it.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [primus_turbo]\nexperimental:\n"
                      "  custom_args_module: my.module\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: []\nexperimental:\n"
                       "  custom_args_module: my.module\ntraining:\n  seq_len: 2048\n"}},
     turbo_converter_without_import},
    {{.id = "TT724",
      .name = "quantization-families-mixed",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/components/quantization/__init__.py:_validate",
      .outcome = "TorchTitan stops when it builds the converters (AssertionError)",
      .summary = "All quantize.* converters are of one kind.",
      .explanation = "float8 and mx converters do not go together, not even one for linear layers and the other "
                     "for experts.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                      "  converters: [quantize.grouped_mm.float8, quantize.grouped_mm.mx]\ntraining:\n"
                      "  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                       "  converters: [quantize.grouped_mm.float8]\ntraining:\n  seq_len: 2048\n"}},
     quantization_families_mixed},
    {{.id = "TT725",
      .name = "mx-linear-not-possible",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = mx_init,
      .outcome = "TorchTitan stops when it builds the converters (AssertionError)",
      .summary = "quantize.linear.mx needs gfx950 or SM100, and TP 1 in a compiled model.",
      .explanation = "MXFP8 products exist on MI350, MI355X and NVIDIA's SM100. An experiment does not name its "
                     "GPU, so this is an error unless the environment says PYTORCH_ROCM_ARCH=gfx950. "
                     "primus_turbo_mx is Primus's own converter without this check.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.mx]\n"
                      "training:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.grouped_mm.float8]\n"
                       "training:\n  seq_len: 2048\n"}},
     mx_linear_not_possible},
    {{.id = "TT726",
      .name = "float8-recipe-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = float8_init,
      .outcome = "torchao stops when TorchTitan builds the converter (AssertionError or ValueError)",
      .summary = "quantize.linear.float8.recipe_name is null, tensorwise, rowwise or rowwise_with_gw_hp.",
      .explanation = "The name goes to torchao's Float8LinearConfig as it stands. Nothing looks at it without the "
                     "converter quantize.linear.float8.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
                      "quantize:\n  linear:\n    float8:\n      recipe_name: rowwis\n"
                      "primus_turbo:\n  use_turbo_float8_linear: false\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
                       "quantize:\n  linear:\n    float8:\n      recipe_name: rowwise\n"
                       "primus_turbo:\n  use_turbo_float8_linear: false\n"}},
     float8_recipe_unknown},
    {{.id = "TT727",
      .name = "grouped-float8-with-pipeline-or-context",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = float8_init,
      .outcome = "TorchTitan stops when it builds the converters (AssertionError)",
      .summary = "quantize.grouped_mm.float8 goes with neither PP nor CP.",
      .explanation = "It is a prototype for experts under FSDP, TP and EP.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                      "  converters: [quantize.grouped_mm.float8]\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                       "  converters: [quantize.grouped_mm.float8]\nparallelism:\n"
                       "  expert_parallel_degree: 8\n"}},
     grouped_float8_with_parallelism},
    {{.id = "TT728",
      .name = "float8-gather-with-recipe",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = float8_init,
      .outcome = "TorchTitan stops when it builds the converters (AssertionError)",
      .summary = "A float8 recipe goes with no float8 all-gather.",
      .explanation = "enable_fsdp_float8_all_gather belongs to tensorwise scaling without a recipe name.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
                      "quantize:\n  linear:\n    float8:\n      recipe_name: rowwise\n"
                      "      enable_fsdp_float8_all_gather: true\nprimus_turbo:\n"
                      "  use_turbo_float8_linear: false\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
                       "quantize:\n  linear:\n    float8:\n      recipe_name: rowwise\n"
                       "      enable_fsdp_float8_all_gather: false\nprimus_turbo:\n"
                       "  use_turbo_float8_linear: false\ntraining:\n  seq_len: 2048\n"}},
     float8_gather_with_recipe},
    {{.id = "TT729",
      .name = "float8-gather-without-shards",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = float8_init,
      .outcome = "the run goes on and gathers in the parameters' own type",
      .summary = "enable_fsdp_float8_all_gather needs a shard degree above 1.",
      .explanation = "Only data_parallel_shard_degree counts: CP shards parameters too, but does not switch the "
                     "float8 all-gather on.",
      .bad = {.world_size = 1,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
                      "quantize:\n  linear:\n    float8:\n      enable_fsdp_float8_all_gather: true\n"
                      "primus_turbo:\n  use_turbo_float8_linear: false\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
                       "quantize:\n  linear:\n    float8:\n      enable_fsdp_float8_all_gather: true\n"
                       "primus_turbo:\n  use_turbo_float8_linear: false\ntraining:\n  seq_len: 2048\n"}},
     float8_gather_without_shards},
};

}  // namespace

RuleList quantization_rules() { return rules; }

}  // namespace primus_plan::torchtitan
