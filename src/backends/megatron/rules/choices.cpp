#include "backends/common/choices.h"

#include <algorithm>
#include <string>

#include "backends/common/say.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/settings.h"
#include "primus_plan/diagnostics/findings.h"
#include "primus_plan/support/text.h"

namespace primus_plan::megatron {
namespace {

bool always(const MegatronRun&) { return true; }
bool fuses_cross_entropy(const MegatronRun& run) { return *run.config.cross_entropy_loss_fusion; }
bool drops_tokens(const MegatronRun& run) { return run.is_moe() && run.config.moe_expert_capacity_factor.value; }
bool changes_weight_decay(const MegatronRun& run) {
  return run.config.start_weight_decay.value && run.config.end_weight_decay.value;
}
bool anneals(const MegatronRun& run) { return *run.config.lr_decay_style == "WSD"; }
bool saves(const MegatronRun& run) { return first_checkpoint(run).has_value(); }
/// Some versions of Primus take the NullTokenizer for mock data.
bool reads_text(const MegatronRun& run) { return !*run.config.mock_data; }
/// Kinds of models that Megatron's own layer specs build.
bool has_megatron_layers(const MegatronRun& run) { return *run.config.model_type == "gpt"; }

/// Keys that some code tests against each of their values and refuses in the end. Sources:
/// megatron/core/optimizer_param_scheduler.py (get_lr, get_wd), megatron/core/fp8_utils.py:get_fp8_recipe,
/// megatron/core/models/gpt/experimental_attention_variant_module_specs.py,
/// megatron/core/models/common/language_module/language_module.py:compute_language_model_loss,
/// megatron/core/transformer/moe/moe_utils.py:apply_router_token_dropping,
/// megatron/core/extensions/transformer_engine.py:TENorm, megatron/core/timers.py:Timers,
/// megatron/training/checkpointing.py:save_checkpoint (only the format torch goes its last way),
/// megatron/training/initialize.py:initialize_megatron (the enums RerunMode and RerunDiagnostic) and
/// :_initialize_distributed (torch.distributed.init_process_group knows its backends by name),
/// primus/backends/megatron/training/tokenizer/tokenizer.py:build_tokenizer and the builder of Megatron behind it.
struct Refused {
  std::string_view name;
  bool (*reached)(const MegatronRun& run);
};

constexpr Refused refused[] = {
    {"ckpt_format", saves},
    {"cross_entropy_fusion_impl", fuses_cross_entropy},
    {"distributed_backend", always},
    {"error_injection_type", always},
    {"experimental_attention_variant", has_megatron_layers},
    {"fp8", has_megatron_layers},
    {"lr_decay_style", always},
    {"lr_wsd_decay_style", anneals},
    {"moe_token_drop_policy", drops_tokens},
    {"normalization", has_megatron_layers},
    {"rerun_mode", always},
    {"timing_log_option", always},
    {"tokenizer_type", reads_text},
    {"weight_decay_incr_style", changes_weight_decay},
};

bool is_refused(const MegatronRun& run, const BadChoice& bad) {
  const auto* at = std::ranges::find(refused, bad.choice->name, &Refused::name);
  return at != std::end(refused) && at->reached(run);
}

/// What a value that is refused by nothing does, as far as it is one thing.
/// Sources: megatron/core/transformer/moe/router.py:get_aux_loss_coeff, :gating.
struct Consequence {
  std::string_view name;
  std::string_view text;
};

constexpr Consequence consequences[] = {
    {"ckpt_format", "the first checkpoint would stop"},
    {"moe_router_dtype", "nothing checks it, and the router computes in the type of its input"},
    {"moe_router_load_balancing_type", "nothing checks it, and no loss balances the experts for it"},
    {"tokenizer_type", "it is refused when the tokenizer is built, if mock_data lets it be built"},
};

std::string_view consequence(std::string_view key) {
  const auto* at = std::ranges::find(consequences, key, &Consequence::name);
  return at != std::end(consequences) ? at->text : "nothing checks it, so another value acts";
}

void say_choice(const BadChoice& bad, std::string_view end, Message& m) {
  constexpr std::size_t most_listed = 8;
  const auto values = split_choices(bad.choice->values);
  const std::string list = values.size() <= most_listed ? join(values, ", ") : "the values that are known";
  m.say("{} is {}, none of {}{}{}", bad.choice->name, to_text(*bad.node), list, end.empty() ? "" : ": ", end);
  offer_word(m, *bad.node, values);
}

void refused_choice(const MegatronRun& run, Findings& out) {
  for (const BadChoice& bad : run.parsed.written.bad_choices) {
    if (is_refused(run, bad)) out.add(bad.node->origin, [&](Message& m) { say_choice(bad, "", m); });
  }
}

void unchecked_choice(const MegatronRun& run, Findings& out) {
  for (const BadChoice& bad : run.parsed.written.bad_choices) {
    if (is_refused(run, bad) || bad.node->is_null()) continue;
    out.add(bad.node->origin, [&](Message& m) { say_choice(bad, consequence(bad.choice->name), m); });
  }
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG810",
      .name = "refused-choice",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/training/training.py:setup_model_and_optimizer",
      .outcome = "Megatron stops where the value is used first",
      .summary = "A word that is none of a key's values, and that Megatron refuses late.",
      .explanation = "Primus does not check values against the choices of Megatron's parser. These keys are tested "
                     "value by value when the process groups, the tokenizer, the model, the learning-rate schedule, a "
                     "step or the first checkpoint needs them, and an unknown word is an error there.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "lr_decay_style: cosin\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "lr_decay_style: cosine\n"}},
     refused_choice},
    {{.id = "MG811",
      .name = "unknown-choice",
      .severity = Severity::warning,
      .stage = Stage::load,
      .runtime_site = "primus/backends/megatron/argument_builder.py:update",
      .outcome = "nothing refuses the value; code that compares with the known ones takes its last branch",
      .summary = "A value that is none of those that Megatron's parser declares for the key.",
      .explanation =
          "Primus takes any value: words, numbers and the items of lists. What an unknown one does depends on the code "
          "that reads it: mostly that of the last branch, without a word. An unknown moe_router_load_balancing_type "
          "switches the balancing loss off, an unknown moe_router_dtype the router's own precision.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "transformer_impl: transformer-engine\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "transformer_impl: transformer_engine\n"}},
     unchecked_choice},
};

}  // namespace

RuleList choice_rules() { return rules; }

}  // namespace primus_plan::megatron
