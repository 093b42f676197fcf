#include <fmt/core.h>

#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sharding.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* optimizer_config = "megatron/core/optimizer/optimizer_config.py:__post_init__";
constexpr const char* optimizer_stop = "Megatron stops when it builds the optimizer (AssertionError)";

void precision_aware(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.use_precision_aware_optimizer) return;
  if (*config.optimizer == "adam" && *config.use_distributed_optimizer) return;
  out.add(config.use_precision_aware_optimizer, [&](Message& m) {
    if (*config.optimizer != "adam") {
      m.say("use_precision_aware_optimizer needs optimizer adam, not {}",
            is_set(config.optimizer) ? *config.optimizer : "null");
      m.also(config.optimizer);
      fix_either(m, config.use_precision_aware_optimizer, "false", config.optimizer, "adam");
    } else {
      m.say("use_precision_aware_optimizer needs use_distributed_optimizer, which is off");
      m.also(config.use_distributed_optimizer).help("use_distributed_optimizer: true");
      fix_either(m, config.use_precision_aware_optimizer, "false", config.use_distributed_optimizer, "true");
    }
  });
}

bool is_type_name(std::string_view name) { return name == "fp32" || name == "bf16" || name == "fp16" || name == "fp8"; }

/// The types of the optimizer's own numbers, which only a precision-aware optimizer may change.
std::array<const Word*, 4> state_types(const MegatronConfig& config) {
  return {&config.main_grads_dtype, &config.main_params_dtype, &config.exp_avg_dtype, &config.exp_avg_sq_dtype};
}

void state_types_need_precision_aware(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.use_precision_aware_optimizer) return;
  for (const Word* type : state_types(config)) {
    if (**type == "fp32" || !is_type_name(**type)) continue;
    out.add(*type, [&](Message& m) {
      m.say("{} {} needs use_precision_aware_optimizer: a plain optimizer keeps fp32", type->key, **type);
      m.also(config.use_precision_aware_optimizer);
      m.help("use_precision_aware_optimizer: true; or {}: fp32", type->key);
      fix_either(m, *type, "fp32", config.use_precision_aware_optimizer, "true");
    });
  }
}

void unknown_type(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  for (const Word* type : {&config.main_grads_dtype, &config.main_params_dtype, &config.exp_avg_dtype,
                           &config.exp_avg_sq_dtype, &config.megatron_fsdp_main_params_dtype,
                           &config.megatron_fsdp_main_grads_dtype, &config.megatron_fsdp_grad_comm_dtype,
                           &config.mamba_inference_conv_states_dtype, &config.mamba_inference_ssm_states_dtype}) {
    if (is_type_name(**type)) continue;
    out.add(*type, [&](Message& m) {
      m.say("{} {} is no type that Megatron knows", type->key, is_set(*type) ? **type : "null");
      m.help("types: fp32, bf16, fp16, fp8");
      offer_word(m, *type, "fp32|bf16|fp16|fp8");
    });
  }
}

void offload_incomplete(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.optimizer_cpu_offload) return;
  const bool wrong_recipe = *config.fp8_param_gather && *config.fp8_recipe != "delayed";
  if (*config.use_precision_aware_optimizer && !wrong_recipe) return;
  out.add(config.optimizer_cpu_offload, [&](Message& m) {
    if (!*config.use_precision_aware_optimizer) {
      m.say("optimizer_cpu_offload needs use_precision_aware_optimizer, which is off");
      m.also(config.use_precision_aware_optimizer).help("use_precision_aware_optimizer: true");
      fix_either(m, config.use_precision_aware_optimizer, "true", config.optimizer_cpu_offload, "false");
    } else {
      m.say("optimizer_cpu_offload with fp8_param_gather needs fp8_recipe delayed, not {}", *config.fp8_recipe);
      m.also(config.fp8_recipe).also(config.fp8_param_gather);
      m.help("fp8_recipe: delayed; or fp8_param_gather: false");
    }
  });
}

void offload_with_coupled_decay(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.optimizer_cpu_offload || *config.decoupled_weight_decay) return;
  out.add(config.decoupled_weight_decay, [&](Message& m) {
    m.say("optimizer_cpu_offload needs decoupled_weight_decay: the optimizer on the CPU is AdamW");
    m.also(config.optimizer_cpu_offload);
    fix_either(m, config.decoupled_weight_decay, "true", config.optimizer_cpu_offload, "false");
  });
}

void no_gloo_groups(const MegatronRun& run, Findings& out) {
  // fake_process_group switches the groups off after this check.
  const Flag& gloo = run.given.enable_gloo_process_groups;
  const MegatronConfig& config = run.config;
  if (*gloo || !*config.use_distributed_optimizer) return;
  const bool collects =
      *config.dist_ckpt_optim_fully_reshardable && *config.distrib_optim_fully_reshardable_mem_efficient;
  if (has_distributed_checkpoints(run) && !collects) return;
  out.add(gloo, [&](Message& m) {
    if (!has_distributed_checkpoints(run)) {
      m.say(
          "ckpt_format torch collects the distributed optimizer's state over Gloo, and enable_gloo_process_groups is "
          "off");
      m.also(config.ckpt_format).help("ckpt_format: torch_dist; or enable_gloo_process_groups: true");
      fix_either(m, config.ckpt_format, "torch_dist", gloo, "true");
    } else {
      m.say("{} collects optimizer state over Gloo, and enable_gloo_process_groups is off",
            config.distrib_optim_fully_reshardable_mem_efficient.key);
      m.also(config.distrib_optim_fully_reshardable_mem_efficient);
      m.help("enable_gloo_process_groups: true");
    }
  });
}

