#include "backends/megatron/rules/dimensions.h"

#include <array>

#include "backends/megatron/rules/legal_values.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// `what` split over a group, told in the words of the two keys.
void split_fault(Findings& out, const MaybeCount& what, const char* group, Int parts, const Origin& other) {
  out.add(what, [&](Message& m) {
    m.say("{} {} is not a multiple of {} {}", what.key, *what.value, group, parts);
    m.also(other, "the degree is set here");
    help_with_nearest(m, multiples_around(*what.value, parts));
  });
}

void heads_over_tensor(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (heads_fit(run)) return;
  out.add(config.num_attention_heads, [&](Message& m) {
    const Int heads = *config.num_attention_heads.value;
    m.say("num_attention_heads {} is not a multiple of TP {}", heads, run.tp());
    m.also(config.tensor_model_parallel_size, "TP is set here");
    m.help("{} heads split over TP {}", heads, divisors_text(heads, saturating_multiply(2, run.tp())));
  });
}

void groups_over_tensor(const MegatronRun& run, Findings& out) {
  const MaybeCount& groups = run.config.num_query_groups;
  if (groups_fit(run)) return;
  out.add(groups, [&](Message& m) {
    m.say("num_query_groups {} is neither a multiple nor a divisor of TP {}", *groups.value, run.tp());
    m.also(run.config.tensor_model_parallel_size, "TP is set here");
  });
}

void groups_without_flag(const MegatronRun& run, Findings& out) {
  const MaybeCount& groups = run.given.num_query_groups;
  const bool asked = is_asked_for(groups);
  if (*run.config.group_query_attention || *run.config.multi_latent_attention || !asked || !groups.value) return;
  if (groups.value == run.config.num_attention_heads.value) return;
  out.add(groups, [&](Message& m) {
    m.say("num_query_groups {} has no effect: group_query_attention is off, so every head is a group of its own",
          *groups.value);
    m.also(run.config.group_query_attention, "switched off here");
    m.help("set group_query_attention: true");
    m.fix("switch group_query_attention on", run.config.group_query_attention, "true");
  });
}

void heads_over_groups(const MegatronRun& run, Findings& out) {
  const MaybeCount& groups = run.config.num_query_groups;
  if (!*run.config.group_query_attention || !groups.value || *groups.value < 1) return;
  if (divides(run.config.num_attention_heads, *groups.value)) return;
  const MaybeCount& heads = run.config.num_attention_heads;
  out.add(heads, [&](Message& m) {
    m.say("num_attention_heads {} is not a multiple of num_query_groups {}", *heads.value, *groups.value);
    m.also(groups);
    m.help("num_query_groups that divides {}: {}", *heads.value,
           numbers_text(legal_among(run, &MegatronConfig::num_query_groups, divisors(*heads.value))));
  });
}

void hidden_over_heads(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (run.given.kv_channels.value || config.hidden_size.value.value_or(0) < 1) return;
  if (config.num_attention_heads.value.value_or(0) < 1) return;
  if (divides(config.hidden_size, *config.num_attention_heads.value)) return;
  out.add(config.hidden_size, [&](Message& m) {
    m.say("hidden_size {} is not a multiple of num_attention_heads {}, and kv_channels is unset",
          *config.hidden_size.value, *config.num_attention_heads.value);
    m.also(config.num_attention_heads);
    m.help("set kv_channels to the width of a head, or choose sizes that divide");
  });
}

void ffn_over_tensor(const MegatronRun& run, Findings& out) {
  if (ffn_fits(run)) return;
  split_fault(out, run.config.ffn_hidden_size, "TP", run.tp(), run.config.tensor_model_parallel_size.origin);
}

void expert_ffn(const MegatronRun& run, Findings& out) {
  if (!run.is_moe()) return;
  const MegatronConfig& config = run.config;
  if (!divides(config.moe_ffn_hidden_size, run.degrees.expert_tensor)) {
    split_fault(out, config.moe_ffn_hidden_size, "ETP", run.degrees.expert_tensor,
                config.expert_tensor_parallel_size.origin);
  }
  if (!divides(config.moe_shared_expert_intermediate_size, run.tp())) {
    split_fault(out, config.moe_shared_expert_intermediate_size, "TP", run.tp(),
                config.tensor_model_parallel_size.origin);
  }
}

void padded_vocabulary(const MegatronRun& run, Findings& out) {
  if (divides(run.config.padded_vocab_size, run.tp())) return;
  split_fault(out, run.config.padded_vocab_size, "TP", run.tp(), run.config.tensor_model_parallel_size.origin);
}

/// build_tokenizer.py: the vocabulary is padded to a multiple of make_vocab_size_divisible_by x TP.
Int padded(Int vocabulary, Int multiple) {
  return saturating_multiply(vocabulary / multiple + (vocabulary % multiple != 0 ? 1 : 0), multiple);
}

