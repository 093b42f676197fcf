#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

namespace primus_plan::torchtitan {
namespace {

/// Whether the model's apply_fsdp runs, which alone looks at the policy.
bool applies_fsdp(const TorchTitanRun& run) { return run.family() != Family::flux && run.shards(); }

bool policy_is_known(const TorchTitanRun& run) {
  const std::string_view policy = *run.config.fsdp_reshard_after_forward;
  return policy == "default" || policy == "always" || policy == "never";
}

void reshard_policy_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& policy = run.config.fsdp_reshard_after_forward;
  if (policy_is_known(run) || !applies_fsdp(run)) return;
  out.add(policy, [&](Message& m) {
    m.say("fsdp_reshard_after_forward {} is none of default, always, never", quoted(*policy));
    m.help("default reshards without PP and keeps parameters gathered with PP");
    offer_word(m, policy, "default|always|never");
  });
}

void reshard_policy_unread(const TorchTitanRun& run, Findings& out) {
  const Word& policy = run.config.fsdp_reshard_after_forward;
  if (policy_is_known(run) || applies_fsdp(run)) return;
  out.add(policy, [&](Message& m) {
    m.say("fsdp_reshard_after_forward {} is none of default, always, never{}", quoted(*policy),
          run.meshes_exist() ? "; nobody reads it here, since FSDP does not wrap the model"
                             : ", and a launch with FSDP stops");
    offer_word(m, policy, "default|always|never", run.meshes_exist());
  });
}

void offload_without_fsdp(const TorchTitanRun& run, Findings& out) {
  if (!*run.config.enable_cpu_offload || run.meshes.fsdp != 1) return;
  out.add(run.config.enable_cpu_offload, [&](Message& m) {
    m.say("enable_cpu_offload moves no parameters: offload is FSDP's, and shard x CP is 1");
    because_of_shard(m, run);
    m.help("shard over 2 ranks or more, or set enable_cpu_offload to false");
  });
}

bool is_compiled_async_family(Family family) {
  return family == Family::llama3 || family == Family::llama4 || family == Family::deepseek_v3 ||
         family == Family::qwen3 || family == Family::gpt_oss;
}

void async_tensor_without_compile(const TorchTitanRun& run, Findings& out) {
  const Flag& async = run.config.enable_async_tensor_parallel;
  if (!*async || run.tp() <= 1 || run.parsed.compiles_model || !is_compiled_async_family(run.family())) return;
  out.add(async, [&](Message& m) {
    m.say("enable_async_tensor_parallel needs a compiled model: compile.enable and 'model' in compile.components");
    m.also(run.config.compile_enable).also(run.config.compile_components);
    m.help("set compile.enable to true, or enable_async_tensor_parallel to false");
    m.fix("set enable_async_tensor_parallel to false", async, "false");
  });
}

void async_tensor_ignored(const TorchTitanRun& run, Findings& out) {
  const Flag& async = run.config.enable_async_tensor_parallel;
  if (!*async || run.tp() <= 1 || run.family() != Family::gpt_oss || !run.parsed.compiles_model) return;
  out.add(async, [&](Message& m) {
    m.say("gpt_oss has no async tensor parallelism: enable_async_tensor_parallel has no effect");
    m.fix("set enable_async_tensor_parallel to false", async, "false", true);
  });
}

void async_tensor_with_fp8(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& config = run.config;
  if (!*config.enable_async_tensor_parallel || run.tp() <= 1 || !run.parsed.converters.float8_linear) return;
  if (!*config.enable_primus_turbo || !*config.use_turbo_async_tp || run.family() == Family::gpt_oss) return;
  if (!run.parsed.compiles_model) return;
  out.add(config.enable_async_tensor_parallel, [&](Message& m) {
    m.say("Primus-Turbo's async tensor parallelism takes no fp8 operands, and quantize.linear.float8 makes them");
    m.also(config.use_turbo_async_tp).also(config.model_converters);
    m.help("primus_turbo.use_turbo_async_tp: false, or no float8 converter");
    m.fix("set primus_turbo.use_turbo_async_tp to false", config.use_turbo_async_tp, "false");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT501",
      .name = "reshard-policy-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/llama3/infra/parallelize.py:apply_fsdp",
      .outcome = "TorchTitan stops when it shards the model (ValueError)",
      .summary = "fsdp_reshard_after_forward is default, always or never.",
      .explanation = "The words are matched as they stand: Default and true are neither. default means always "
                     "without PP and never with PP, where every micro-batch would gather the parameters again.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  fsdp_reshard_after_forward: sometimes\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  fsdp_reshard_after_forward: never\n"}},
     reshard_policy_unknown},
    {{.id = "TT502",
      .name = "reshard-policy-unread",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/llama3/infra/parallelize.py:parallelize_llama",
      .outcome = "the run goes on without FSDP",
      .summary = "A wrong fsdp_reshard_after_forward waits for the first launch with FSDP.",
      .explanation = "Only FSDP reads the policy. The same file at a larger world size would stop.",
      .bad = {.world_size = 1, .yaml = "parallelism:\n  fsdp_reshard_after_forward: sometimes\n"},
      .good = {.world_size = 1, .yaml = "parallelism:\n  fsdp_reshard_after_forward: always\n"}},
     reshard_policy_unread},
    {{.id = "TT503",
      .name = "cpu-offload-without-fsdp",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/train.py:__init__",
      .outcome = "the run goes on; process groups get a CPU backend and nothing is offloaded by FSDP",
      .summary = "enable_cpu_offload needs shard x CP of 2 or more.",
      .explanation = "Parameters are offloaded by FSDP's policy. Without FSDP there is none.",
      .bad = {.world_size = 1, .yaml = "training:\n  enable_cpu_offload: true\n"},
      .good = {.world_size = 8, .yaml = "training:\n  enable_cpu_offload: true\n"}},
     offload_without_fsdp},
    {{.id = "TT504",
      .name = "async-tensor-without-compile",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/distributed/tensor_parallel.py:maybe_enable_async_tp",
      .outcome = "TorchTitan stops (RuntimeError)",
      .summary = "enable_async_tensor_parallel needs a compiled model.",
      .explanation = "The overlap of communication and matrix products is a pass of torch.compile. With TP 1 the "
                     "key does nothing.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  tensor_parallel_degree: 2\n  enable_async_tensor_parallel: true\n"
                      "compile:\n  enable: false\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  tensor_parallel_degree: 2\n  enable_async_tensor_parallel: true\n"
                       "compile:\n  enable: true\n"}},
     async_tensor_without_compile},
    {{.id = "TT505",
      .name = "async-tensor-ignored",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/gpt_oss/infra/parallelize.py:parallelize_gptoss",
      .outcome = "the run goes on without the overlap",
      .summary = "gpt_oss has no async tensor parallelism.",
      .explanation = "gpt_oss checks that the model is to be compiled, then never compiles it and passes the flag "
                     "on as false.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: gpt_oss\n  flavor: 20b\n  converters: []\nparallelism:\n"
                      "  tensor_parallel_degree: 2\n  enable_async_tensor_parallel: true\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: gpt_oss\n  flavor: 20b\n  converters: []\nparallelism:\n"
                       "  tensor_parallel_degree: 2\n  enable_async_tensor_parallel: false\n"}},
     async_tensor_ignored},
    {{.id = "TT506",
      .name = "turbo-async-tensor-with-fp8",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "primus/backends/torchtitan/patches/turbo/async_tp_patches.py:_fused_all_gather_matmul_impl",
      .outcome = "the first fused product stops (AssertionError)",
      .summary = "Primus-Turbo's async tensor parallelism takes no fp8 operands.",
      .explanation = "primus_turbo.use_turbo_async_tp is on in Primus's preset and replaces torch's fused "
                     "operators by ones for bf16.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n"
                      "  converters: [primus_turbo, quantize.linear.float8]\nparallelism:\n"
                      "  tensor_parallel_degree: 2\n  enable_async_tensor_parallel: true\nprimus_turbo:\n"
                      "  use_turbo_float8_linear: false\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n"
                       "  converters: [primus_turbo, quantize.linear.float8]\nparallelism:\n"
                       "  tensor_parallel_degree: 2\n  enable_async_tensor_parallel: true\nprimus_turbo:\n"
                       "  use_turbo_async_tp: false\n  use_turbo_float8_linear: false\n"}},
     async_tensor_with_fp8},
};

}  // namespace

RuleList sharding_rules() { return rules; }

}  // namespace primus_plan::torchtitan
