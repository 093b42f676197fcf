#include <algorithm>
#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops (AssertionError)";

struct Variable {
  const char* name;
  std::string_view value;
};

/// What deterministic_mode asks of the environment: Transformer Engine's switch, then those of Primus's own validation.
constexpr std::array<Variable, 5> deterministic_variables{{{"NVTE_ALLOW_NONDETERMINISTIC_ALGO", "0"},
                                                           {"TORCH_COMPILE_DISABLE", "1"},
                                                           {"ROCBLAS_DEFAULT_ATOMICS_MODE", "0"},
                                                           {"PRIMUS_TURBO_AUTO_TUNE", "0"},
                                                           {"PRIMUS_DETERMINISTIC", "1"}}};
constexpr std::array<std::string_view, 5> deterministic_algorithms{"Tree", "Ring", "CollnetDirect", "CollnetChain",
                                                                   "^NVLS"};

bool has_deterministic_collectives(const MegatronRun& run) {
  const auto algorithm = run.environment.get("NCCL_ALGO");
  return algorithm && std::find(deterministic_algorithms.begin(), deterministic_algorithms.end(), *algorithm) !=
                          deterministic_algorithms.end();
}

bool has_deterministic_variables(const MegatronRun& run) {
  return std::all_of(deterministic_variables.begin(), deterministic_variables.end(),
                     [&](const Variable& variable) { return run.environment.get(variable.name) == variable.value; });
}

void not_deterministic(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.deterministic_mode) return;
  const bool keys = !*config.use_flash_attn && !*config.cross_entropy_loss_fusion;
  if (keys && has_deterministic_collectives(run) && has_deterministic_variables(run)) return;
  out.add(config.deterministic_mode, [&](Message& m) {
    if (*config.use_flash_attn) {
      m.say("deterministic_mode does not go with use_flash_attn");
    } else if (*config.cross_entropy_loss_fusion) {
      m.say("deterministic_mode does not go with cross_entropy_loss_fusion");
    } else {
      m.say("deterministic_mode needs variables that are not set in the environment");
    }
    if (*config.use_flash_attn) m.also(config.use_flash_attn).help("use_flash_attn: false");
    if (*config.cross_entropy_loss_fusion) {
      m.also(config.cross_entropy_loss_fusion).help("cross_entropy_loss_fusion: false");
    }
    if (!has_deterministic_collectives(run))
      m.help("export NCCL_ALGO=Ring (or Tree, CollnetDirect, CollnetChain, ^NVLS)");
    for (const Variable& variable : deterministic_variables) {
      if (run.environment.get(variable.name) != variable.value) m.help("export {}={}", variable.name, variable.value);
    }
  });
}

/// Source: megatron/training/arguments.py:validate_args, for graphs that Transformer Engine captures.
void graphs_in_expandable_segments(const MegatronRun& run, Findings& out) {
  const Word& graphs = run.config.cuda_graph_impl;
  const auto allocator = run.environment.get("PYTORCH_CUDA_ALLOC_CONF");
  if (*graphs != "transformer_engine" || !allocator) return;
  if (allocator->find("expandable_segments:True") == std::string_view::npos) return;
  if (run.environment.get("NCCL_GRAPH_REGISTER") == "0") return;
  out.add(graphs, [&](Message& m) {
    m.say("cuda_graph_impl transformer_engine with expandable memory segments needs NCCL_GRAPH_REGISTER=0");
    m.because("PYTORCH_CUDA_ALLOC_CONF is {}", *allocator);
    m.help("export NCCL_GRAPH_REGISTER=0, or take expandable_segments out of PYTORCH_CUDA_ALLOC_CONF");
  });
}

void inference_threshold(const MegatronRun& run, Findings& out) {
  const Count& threshold = run.config.inference_batch_times_seqlen_threshold;
  if (*threshold <= -1) return;
  const bool graphs = has_cuda_graphs(run);
  if (run.pp() > 1 && !graphs) return;
  out.add(threshold, [&](Message& m) {
    if (run.pp() <= 1) {
      m.say("inference_batch_times_seqlen_threshold {} pipelines micro-batches at inference, but PP is {}", *threshold,
            run.pp());
    } else {
      m.say("inference_batch_times_seqlen_threshold {} does not go with CUDA graphs", *threshold);
    }
    m.also(run.config.pipeline_model_parallel_size);
    if (graphs) m.also(run.config.cuda_graph_impl);
    m.help("-1 switches it off");
    m.fix("set inference_batch_times_seqlen_threshold to -1", threshold, "-1");
  });
}