void padding_changes_with_tensor(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const Count& multiple = config.make_vocab_size_divisible_by;
  const bool asked = is_asked_for(multiple);
  const Int vocabulary = config.vocab_size.value.value_or(0);
  if (!asked || config.padded_vocab_size.value || vocabulary < 1 || *multiple < 1 || run.tp() < 2) return;
  const Int alone = padded(vocabulary, *multiple);
  const Int together = padded(vocabulary, saturating_multiply(*multiple, run.tp()));
  if (alone == together) return;
  out.add(multiple, [&](Message& m) {
    m.say("the vocabulary of {} is padded to {} at TP {}, but to {} at TP 1: a checkpoint does not load at another TP",
          vocabulary, together, run.tp(), alone);
    m.also(config.vocab_size, "vocab_size set here").also(config.tensor_model_parallel_size, "TP is set here");
    m.because("padding goes to a multiple of make_vocab_size_divisible_by x TP = {} x {}", *multiple, run.tp());
    m.help(
        "a make_vocab_size_divisible_by that is a multiple of every TP you will use (128, say) pads alike everywhere");
  });
}

struct Dimension {
  const MaybeCount& size;
  bool is_there;  ///< some layer has it
  Int least;      ///< that the model can be built with
  std::string_view why;
};

std::array<Dimension, 6> dimensions(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  const bool plain = !*config.multi_latent_attention;
  const bool wide = run.given.kv_channels.value.has_value();
  return {{
      {config.num_attention_heads, true, 1, "the width of a head is a quotient by it"},
      {config.hidden_size, true, wide ? 0 : 1, "the embedding has that width"},
      {config.kv_channels, plain && wide, 1, "scores are divided by the square root of it"},
      {config.num_query_groups, plain && *config.group_query_attention, 1, "the heads are divided among them"},
      {config.ffn_hidden_size, !run.is_moe(), 0, "the MLP has that width"},
      {config.moe_ffn_hidden_size, run.is_moe(), 0, "the experts have that width"},
  }};
}

void dimension_not_positive(const MegatronRun& run, Findings& out) {
  for (const Dimension& dimension : dimensions(run)) {
    const MaybeCount& size = dimension.size;
    if (!dimension.is_there || !size.value || *size.value >= dimension.least || !is_written(size.origin)) continue;
    out.add(size, [&](Message& m) {
      m.say("{} is {}: {}", size.key, *size.value, dimension.why);
      m.help("{}", size.key == run.config.num_query_groups.key
                       ? "set it to the number of key-value heads, or group_query_attention to false"
                       : "give the model's own number");
    });
  }
}

