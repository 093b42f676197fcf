#include <algorithm>
#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops (AssertionError)";
constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig (ValueError)";

constexpr std::array<std::string_view, 5> known_recipes{"tensorwise", "delayed", "mxfp8", "blockwise", "custom"};

void fp16_and_bf16(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.fp16 || !*config.bf16) return;
  out.add(config.fp16, [&](Message& m) {
    m.say("fp16 and bf16 are both on");
    m.also(config.bf16, "bf16 is on");
    m.help("the Primus presets train in bf16: an fp16 run sets bf16: false");
    fix_either(m, config.fp16, "false", config.bf16, "false");
  });
}

void gradient_accumulation_type(const MegatronRun& run, Findings& out) {
  const MegatronConfig& given = run.given;
  if (!*given.bf16 || !*given.accumulate_allreduce_grads_in_fp32 || *given.main_grads_dtype == "fp32") return;
  out.add(given.main_grads_dtype, [&](Message& m) {
    m.say("main_grads_dtype {} does not go with accumulate_allreduce_grads_in_fp32", *given.main_grads_dtype);
    m.also(given.accumulate_allreduce_grads_in_fp32);
    m.help("accumulate_allreduce_grads_in_fp32: false; or main_grads_dtype: fp32");
    fix_either(m, given.main_grads_dtype, "fp32", given.accumulate_allreduce_grads_in_fp32, "false");
  });
}

void fp32_residual(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.fp32_residual_connection || *config.fp16 || *config.bf16) return;
  out.add(config.fp32_residual_connection, [&](Message& m) {
    m.say("fp32_residual_connection is for fp16 or bf16 training; both are off");
    m.also(config.bf16, "bf16 is off");
    m.help("bf16: true; or fp32_residual_connection: false (everything is fp32 already)");
    fix_either(m, config.fp32_residual_connection, "false", config.bf16, "true");
  });
}

void fp16_cross_entropy(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.fp16_lm_cross_entropy || *config.fp16) return;
  out.add(config.fp16_lm_cross_entropy, [&](Message& m) {
    m.say("fp16_lm_cross_entropy is for fp16 training; fp16 is off");
    m.also(config.fp16);
    m.fix("switch fp16_lm_cross_entropy off", config.fp16_lm_cross_entropy, "false");
  });
}

void fp8_and_fp4(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!is_set(config.fp8) || !is_set(config.fp4)) return;
  out.add(config.fp4, [&](Message& m) {
    m.say("fp4 {} and fp8 {} are both set: a run has one of the two", *config.fp4, *config.fp8);
    m.also(config.fp8);
    m.help("set the other to null");
    fix_either(m, config.fp4, "null", config.fp8, "null");
  });
}

void fp8_gather_without_sharding(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.fp8_param_gather) return;
  if (*config.use_distributed_optimizer || *config.use_torch_fsdp2 || *config.use_megatron_fsdp) return;
  out.add(config.fp8_param_gather, [&](Message& m) {
    m.say("fp8_param_gather needs sharded parameters to gather: no distributed optimizer or FSDP is on");
    m.also(config.use_distributed_optimizer);
    m.help("use_distributed_optimizer: true; or fp8_param_gather: false");
    fix_either(m, config.fp8_param_gather, "false", config.use_distributed_optimizer, "true");
  });
}

void fp8_gather_without_fp8(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.fp8_param_gather || is_set(config.fp8)) return;
  out.add(config.fp8_param_gather, [&](Message& m) {
    m.say("fp8_param_gather needs fp8 training; fp8 is null");
    m.also(config.fp8);
    m.help("fp8: hybrid (or e4m3); or fp8_param_gather: false");
    m.fix("switch fp8_param_gather off", config.fp8_param_gather, "false");
  });
}

void fp4_param_without_fp4(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.fp4_param || is_set(config.fp4)) return;
  out.add(config.fp4_param, [&](Message& m) {
    m.say("fp4_param needs fp4 training; fp4 is null");
    m.also(config.fp4);
    m.help("fp4: e2m1; or fp4_param: false");
    m.fix("switch fp4_param off", config.fp4_param, "false");
  });
}