void inference_layers(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.transformer_impl != "inference_optimized") return;
  const char* fault = nullptr;
  if (*config.normalization != "RMSNorm") fault = "needs normalization RMSNorm";
  if (*config.add_bias_linear || *config.add_qkv_bias) fault = "knows no biases (add_bias_linear, add_qkv_bias)";
  if (run.is_moe()) {
    if (*config.moe_router_dtype != "fp32") fault = "needs moe_router_dtype fp32";
    if (*config.moe_router_padding_for_quantization) fault = "knows no moe_router_padding_for_quantization";
    if (config.moe_expert_capacity_factor.value) fault = "drops no tokens: moe_expert_capacity_factor is null";
    if (run.degrees.expert_tensor > 1) fault = "knows no expert tensor parallelism";
  }
  if (fault == nullptr) return;
  out.add(config.transformer_impl, [&](Message& m) {
    m.say("transformer_impl inference_optimized {}", fault);
    if (run.degrees.expert_tensor > 1 && run.is_moe())
      m.because("expert tensor parallelism is {}", run.degrees.expert_tensor);
    m.help("training uses transformer_impl: transformer_engine");
    m.fix("set transformer_impl to transformer_engine", config.transformer_impl, "transformer_engine");
  });
}

void rl_samples(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.perform_rl_step) return;
  if (*config.rl_use_sequence_packing && config.micro_batch_size.value.value_or(1) != 1) {
    out.add(config.micro_batch_size, [&](Message& m) {
      m.say("rl_use_sequence_packing needs micro_batch_size 1, not {}", *config.micro_batch_size.value);
      m.also(config.rl_use_sequence_packing);
      m.fix("set micro_batch_size to 1", config.micro_batch_size, "1");
    });
  }
  const Int global = run.given.global_batch_size.value.value_or(0);
  const auto per_iteration = checked_multiply(*config.grpo_prompts_per_step, *config.grpo_group_size);
  const auto samples = per_iteration ? checked_multiply(*per_iteration, *config.grpo_iterations) : std::nullopt;
  if (global <= 0 || !samples || *samples % global == 0) return;
  out.add(run.given.global_batch_size, [&](Message& m) {
    m.say(
        "grpo_prompts_per_step x grpo_group_size x grpo_iterations = {} x {} x {} = {} is not a multiple of "
        "global_batch_size {}",
        *config.grpo_prompts_per_step, *config.grpo_group_size, *config.grpo_iterations, *samples, global);
    m.also(config.grpo_prompts_per_step).also(config.grpo_group_size).also(config.grpo_iterations);
    m.help("the samples of one collection are used up in whole steps");
  });
}

void fake_group_with_flex(const MegatronRun& run, Findings& out) {
  if (!*run.config.fake_process_group || *run.config.moe_token_dispatcher_type != "flex") return;
  out.add(run.config.fake_process_group, [&](Message& m) {
    m.say("fake_process_group does not go with moe_token_dispatcher_type flex, whose kernels need real ranks");
    m.also(run.config.moe_token_dispatcher_type);
    m.help("moe_token_dispatcher_type: alltoall");
    m.fix("set moe_token_dispatcher_type to alltoall", run.config.moe_token_dispatcher_type, "alltoall");
  });
}

void log_memory_interval(const MegatronRun& run, Findings& out) {
  const MaybeCount& memory = run.config.log_memory_interval;
  const Int interval = *run.config.log_interval;
  if (memory.value.value_or(0) == 0 || interval == 0 || *memory.value % interval == 0) return;
  out.add(memory, [&](Message& m) {
    m.say("log_memory_interval {} is not a multiple of log_interval {}", *memory.value, interval);
    m.also(run.config.log_interval);
    const std::vector<Int> legal = multiples_around(*memory.value, interval);
    help_with_nearest(m, legal);
    fix_to_nearest(m, memory, *memory.value, legal);
  });
}

