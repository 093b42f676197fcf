#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops when it checks its arguments (AssertionError)";
constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";

void negative_experts(const MegatronRun& run, Findings& out) {
  const MaybeCount& experts = run.config.num_experts;
  if (experts.value.value_or(1) >= 1) return;
  out.add(experts, [&](Message& m) {
    m.say("num_experts is {}: a layer has at least one expert", *experts.value);
    m.help("set a positive number, or null for a dense model");
  });
}

void expert_parallel_without_experts(const MegatronRun& run, Findings& out) {
  if (run.ep() <= 1 || run.is_moe()) return;
  const Count& size = run.config.expert_model_parallel_size;
  out.add(size, [&](Message& m) {
    m.say("expert_model_parallel_size is {}, but the model has no experts: num_experts is not set", run.ep());
    m.also(run.config.num_experts, "num_experts");
    m.help("set expert_model_parallel_size: 1, or num_experts to a multiple of {}", run.ep());
    m.fix("no expert parallelism", size, "1");
  });
}

void experts_not_divisible(const MegatronRun& run, Findings& out) {
  const Int experts = run.config.num_experts.value.value_or(0);
  if (experts < 1 || run.ep() < 1 || experts % run.ep() == 0) return;
  const Count& size = run.config.expert_model_parallel_size;
  out.add(size, [&](Message& m) {
    m.say("num_experts {} is not a multiple of expert_model_parallel_size {}", experts, run.ep());
    m.also(run.config.num_experts, "num_experts");
    m.because("every expert-parallel rank holds num_experts / EP whole experts");
    m.help("EP can be any divisor of {}, or num_experts one of {}", experts,
           numbers_text(multiples_around(experts, run.ep())));
  });
}

void expert_ffn_without_experts(const MegatronRun& run, Findings& out) {
  const MaybeCount& size = run.config.moe_ffn_hidden_size;
  if (run.is_moe() || !size.value || !has_megatron_config(run)) return;
  out.add(size, [&](Message& m) {
    m.say("moe_ffn_hidden_size is {}, but the model has no experts: num_experts is not set", *size.value);
    m.also(run.config.num_experts, "num_experts");
    m.help("a preset with experts that is made dense needs moe_ffn_hidden_size: null as well");
    m.fix("unset it", size, "null");
  });
}

void bias_with_expert_tensor_parallel(const MegatronRun& run, Findings& out) {
  if (!builds_experts(run) || !*run.config.add_bias_linear || run.degrees.expert_tensor == 1) return;
  out.add(run.config.add_bias_linear, [&](Message& m) {
    m.say("add_bias_linear with experts needs expert_tensor_parallel_size 1, but it is {}", run.degrees.expert_tensor);
    if (!run.given.expert_tensor_parallel_size.value) {
      m.because("expert_tensor_parallel_size is not set: it follows tensor_model_parallel_size {}", run.tp());
    }
    m.also(run.config.expert_tensor_parallel_size);
    m.help("set expert_tensor_parallel_size: 1, or add_bias_linear: false");
  });
}

void split_without_sequence_parallel(const MegatronRun& run, Findings& out) {
  const Flag& sequence = run.config.sequence_parallel;
  if (!builds_experts(run) || run.tp() <= 1 || *sequence) return;
  out.add(sequence, [&](Message& m) {
    m.say("experts with tensor_model_parallel_size {} need sequence_parallel: true", run.tp());
    m.also(run.config.tensor_model_parallel_size).also(run.config.num_experts, "num_experts");
    m.because("without it every tensor-parallel rank would send the same tokens to the experts");
    m.fix("split the sequence too", sequence, "true");
  });
}

void upcycling_without_save(const MegatronRun& run, Findings& out) {
  if (!*run.config.moe_use_upcycling || run.config.save.value.data() != nullptr) return;
  out.add(run.config.moe_use_upcycling, [&](Message& m) {
    m.say("moe_use_upcycling turns a dense checkpoint into one with experts, but save names no place for it");
    m.help("set save to a folder");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG401",
      .name = "experts-negative",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "num_experts is positive, or null or 0 for a dense model.",
      .explanation = "Megatron reads 0 as null: a dense model. Below that there is nothing it could build.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: -1\n"
                      "moe_grouped_gemm: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"}},
     negative_experts},
    {{.id = "MG402",
      .name = "expert-parallel-without-experts",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "Expert parallelism needs experts.",
      .explanation = "expert_model_parallel_size spreads the experts of each layer over ranks. With num_experts null "
                     "or 0 the model is dense and there is nothing to spread. This often happens when a preset with "
                     "experts is made dense, or when the key is meant for another model.",
      .bad = {.world_size = 8, .yaml = "expert_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "expert_model_parallel_size: 8\n"}},
     expert_parallel_without_experts},
    {{.id = "MG403",
      .name = "experts-not-divisible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "num_experts is a multiple of expert_model_parallel_size.",
      .explanation = "Every expert-parallel rank holds the same number of whole experts: num_experts / EP.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 6\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "expert_model_parallel_size: 4\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "expert_model_parallel_size: 4\n"}},
     experts_not_divisible},
    {{.id = "MG404",
      .name = "expert-ffn-without-experts",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "moe_ffn_hidden_size needs experts.",
      .explanation = "The width of an expert has no meaning in a dense model, and TransformerConfig insists on "
                     "null there. It happens when num_experts: null or 0 makes a preset with experts dense.",
      .bad = {.world_size = 8, .yaml = "moe_ffn_hidden_size: 512\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_ffn_hidden_size: 512\n"}},
     expert_ffn_without_experts},
    {{.id = "MG406",
      .name = "expert-bias-with-tensor-parallel",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Experts with a bias are not split by tensor parallelism.",
      .explanation = "add_bias_linear gives the experts a bias, which their row-parallel part cannot add once "
                     "per group. expert_tensor_parallel_size follows tensor_model_parallel_size when it is "
                     "unset.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "add_bias_linear: true\n"
                      "bias_dropout_fusion: false\n"
                      "tensor_model_parallel_size: 2\n"
                      "sequence_parallel: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "add_bias_linear: true\n"
                       "bias_dropout_fusion: false\n"
                       "tensor_model_parallel_size: 2\n"
                       "sequence_parallel: true\n"
                       "expert_tensor_parallel_size: 1\n"}},
     bias_with_expert_tensor_parallel},
    {{.id = "MG472",
      .name = "experts-without-sequence-parallel",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/transformer/moe/moe_layer.py:forward",
      .outcome = "the first forward pass of training stops (ValueError)",
      .summary = "Experts under tensor parallelism need sequence parallelism.",
      .explanation = "Tensor-parallel ranks hold the same tokens unless sequence_parallel divides them, and the "
                     "experts would work on each token once per rank. At start Megatron only logs a warning, and that "
                     "only when expert_model_parallel_size is above 1; the first step stops.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "tensor_model_parallel_size: 2\n"
                      "sequence_parallel: false\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "tensor_model_parallel_size: 2\n"
                       "sequence_parallel: true\n"}},
     split_without_sequence_parallel},
    {{.id = "MG408",
      .name = "upcycling-without-save",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "Upcycling needs a place to save.",
      .explanation = "moe_use_upcycling loads a dense checkpoint, copies its feed-forward layers into experts "
                     "and saves the result under save. It also ignores the optimizer and random state of the "
                     "dense checkpoint.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_use_upcycling: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_use_upcycling: true\n"
                       "save: checkpoints\n"
                       "save_interval: 100\n"}},
     upcycling_without_save},
};

}  // namespace

RuleList expert_rules() { return rules; }

}  // namespace primus_plan::megatron