void bf16_layers_out_of_range(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!is_set(config.fp8) || !*config.first_last_layers_bf16) return;
  if (*config.fp8_recipe == "delayed") {
    out.add(config.first_last_layers_bf16, [&](Message& m) {
      m.say("first_last_layers_bf16 does not go with fp8_recipe delayed");
      m.also(config.fp8_recipe);
      m.help("fp8_recipe: tensorwise or blockwise allow single layers in bf16");
      m.fix("set fp8_recipe to tensorwise", config.fp8_recipe, "tensorwise");
    });
  }
  if (!config.num_layers.value || run.pp() < 1) return;
  const Int most = *config.num_layers.value / run.pp();
  for (const Count* layers : {&config.num_layers_at_start_in_bf16, &config.num_layers_at_end_in_bf16}) {
    if (**layers >= 0 && **layers <= most) continue;
    out.add(*layers, [&](Message& m) {
      m.say("{} {} is not between 0 and num_layers / PP = {} / {} = {}", layers->key, **layers,
            *config.num_layers.value, run.pp(), most);
      m.because("the layers kept in bf16 have to fit on the first and the last pipeline stage");
      m.also(config.pipeline_model_parallel_size);
      m.fix(fmt::format("set {} to {}", layers->key, most), *layers, fmt::format("{}", most));
    });
  }
}

void custom_recipe_without_factory(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (is_set(config.fp8) && *config.fp8_recipe == "custom" && !is_set(config.fp8_quantizer_factory)) {
    out.add(config.fp8_recipe, [&](Message& m) {
      m.say("fp8_recipe custom needs fp8_quantizer_factory, the import path of a function that makes quantizers");
      m.help("fp8_recipe: tensorwise, blockwise, delayed or mxfp8 need none");
    });
  }
  if (is_set(config.fp4) && *config.fp4_recipe == "custom" && !is_set(config.fp4_quantizer_factory)) {
    out.add(config.fp4_recipe, [&](Message& m) {
      m.say("fp4_recipe custom needs fp4_quantizer_factory, the import path of a function that makes quantizers");
      m.help("fp4_recipe: nvfp4 needs none");
    });
  }
}

void fp8_input_store(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.activation_func_fp8_input_store || *config.swiglu) return;
  out.add(config.activation_func_fp8_input_store, [&](Message& m) {
    m.say("activation_func_fp8_input_store is for swiglu models; swiglu is off");
    m.also(config.swiglu);
    m.fix("switch activation_func_fp8_input_store off", config.activation_func_fp8_input_store, "false");
  });
}