void attention_backend_unknown(const MegatronRun& run, Findings& out) {
  constexpr std::array<std::string_view, 5> known{"flash", "fused", "unfused", "local", "auto"};
  const Word& backend = run.config.attention_backend;
  if (backend.value.data() == nullptr || std::find(known.begin(), known.end(), *backend) != known.end()) return;
  out.add(backend, [&](Message& m) {
    m.say("attention_backend {} is no name that Megatron knows: the choice stays with Transformer Engine", *backend);
    m.help("known names: flash, fused, unfused, local, auto");
    offer_word(m, backend, known);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG755",
      .name = "deterministic-mode-not-possible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron or Primus stops (AssertionError)",
      .summary =
          "deterministic_mode excludes flash attention and fused cross entropy, and needs six environment variables.",
      .explanation =
          "deterministic_mode gives the same numbers in every run. Megatron refuses use_flash_attn (on in the Primus "
          "pretraining preset), cross_entropy_loss_fusion and collectives without a fixed order (NCCL_ALGO). "
          "Transformer Engine wants NVTE_ALLOW_NONDETERMINISTIC_ALGO=0, and Primus TORCH_COMPILE_DISABLE=1, "
          "ROCBLAS_DEFAULT_ATOMICS_MODE=0, PRIMUS_TURBO_AUTO_TUNE=0 and PRIMUS_DETERMINISTIC=1.",
      .bad = {.world_size = 8, .yaml = "deterministic_mode: true\n"},
      .good = {.world_size = 8, .yaml = "deterministic_mode: false\n"}},
     not_deterministic},
    {{.id = "MG768",
      .name = "cuda-graphs-in-expandable-segments",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Transformer Engine's CUDA graphs with expandable memory segments need NCCL_GRAPH_REGISTER=0.",
      .explanation = "The collective library registers buffers of a graph by address, and expandable segments move "
                     "them. Registration has to be off.",
      .bad = {.world_size = 8,
              .yaml = "cuda_graph_impl: transformer_engine\n",
              .environment = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
      .good = {.world_size = 8,
               .yaml = "cuda_graph_impl: transformer_engine\n",
               .environment = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True NCCL_GRAPH_REGISTER=0"}},
     graphs_in_expandable_segments},
    {{.id = "MG762",
      .name = "inference-threshold-without-pipeline",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "inference_batch_times_seqlen_threshold needs a pipeline and no CUDA graphs.",
      .explanation = "Above the threshold an inference batch is cut into micro-batches for the pipeline. Training "
                     "leaves it at -1.",
      .bad = {.world_size = 8, .yaml = "inference_batch_times_seqlen_threshold: 0\n"},
      .good = {.world_size = 8, .yaml = "inference_batch_times_seqlen_threshold: -1\n"}},
     inference_threshold},
    {{.id = "MG763",
      .name = "inference-layers-unsupported",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError or AssertionError)",
      .summary = "transformer_impl inference_optimized is for inference of RMSNorm models without biases.",
      .explanation = "The inference-optimized layers know RMSNorm without biases only; with experts also no expert "
                     "tensor parallelism, no capacity factor, no padding, and an fp32 router. Train with "
                     "transformer_impl: transformer_engine.",
      .bad = {.world_size = 8,
              .yaml = "transformer_impl: inference_optimized\nnum_experts: 8\nmoe_token_dispatcher_type: "
                      "alltoall\nmoe_grouped_gemm: true\n"
                      "tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "transformer_impl: transformer_engine\nnum_experts: 8\nmoe_token_dispatcher_type: "
                       "alltoall\nmoe_grouped_gemm: true\n"
                       "tensor_model_parallel_size: 2\n"}},
     inference_layers},
    {{.id = "MG764",
      .name = "rl-samples-not-divisible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "The samples of a GRPO collection are a multiple of the global batch; packed sequences need "
                 "micro_batch_size 1.",
      .explanation = "perform_rl_step collects grpo_prompts_per_step x grpo_group_size samples, uses them "
                     "grpo_iterations times and trains on them in whole steps of global_batch_size.",
      .bad = {.world_size = 8,
              .yaml = "perform_rl_step: true\ngrpo_prompts_per_step: 10\ngrpo_group_size: 1\ngrpo_iterations: "
                      "1\nglobal_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "perform_rl_step: true\ngrpo_prompts_per_step: 16\ngrpo_group_size: 1\ngrpo_iterations: "
                       "1\nglobal_batch_size: 16\n"}},
     rl_samples},
    {{.id = "MG765",
      .name = "fake-process-group-with-flex",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "fake_process_group does not go with the flex token dispatcher.",
      .explanation = "fake_process_group starts one rank that pretends to be many, to measure memory. The flex "
                     "dispatcher talks to the other GPUs behind the process groups.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\nmoe_grouped_gemm: true\nexpert_model_parallel_size: 8\nfake_process_group: "
                      "true\nmoe_token_dispatcher_type: flex\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\nmoe_grouped_gemm: true\nexpert_model_parallel_size: 8\nfake_process_group: "
                       "true\nmoe_token_dispatcher_type: alltoall\n"}},
     fake_group_with_flex},
    {{.id = "MG766",
      .name = "log-memory-interval-not-divisible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "log_memory_interval is a multiple of log_interval.",
      .explanation = "Memory is logged together with the other numbers, on every log_interval-th step.",
      .bad = {.world_size = 8, .yaml = "log_memory_interval: 3\nlog_interval: 2\n"},
      .good = {.world_size = 8, .yaml = "log_memory_interval: 10\nlog_interval: 5\n"}},
     log_memory_interval},
    {{.id = "MG767",
      .name = "attention-backend-unknown",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = "primus/backends/megatron/argument_builder.py:to_namespace",
      .outcome = "Primus warns and hands the text on; no branch of Megatron matches it",
      .summary = "attention_backend is flash, fused, unfused, local or auto.",
      .explanation = "Primus turns the name into Megatron's own type. A name that it does not know stays a text, which "
                     "no later comparison matches: the run goes on as if nothing had been asked for.",
      .bad = {.world_size = 8, .yaml = "attention_backend: nonsense\n"},
      .good = {.world_size = 8, .yaml = "attention_backend: fused\n"}},
     attention_backend_unknown},
};

}  // namespace

RuleList run_mode_rules() { return rules; }

}  // namespace primus_plan::megatron
