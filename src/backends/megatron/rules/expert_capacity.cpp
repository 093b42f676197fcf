#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops when it checks its arguments (AssertionError)";
constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";

bool drops_tokens(std::string_view type) {
  return type == "aux_loss" || type == "seq_aux_loss" || type == "global_aux_loss" || type == "none";
}

void capacity_with_balancing(const MegatronRun& run, Findings& out) {
  // As given: Megatron looks at the balancing even where it has just dropped a negative factor.
  const MaybeNumber& factor = run.given.moe_expert_capacity_factor;
  if (!factor.value || !has_megatron_config(run)) return;
  if (!any_balancing(run, [](std::string_view type) { return !drops_tokens(type); })) return;
  out.add(factor, [&](Message& m) {
    m.say("moe_expert_capacity_factor {} works with aux_loss, seq_aux_loss, global_aux_loss and none only",
          *factor.value);
    const Raw& types = run.config.moe_router_load_balancing_type;
    if (types.value != nullptr) m.because("moe_router_load_balancing_type is {}", to_text(*types.value));
    m.also(types);
    m.fix("no capacity", factor, "null");
  });
}

void padding_without_capacity(const MegatronRun& run, Findings& out) {
  const Flag& pads = run.config.moe_pad_expert_input_to_capacity;
  if (!*pads || has_capacity(run) || !has_megatron_config(run)) return;
  out.add(pads, [&](Message& m) {
    const auto given = run.given.moe_expert_capacity_factor.value;
    if (given) {
      m.say("moe_pad_expert_input_to_capacity needs a capacity, but moe_expert_capacity_factor {} means none", *given);
    } else {
      m.say("moe_pad_expert_input_to_capacity needs a capacity: moe_expert_capacity_factor is not set");
    }
    m.help("set moe_expert_capacity_factor to 1.0 or more");
    m.fix("no padding", pads, "false");
  });
}

void capacity_gathers_all(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run) || !has_capacity(run) || *run.config.moe_token_dispatcher_type != "allgather") return;
  out.add(run.config.moe_expert_capacity_factor, [&](Message& m) {
    m.say(
        "moe_expert_capacity_factor {} saves no traffic with moe_token_dispatcher_type allgather: every token is "
        "gathered before any is dropped",
        *run.config.moe_expert_capacity_factor.value);
    m.also(run.config.moe_token_dispatcher_type);
    m.because("older releases of Megatron (core 0.11 among them) stop on this pair; the pinned one accepts it");
    m.fix("use alltoall", run.config.moe_token_dispatcher_type, "alltoall");
  });
}

void padding_for_quantization(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.moe_router_padding_for_quantization || !has_megatron_config(run)) return;
  const bool old_name = *run.given.moe_router_padding_for_fp8;
  const Flag& pads = old_name ? config.moe_router_padding_for_fp8 : config.moe_router_padding_for_quantization;
  const Word& dispatcher = config.moe_token_dispatcher_type;
  if (!is_quantized(run)) {
    out.add(pads, [&](Message& m) {
      m.say("{} pads tokens for quantized experts, but neither fp8 nor fp4 is set", pads.key);
      m.also(config.fp8);
      m.fix("no padding", pads, "false");
    });
  } else if (*dispatcher == "allgather") {
    out.add(pads, [&](Message& m) {
      m.say("{} does not work with moe_token_dispatcher_type allgather", pads.key);
      if (!*pads) m.because("turbo_sync_free_moe_stage turns the padding on");
      m.also(dispatcher);
      m.fix("use alltoall", dispatcher, "alltoall");
    });
  }
}

void graphs_without_padding(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.cuda_graph_impl != "local" || run.ep() <= 1 || *config.transformer_impl == "inference_optimized") return;
  if (*config.moe_pad_experts_for_cuda_graph_inference) return;
  out.add(config.cuda_graph_impl, [&](Message& m) {
    m.say("local CUDA graphs with expert_model_parallel_size {} need moe_pad_experts_for_cuda_graph_inference: true",
          run.ep());
    m.also(config.expert_model_parallel_size);
    m.help("or set cuda_graph_impl: none, or transformer_engine");
    m.fix("no graphs", config.cuda_graph_impl, "none");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG436",
      .name = "capacity-with-balancing",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "A capacity works with auxiliary losses or no balancing.",
      .explanation = "moe_expert_capacity_factor bounds the tokens of an expert and drops the rest. Sinkhorn "
                     "assigns tokens evenly on its own and has no such path. Megatron checks this even for a "
                     "negative factor, which otherwise means no capacity.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_expert_capacity_factor: 1.5\n"
                      "moe_router_load_balancing_type: sinkhorn\n"
                      "moe_aux_loss_coeff: 0.0\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_expert_capacity_factor: 1.5\n"
                       "moe_router_load_balancing_type: aux_loss\n"}},
     capacity_with_balancing},
    {{.id = "MG437",
      .name = "padding-without-capacity",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Padding experts to their capacity needs a capacity.",
      .explanation = "moe_pad_expert_input_to_capacity gives every expert exactly its capacity of tokens. "
                     "moe_expert_capacity_factor says how many that is; null and negative values mean that there "
                     "is none.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_pad_expert_input_to_capacity: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_pad_expert_input_to_capacity: true\n"
                       "moe_expert_capacity_factor: 1.0\n"}},
     padding_without_capacity},
    {{.id = "MG438",
      .name = "padding-for-quantization",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Padding for quantized experts needs fp8 or fp4 and a dispatcher other than allgather.",
      .explanation = "moe_router_padding_for_quantization (once moe_router_padding_for_fp8) routes a few more "
                     "tokens so that each expert gets a number that quantized matrix products take. "
                     "turbo_sync_free_moe_stage sets it by itself when fp8 or fp4 is on.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_router_padding_for_quantization: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_router_padding_for_quantization: true\n"
                       "fp8: hybrid\n"}},
     padding_for_quantization},
    {{.id = "MG439",
      .name = "capacity-with-allgather",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/transformer/moe/token_dispatcher.py:dispatch_preprocess",
      .outcome = "the run goes on and gathers every token",
      .summary = "A capacity saves nothing with the allgather dispatcher.",
      .explanation = "allgather moves all tokens to all ranks of the group first; experts drop what exceeds "
                     "their capacity afterwards. Tokens are lost to the model and nothing is gained on the wire. "
                     "Older Megatron versions refuse the pair.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: allgather\n"
                      "moe_expert_capacity_factor: 1.0\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_expert_capacity_factor: 1.0\n"}},
     capacity_gathers_all},
    {{.id = "MG409",
      .name = "cuda-graph-expert-padding",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "Local CUDA graphs with expert parallelism need padded experts.",
      .explanation = "A captured graph replays fixed shapes, while the tokens of an expert change from step to "
                     "step. moe_pad_experts_for_cuda_graph_inference fixes them; Megatron asks for it in "
                     "training as well.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "expert_model_parallel_size: 8\n"
                      "cuda_graph_impl: local\n"
                      "cuda_graph_scope: [attn]\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "expert_model_parallel_size: 8\n"
                       "cuda_graph_impl: local\n"
                       "cuda_graph_scope: [attn]\n"
                       "moe_pad_experts_for_cuda_graph_inference: true\n"}},
     graphs_without_padding},
};

}  // namespace

RuleList expert_capacity_rules() { return rules; }

}  // namespace primus_plan::megatron