void fp8_recipe_unknown(const MegatronRun& run, Findings& out) {
  const Word& recipe = run.config.fp8_recipe;
  if (!is_set(run.config.fp8)) return;
  if (std::find(known_recipes.begin(), known_recipes.end(), *recipe) != known_recipes.end()) return;
  out.add(recipe, [&](Message& m) {
    m.say("fp8_recipe is {}: it is tensorwise, delayed, mxfp8, blockwise or custom",
          recipe.value.data() != nullptr ? *recipe : "null");
    m.also(run.config.fp8, "fp8 is on");
    offer_word(m, recipe, known_recipes);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG730",
      .name = "fp16-and-bf16",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "fp16 and bf16 exclude each other.",
      .explanation = "Parameters have one type: bf16, fp16, or fp32 when both are off. The Primus trainer preset sets "
                     "bf16: true, so an fp16 run has to switch it off.",
      .bad = {.world_size = 8, .yaml = "fp16: true\n"},
      .good = {.world_size = 8, .yaml = "fp16: true\nbf16: false\n"}},
     fp16_and_bf16},
    {{.id = "MG731",
      .name = "gradient-accumulation-type",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "accumulate_allreduce_grads_in_fp32 needs main_grads_dtype fp32.",
      .explanation =
          "main_grads_dtype is the type of the gradient buffer, accumulate_allreduce_grads_in_fp32 asks for fp32 "
          "there: they have to agree. With bf16 and main_grads_dtype: fp32 Megatron switches the flag on by itself.",
      .bad = {.world_size = 8,
              .yaml = "use_precision_aware_optimizer: true\naccumulate_allreduce_grads_in_fp32: "
                      "true\nmain_grads_dtype: bf16\n"},
      .good = {.world_size = 8, .yaml = "use_precision_aware_optimizer: true\nmain_grads_dtype: bf16\n"}},
     gradient_accumulation_type},
    {{.id = "MG732",
      .name = "fp32-residual-in-fp32",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "fp32_residual_connection needs fp16 or bf16.",
      .explanation = "fp32_residual_connection keeps the residual stream in fp32 while the rest runs in half "
                     "precision. Without half precision it is refused.",
      .bad = {.world_size = 8, .yaml = "fp32_residual_connection: true\nbf16: false\n"},
      .good = {.world_size = 8, .yaml = "fp32_residual_connection: true\nbf16: true\n"}},
     fp32_residual},
    {{.id = "MG733",
      .name = "fp16-cross-entropy-without-fp16",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "fp16_lm_cross_entropy needs fp16.",
      .explanation = "fp16_lm_cross_entropy computes the loss in fp16 as well; it is only for fp16 training.",
      .bad = {.world_size = 8, .yaml = "fp16_lm_cross_entropy: true\n"},
      .good = {.world_size = 8, .yaml = "fp16_lm_cross_entropy: true\nfp16: true\nbf16: false\n"}},
     fp16_cross_entropy},
    {{.id = "MG734",
      .name = "fp8-and-fp4",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (ValueError)",
      .summary = "fp8 and fp4 exclude each other.",
      .explanation = "A GEMM has one quantised format. Set the other key to null.",
      .bad = {.world_size = 8, .yaml = "fp8: hybrid\nfp4: e2m1\n"},
      .good = {.world_size = 8, .yaml = "fp8: hybrid\nfp4: null\n"}},
     fp8_and_fp4},
    {{.id = "MG735",
      .name = "fp8-gather-without-sharding",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "fp8_param_gather needs a distributed optimizer or FSDP.",
      .explanation = "fp8_param_gather all-gathers sharded parameters in fp8. Without use_distributed_optimizer, "
                     "use_torch_fsdp2 or use_megatron_fsdp there is nothing to gather.",
      .bad = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_param_gather: true\nuse_distributed_optimizer: false\n"},
      .good = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_param_gather: true\nuse_distributed_optimizer: true\n"}},
     fp8_gather_without_sharding},
    {{.id = "MG736",
      .name = "fp8-gather-without-fp8",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "fp8_param_gather needs fp8.",
      .explanation = "Parameters are kept in fp8 only when the GEMMs run in fp8: set fp8 to hybrid or e4m3.",
      .bad = {.world_size = 8, .yaml = "fp8_param_gather: true\n"},
      .good = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_param_gather: true\n"}},
     fp8_gather_without_fp8},
    {{.id = "MG737",
      .name = "fp4-param-without-fp4",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (ValueError)",
      .summary = "fp4_param needs fp4.",
      .explanation = "Parameters are kept in fp4 only when the GEMMs run in fp4: set fp4 to e2m1.",
      .bad = {.world_size = 8, .yaml = "fp4_param: true\n"},
      .good = {.world_size = 8, .yaml = "fp4: e2m1\nfp4_param: true\n"}},
     fp4_param_without_fp4},
    {{.id = "MG738",
      .name = "bf16-layers-out-of-range",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "first_last_layers_bf16 needs another recipe than delayed, and counts that fit a pipeline stage.",
      .explanation = "With fp8 and first_last_layers_bf16 the first num_layers_at_start_in_bf16 and the last "
                     "num_layers_at_end_in_bf16 layers stay in bf16. Each number is at most num_layers / PP (rounded "
                     "down, also when the split is uneven), and delayed scaling is excluded.",
      .bad = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_recipe: delayed\nfirst_last_layers_bf16: true\n"},
      .good = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_recipe: tensorwise\nfirst_last_layers_bf16: true\n"}},
     bf16_layers_out_of_range},
    {{.id = "MG739",
      .name = "custom-recipe-without-factory",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "A custom fp8 or fp4 recipe needs its quantizer factory.",
      .explanation = "fp8_recipe: custom and fp4_recipe: custom load a function by its import path from "
                     "fp8_quantizer_factory or fp4_quantizer_factory.",
      .bad = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_recipe: custom\n"},
      .good = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_recipe: tensorwise\n"}},
     custom_recipe_without_factory},
    {{.id = "MG741",
      .name = "fp8-input-store-without-swiglu",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "activation_func_fp8_input_store needs swiglu.",
      .explanation = "Only the SwiGLU activation can store its input in fp8 for the backward pass.",
      .bad = {.world_size = 8, .yaml = "activation_func_fp8_input_store: true\nswiglu: false\n"},
      .good = {.world_size = 8, .yaml = "activation_func_fp8_input_store: true\nswiglu: true\n"}},
     fp8_input_store},
    {{.id = "MG742",
      .name = "fp8-recipe-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/fp8_utils.py:get_fp8_recipe",
      .outcome = "Megatron stops when it makes the FP8 recipe (ValueError)",
      .summary = "fp8_recipe is tensorwise, delayed, mxfp8, blockwise or custom.",
      .explanation = "Primus hands the name on unchecked; Megatron refuses it when it enters the first FP8 region, "
                     "after the process groups are up and memory is taken.",
      .bad = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_recipe: nope\n"},
      .good = {.world_size = 8, .yaml = "fp8: hybrid\nfp8_recipe: tensorwise\n"}},
     fp8_recipe_unknown},
};

}  // namespace

RuleList precision_rules() { return rules; }

}  // namespace primus_plan::megatron
