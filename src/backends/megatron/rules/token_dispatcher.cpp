#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";
constexpr const char* token_dispatcher = "megatron/core/transformer/moe/token_dispatcher.py:__init__";
constexpr const char* moe_layer = "megatron/core/transformer/moe/moe_layer.py:__init__";

bool dispatches_with(const MegatronRun& run, std::string_view type) {
  return *run.config.moe_token_dispatcher_type == type;
}

/// Primus puts its own DeepEP dispatcher in the place of the flexible one.
bool is_turbo_deepep(const MegatronRun& run) { return *run.config.enable_primus_turbo && *run.given.use_turbo_deepep; }

void dispatcher_unknown(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run)) return;
  if (dispatches_with(run, "allgather") || dispatches_with(run, "alltoall") || dispatches_with(run, "flex")) return;
  const Word& type = run.config.moe_token_dispatcher_type;
  out.add(type, [&](Message& m) {
    m.say("moe_token_dispatcher_type {} does not exist: Megatron has allgather, alltoall and flex", or_null(type));
    offer_word(m, type, "allgather|alltoall|flex");
  });
}

void gathers_all_tokens(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run) || run.ep() <= 1 || !dispatches_with(run, "allgather")) return;
  const Word& type = run.config.moe_token_dispatcher_type;
  out.add(type, [&](Message& m) {
    const Int group = run.degrees.expert_tensor * run.ep();
    m.say("moe_token_dispatcher_type allgather gives every rank the tokens of all {} ranks of its ETP x EP group",
          group);
    m.also(run.config.expert_model_parallel_size);
    m.help("alltoall or flex send each token to its experts alone");
    m.fix("use alltoall", type, "alltoall");
  });
}

void flex_without_group(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run) || !dispatches_with(run, "flex")) return;
  if (run.ep() != 1 || run.degrees.expert_tensor != 1) return;
  if (is_turbo_deepep(run)) {
    out.add(run.config.use_turbo_deepep, [&](Message& m) {
      m.say("use_turbo_deepep needs several expert ranks, but expert_model_parallel_size and ETP are 1");
      m.also(run.config.expert_model_parallel_size);
      m.help("set expert_model_parallel_size above 1, or use_turbo_deepep: false");
      m.fix("switch DeepEP off", run.config.use_turbo_deepep, "false");
    });
    return;
  }
  const Word& type = run.config.moe_token_dispatcher_type;
  out.add(type, [&](Message& m) {
    m.say("moe_token_dispatcher_type flex needs several expert ranks, but expert_model_parallel_size and ETP are 1");
    m.also(run.config.expert_model_parallel_size);
    m.fix("use alltoall", type, "alltoall");
  });
}

void flex_backend_unknown(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run) || !dispatches_with(run, "flex") || is_turbo_deepep(run)) return;
  const Word& backend = run.config.moe_flex_dispatcher_backend;
  if (*backend == "deepep" || *backend == "hybridep") return;
  out.add(backend, [&](Message& m) {
    m.say("moe_flex_dispatcher_backend {} is neither deepep nor hybridep", or_null(backend));
    offer_word(m, backend, "deepep|hybridep");
  });
}

void deepep_without_flex(const MegatronRun& run, Findings& out) {
  if (!*run.config.moe_enable_deepep || !has_megatron_config(run)) return;
  const Word& type = run.config.moe_token_dispatcher_type;
  if (!dispatches_with(run, "flex")) {
    out.add(type, [&](Message& m) {
      m.say("moe_enable_deepep needs moe_token_dispatcher_type flex, but it is {}", or_null(type));
      m.also(run.config.moe_enable_deepep);
      fix_either(m, type, "flex", run.config.moe_enable_deepep, "false");
    });
    return;
  }
  if (*run.given.moe_flex_dispatcher_backend != "hybridep") return;
  out.add(run.config.moe_enable_deepep, [&](Message& m) {
    m.say("moe_enable_deepep and moe_flex_dispatcher_backend hybridep name two backends for the same dispatcher");
    m.also(run.given.moe_flex_dispatcher_backend);
    m.help("keep moe_flex_dispatcher_backend alone: moe_enable_deepep is the old name of deepep");
  });
}