void weight_decay_style(const MegatronRun& run, Findings& out) {
  const Word& style = run.given.weight_decay_incr_style;
  const MaybeNumber& first = run.given.start_weight_decay;
  const MaybeNumber& last = run.given.end_weight_decay;
  const bool constant = *style == "constant";
  if (constant ? !first.value && !last.value : first.value && last.value) return;
  if (constant) {
    out.add(first.value ? first : last, [&](Message& m) {
      m.say(
          "weight_decay_incr_style constant takes its value from weight_decay: start_weight_decay and "
          "end_weight_decay stay null");
      m.also(style).also(run.given.weight_decay);
      m.help("weight_decay_incr_style: linear or cosine goes from one to the other");
    });
    return;
  }
  out.add(style, [&](Message& m) {
    m.say("weight_decay_incr_style {} needs start_weight_decay and end_weight_decay", is_set(style) ? *style : "null");
    m.also(first).also(last);
    m.help("set both; or weight_decay_incr_style: constant with weight_decay");
    if (*style == "linear" || *style == "cosine") {
      m.fix("set weight_decay_incr_style to constant", style, "constant");
    } else {
      offer_word(m, style, "constant|linear|cosine");
    }
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG521",
      .name = "precision-aware-optimizer-unsupported",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = optimizer_config,
      .outcome = optimizer_stop,
      .summary = "use_precision_aware_optimizer needs adam and the distributed optimizer.",
      .explanation = "Only the distributed optimizer with adam can keep its state in types other than fp32.",
      .bad = {.world_size = 8,
              .yaml = "use_precision_aware_optimizer: true\n"
                      "use_distributed_optimizer: false\n"},
      .good = {.world_size = 8,
               .yaml = "use_precision_aware_optimizer: true\n"
                       "use_distributed_optimizer: true\n"}},
     precision_aware},
    {{.id = "MG522",
      .name = "optimizer-state-type-without-precision-aware",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = optimizer_config,
      .outcome = optimizer_stop,
      .summary = "Optimizer state in another type than fp32 needs use_precision_aware_optimizer.",
      .explanation = "main_grads_dtype, main_params_dtype, exp_avg_dtype and exp_avg_sq_dtype shrink the optimizer's "
                     "state. A plain optimizer knows fp32 only.",
      .bad = {.world_size = 8, .yaml = "exp_avg_dtype: bf16\n"},
      .good = {.world_size = 8,
               .yaml = "exp_avg_dtype: bf16\n"
                       "use_precision_aware_optimizer: true\n"}},
     state_types_need_precision_aware},
    {{.id = "MG523",
      .name = "optimizer-type-unknown",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (KeyError)",
      .summary = "The types of optimizer and communication are named fp32, bf16, fp16 or fp8.",
      .explanation =
          "Megatron turns the name into a type by looking it up; float32, null and the like are not in its table.",
      .bad = {.world_size = 8, .yaml = "main_grads_dtype: float32\n"},
      .good = {.world_size = 8, .yaml = "main_grads_dtype: fp32\n"}},
     unknown_type},
    {{.id = "MG524",
      .name = "optimizer-offload-incomplete",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary =
          "optimizer_cpu_offload needs use_precision_aware_optimizer, and fp8_recipe delayed with fp8_param_gather.",
      .explanation = "The optimizer that works on CPU and GPU goes through the code of the precision-aware optimizer, "
                     "which in turn needs the distributed optimizer.",
      .bad = {.world_size = 8, .yaml = "optimizer_cpu_offload: true\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer_cpu_offload: true\n"
                       "use_precision_aware_optimizer: true\n"}},
     offload_incomplete},
    {{.id = "MG525",
      .name = "optimizer-offload-with-coupled-decay",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/optimizer/__init__.py:_get_megatron_optimizer_based_on_param_groups",
      .outcome = optimizer_stop,
      .summary = "optimizer_cpu_offload needs decoupled_weight_decay.",
      .explanation = "The part of the optimizer on the CPU is AdamW, which decays weights apart from the gradient.",
      .bad = {.world_size = 8,
              .yaml = "optimizer_cpu_offload: true\n"
                      "use_precision_aware_optimizer: true\n"
                      "decoupled_weight_decay: false\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer_cpu_offload: true\n"
                       "use_precision_aware_optimizer: true\n"
                       "decoupled_weight_decay: true\n"}},
     offload_with_coupled_decay},
    {{.id = "MG526",
      .name = "checkpoint-needs-gloo",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Without Gloo groups the distributed optimizer needs a distributed checkpoint format.",
      .explanation = "ckpt_format torch collects the optimizer's shards in the CPU memory of one rank, over Gloo. So "
                     "does distrib_optim_fully_reshardable_mem_efficient.",
      .bad = {.world_size = 8,
              .yaml = "enable_gloo_process_groups: false\n"
                      "ckpt_format: torch\n"},
      .good = {.world_size = 8,
               .yaml = "enable_gloo_process_groups: false\n"
                       "ckpt_format: torch_dist\n"}},
     no_gloo_groups},
    {{.id = "MG527",
      .name = "weight-decay-range",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "start_weight_decay and end_weight_decay go with weight_decay_incr_style linear or cosine.",
      .explanation = "The constant style takes weight_decay and refuses the other two; linear and cosine need both.",
      .bad = {.world_size = 8, .yaml = "weight_decay_incr_style: linear\n"},
      .good = {.world_size = 8,
               .yaml = "weight_decay_incr_style: linear\n"
                       "start_weight_decay: 0.01\n"
                       "end_weight_decay: 0.1\n"}},
     weight_decay_style},
};

}  // namespace

RuleList optimizer_state_rules() { return rules; }

}  // namespace primus_plan::megatron