void padding_to_nothing(const MegatronRun& run, Findings& out) {
  const Count& multiple = run.config.make_vocab_size_divisible_by;
  if (*multiple != 0 || run.config.padded_vocab_size.value) return;
  out.add(multiple, [](Message& m) {
    m.say("make_vocab_size_divisible_by is 0: the vocabulary cannot be padded to a multiple of it");
    m.help("128 is Megatron's default");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG607",
      .name = "dimension-not-positive",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/attention.py:__init__",
      .outcome = "Megatron stops by the time the model is built (ZeroDivisionError, or torch refuses a negative width)",
      .summary = "Heads, query groups and widths of the model are positive.",
      .explanation = "Sizes are divided by the number of heads and of query groups, scores by the square root of "
                     "kv_channels, and no matrix has a negative width. A width of 0 of an MLP alone is left to the "
                     "framework.",
      .bad = {.world_size = 8, .yaml = "num_attention_heads: 0\nmicro_batch_size: 1\n"},
      .good = {.world_size = 8, .yaml = "num_attention_heads: 16\nmicro_batch_size: 1\n"}},
     dimension_not_positive},
    {{.id = "MG608",
      .name = "vocabulary-padded-to-nothing",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/tokenizers/utils/build_tokenizer.py:vocab_size_with_padding",
      .outcome = "Megatron stops when the tokenizer is built (ZeroDivisionError)",
      .summary = "make_vocab_size_divisible_by is not 0.",
      .explanation = "The vocabulary is padded to a multiple of make_vocab_size_divisible_by x TP, unless "
                     "padded_vocab_size says what it is.",
      .bad = {.world_size = 8, .yaml = "make_vocab_size_divisible_by: 0\nmicro_batch_size: 1\n"},
      .good = {.world_size = 8, .yaml = "make_vocab_size_divisible_by: 128\nmicro_batch_size: 1\n"}},
     padding_to_nothing},
    {{.id = "MG630",
      .name = "heads-not-divisible-by-tensor",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops (ValueError)",
      .summary = "num_attention_heads is a multiple of TP.",
      .explanation = "Tensor parallelism gives each rank whole heads.",
      .bad = {.world_size = 8,
              .yaml = "num_attention_heads: 4\n"
                      "tensor_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_attention_heads: 16\n"
                       "tensor_model_parallel_size: 8\n"}},
     heads_over_tensor},
    {{.id = "MG631",
      .name = "query-groups-against-tensor",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops (ValueError)",
      .summary = "num_query_groups is a multiple or a divisor of TP.",
      .explanation = "Each rank holds whole groups, or several ranks hold copies of one.",
      .bad = {.world_size = 8,
              .yaml = "group_query_attention: true\n"
                      "num_attention_heads: 12\n"
                      "hidden_size: 768\n"
                      "num_query_groups: 6\n"
                      "tensor_model_parallel_size: 4\n"},
      .good = {.world_size = 8,
               .yaml = "group_query_attention: true\n"
                       "num_attention_heads: 12\n"
                       "hidden_size: 768\n"
                       "num_query_groups: 4\n"
                       "tensor_model_parallel_size: 4\n"}},
     groups_over_tensor},
    {{.id = "MG632",
      .name = "query-groups-without-flag",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = "megatron/training/arguments.py:core_transformer_config_from_args",
      .outcome = "trains plain multi-head attention",
      .summary = "num_query_groups works only with group_query_attention.",
      .explanation = "With the flag off Megatron drops the number: every head has keys and values of its own, which is "
                     "another, larger model.",
      .bad = {.world_size = 8,
              .yaml = "num_attention_heads: 16\n"
                      "num_query_groups: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_attention_heads: 16\n"
                       "num_query_groups: 8\n"
                       "group_query_attention: true\n"}},
     groups_without_flag},
    {{.id = "MG633",
      .name = "heads-not-divisible-by-groups",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/attention.py:__init__",
      .outcome = "Megatron stops when attention is built (AssertionError)",
      .summary = "num_attention_heads is a multiple of num_query_groups.",
      .explanation = "Every group serves the same number of heads.",
      .bad = {.world_size = 8,
              .yaml = "group_query_attention: true\n"
                      "num_attention_heads: 16\n"
                      "num_query_groups: 6\n"},
      .good = {.world_size = 8,
               .yaml = "group_query_attention: true\n"
                       "num_attention_heads: 16\n"
                       "num_query_groups: 4\n"}},
     heads_over_groups},
    {{.id = "MG634",
      .name = "hidden-not-divisible-by-heads",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "hidden_size is a multiple of num_attention_heads, or kv_channels is set.",
      .explanation = "kv_channels is the width of a head; unset, it is hidden_size / num_attention_heads.",
      .bad = {.world_size = 8,
              .yaml = "hidden_size: 1000\n"
                      "num_attention_heads: 16\n"},
      .good = {.world_size = 8,
               .yaml = "hidden_size: 1024\n"
                       "num_attention_heads: 16\n"}},
     hidden_over_heads},
    {{.id = "MG635",
      .name = "ffn-not-divisible-by-tensor",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/utils.py:divide",
      .outcome = "Megatron stops when the MLP is built (AssertionError)",
      .summary = "ffn_hidden_size is a multiple of TP.",
      .explanation = "Tensor parallelism splits the width of the MLP.",
      .bad = {.world_size = 8,
              .yaml = "ffn_hidden_size: 4100\n"
                      "tensor_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "ffn_hidden_size: 4096\n"
                       "tensor_model_parallel_size: 8\n"}},
     ffn_over_tensor},
    {{.id = "MG636",
      .name = "expert-ffn-not-divisible",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/transformer/moe/experts.py:__init__",
      .outcome = "Megatron stops when the experts are built (AssertionError)",
      .summary = "moe_ffn_hidden_size is a multiple of ETP, the shared experts' width of TP.",
      .explanation =
          "Routed experts are split over the expert-tensor-parallel group, shared experts over the dense one.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_ffn_hidden_size: 513\n"
                      "tensor_model_parallel_size: 2\n"
                      "expert_tensor_parallel_size: 2\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_ffn_hidden_size: 512\n"
                       "tensor_model_parallel_size: 2\n"
                       "expert_tensor_parallel_size: 2\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"}},
     expert_ffn},
    {{.id = "MG637",
      .name = "padded-vocabulary-not-divisible",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/utils.py:divide",
      .outcome = "Megatron stops when the embedding is built (AssertionError)",
      .summary = "An explicit padded_vocab_size is a multiple of TP.",
      .explanation = "Unset, Megatron pads the vocabulary itself to a multiple of make_vocab_size_divisible_by x TP.",
      .bad = {.world_size = 8,
              .yaml = "padded_vocab_size: 50257\n"
                      "tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "padded_vocab_size: 50304\n"
                       "tensor_model_parallel_size: 2\n"}},
     padded_vocabulary},
    {{.id = "MG638",
      .name = "vocabulary-padding-depends-on-tensor",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/tokenizers/utils/build_tokenizer.py:vocab_size_with_padding",
      .outcome = "trains; the embedding has another size at another TP",
      .summary = "The padded vocabulary should not depend on TP.",
      .explanation =
          "Megatron pads the vocabulary to a multiple of make_vocab_size_divisible_by x TP. A small "
          "make_vocab_size_divisible_by makes the size change with TP, and with it the shapes in the checkpoint.",
      .bad = {.world_size = 8,
              .yaml = "vocab_size: 50257\n"
                      "make_vocab_size_divisible_by: 1\n"
                      "tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "vocab_size: 50432\n"
                       "make_vocab_size_divisible_by: 128\n"
                       "tensor_model_parallel_size: 2\n"}},
     padding_changes_with_tensor},
};

}  // namespace

RuleList dimension_rules() { return rules; }

}  // namespace primus_plan::megatron