void deepep_with_padding(const MegatronRun& run, Findings& out) {
  if (!*run.config.moe_pad_expert_input_to_capacity || !dispatches_with(run, "flex")) return;
  if (*run.config.moe_flex_dispatcher_backend != "deepep" || !has_megatron_config(run)) return;
  const Flag& pads = run.config.moe_pad_expert_input_to_capacity;
  out.add(pads, [&](Message& m) {
    m.say("moe_pad_expert_input_to_capacity does not work with DeepEP, the backend of the flex dispatcher");
    if (is_turbo_deepep(run)) m.because("use_turbo_deepep makes the dispatcher flex");
    m.also(run.config.moe_token_dispatcher_type);
    m.fix("no padding", pads, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG415",
      .name = "token-dispatcher-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = moe_layer,
      .outcome = "Megatron stops when it builds the first layer with experts (ValueError)",
      .summary = "moe_token_dispatcher_type is allgather, alltoall or flex.",
      .explanation = "The dispatcher carries tokens to the ranks that hold their experts. alltoall_seq, which "
                     "older configurations name, was removed.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall_seq\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"}},
     dispatcher_unknown},
    {{.id = "MG416",
      .name = "token-dispatcher-gathers-all",
      .severity = Severity::note,
      .stage = Stage::advice,
      .runtime_site = "",
      .outcome = "",
      .summary = "allgather moves all tokens to all expert ranks.",
      .explanation = "With expert parallelism every rank of an ETP x EP group receives the tokens of the whole "
                     "group and drops those that other ranks work on: traffic and memory grow with EP. alltoall "
                     "and flex send only what is needed. The base preset says allgather, so it holds wherever "
                     "nothing else is set.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: allgather\n"
                      "expert_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "expert_model_parallel_size: 8\n"}},
     gathers_all_tokens},
    {{.id = "MG417",
      .name = "flex-dispatcher-without-group",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = token_dispatcher,
      .outcome = "the dispatcher refuses a group of one (AssertionError)",
      .summary = "The flex dispatcher needs ETP x EP above 1.",
      .explanation = "The flexible dispatcher, with DeepEP or Primus-Turbo behind it, moves tokens between the "
                     "ranks of an ETP x EP group. With a single rank there is nothing to move, and it refuses.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: flex\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: flex\n"
                       "expert_model_parallel_size: 8\n"}},
     flex_without_group},
    {{.id = "MG418",
      .name = "flex-backend-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = token_dispatcher,
      .outcome = "the dispatcher refuses the name (ValueError)",
      .summary = "moe_flex_dispatcher_backend is deepep or hybridep.",
      .explanation = "It names the library that the flex dispatcher sends tokens with.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: flex\n"
                      "expert_model_parallel_size: 8\n"
                      "moe_flex_dispatcher_backend: nccl\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: flex\n"
                       "expert_model_parallel_size: 8\n"
                       "moe_flex_dispatcher_backend: deepep\n"}},
     flex_backend_unknown},
    {{.id = "MG419",
      .name = "deepep-without-flex",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "moe_enable_deepep goes with the flex dispatcher and no other backend.",
      .explanation = "moe_enable_deepep is the older way to write moe_flex_dispatcher_backend: deepep. It needs "
                     "moe_token_dispatcher_type: flex. use_turbo_deepep sets both by itself.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_enable_deepep: true\n"
                      "expert_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: flex\n"
                       "moe_enable_deepep: true\n"
                       "expert_model_parallel_size: 8\n"}},
     deepep_without_flex},
    {{.id = "MG420",
      .name = "deepep-with-padding",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "DeepEP does not pad experts to their capacity.",
      .explanation = "moe_pad_expert_input_to_capacity makes every expert receive the same number of tokens. The "
                     "DeepEP backend sends what was routed and cannot pad; hybridep can, and so does alltoall.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: flex\n"
                      "expert_model_parallel_size: 8\n"
                      "moe_expert_capacity_factor: 1.0\n"
                      "moe_pad_expert_input_to_capacity: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "expert_model_parallel_size: 8\n"
                       "moe_expert_capacity_factor: 1.0\n"
                       "moe_pad_expert_input_to_capacity: true\n"}},
     deepep_with_padding},
};

}  // namespace

RuleList token_dispatcher_rules() { return rules; }

}  // namespace primus_plan::megatron
