#include <algorithm>

#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* apply_ac = "torchtitan/distributed/activation_checkpoint.py:apply_ac";
constexpr const char* apply_ac_to_block =
    "torchtitan/distributed/activation_checkpoint.py:_apply_ac_to_transformer_block";

/// flux checkpoints whatever the mode, as long as it is not "none".
bool reads_mode(const TorchTitanRun& run) { return run.parsed.model != nullptr && run.family() != Family::flux; }

void mode_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& mode = run.config.ac_mode;
  const std::string_view name = *mode;
  if (!reads_mode(run) || name == "none" || name == "selective" || name == "full" || name == "memory_budget") return;
  if (run.is_unreadable(mode.key)) return;
  out.add(mode, [&](Message& m) {
    m.say("activation_checkpoint.mode {} is none of none, selective, full, memory_budget", quoted(name));
    m.help("the string none switches activation checkpointing off; null, off and no do not");
    if (name.data() == nullptr) m.fix("set activation_checkpoint.mode to none", mode, "none");
    offer_word(m, mode, "none|selective|full|memory_budget");
  });
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What stands between quotes that have become part of a value.
std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() > 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

void selective_option_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& option = run.config.ac_selective_ac_option;
  const std::string_view text = *option;
  if (!reads_mode(run) || *run.config.ac_mode != "selective" || run.is_unreadable(option.key)) return;
  if (text == "op" || is_digits(text)) return;
  out.add(option, [&](Message& m) {
    m.say("activation_checkpoint.selective_ac_option {} is neither 'op' nor a number in quotes", quoted(text));
    m.because("\"2\" checkpoints every second layer, op decides by operator");
    const std::string_view bare = without_quotes(text);
    if (is_digits(bare) && help_with_token(m, option.key, bare, option.origin)) return;
    offer_word(m, option, "op");
  });
}

void memory_budget_without_compile(const TorchTitanRun& run, Findings& out) {
  if (!reads_mode(run) || *run.config.ac_mode != "memory_budget" || run.parsed.compiles_model) return;
  out.add(run.config.ac_mode, [&](Message& m) {
    m.say(
        "activation_checkpoint.mode memory_budget needs a compiled model: compile.enable and 'model' in "
        "compile.components");
    m.also(run.config.compile_enable).also(run.config.compile_components);
    m.help("set compile.enable to true, or take another mode");
  });
}

void memory_budget_ignored(const TorchTitanRun& run, Findings& out) {
  if (*run.config.ac_mode != "memory_budget" || run.family() != Family::gpt_oss || !run.parsed.compiles_model) return;
  out.add(run.config.ac_mode, [&](Message& m) {
    m.say("gpt_oss never compiles its model: memory_budget recomputes nothing");
    m.help("activation_checkpoint.mode: selective or full");
    m.fix("set activation_checkpoint.mode to full", run.config.ac_mode, "full");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT701",
      .name = "recompute-mode-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = apply_ac_to_block,
      .outcome = "TorchTitan stops when it wraps the layers (ValueError)",
      .summary = "activation_checkpoint.mode is none, selective, full or memory_budget.",
      .explanation = "The words are matched as they stand. Only the string none switches it off: YAML's off and no "
                     "are the boolean false, and null is null.",
      .bad = {.world_size = 8, .yaml = "activation_checkpoint:\n  mode: Full\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "activation_checkpoint:\n  mode: full\ntraining:\n  seq_len: 2048\n"}},
     mode_unknown},
    {{.id = "TT702",
      .name = "selective-recompute-option-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = apply_ac_to_block,
      .outcome = "TorchTitan stops when it wraps the layers (ValueError)",
      .summary = "selective_ac_option is op or a number in quotes.",
      .explanation = "op saves the results of costly operators and recomputes the rest; \"n\" checkpoints every "
                     "n-th layer, and \"0\" all of them, as \"1\" does.",
      .bad = {.world_size = 8,
              .yaml = "activation_checkpoint:\n  mode: selective\n  selective_ac_option: every2\n"
                      "training:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "activation_checkpoint:\n  mode: selective\n  selective_ac_option: \"2\"\ntraining:\n"
                       "  seq_len: 2048\n"}},
     selective_option_unknown},
    {{.id = "TT703",
      .name = "memory-budget-without-compile",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = apply_ac,
      .outcome = "TorchTitan stops (AssertionError)",
      .summary = "activation_checkpoint.mode memory_budget needs a compiled model.",
      .explanation = "The budget is an option of torch.compile's partitioner.",
      .bad = {.world_size = 8,
              .yaml = "activation_checkpoint:\n  mode: memory_budget\ncompile:\n  enable: false\n"
                      "training:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "activation_checkpoint:\n  mode: memory_budget\ncompile:\n  enable: true\ntraining:\n"
                       "  seq_len: 2048\n"}},
     memory_budget_without_compile},
    {{.id = "TT704",
      .name = "memory-budget-ignored",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/gpt_oss/infra/parallelize.py:parallelize_gptoss",
      .outcome = "the run goes on and recomputes nothing",
      .summary = "gpt_oss does not honour activation_checkpoint.mode memory_budget.",
      .explanation = "gpt_oss passes the check for a compiled model and then does not compile it.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: gpt_oss\n  flavor: 20b\n  converters: []\nactivation_checkpoint:\n"
                      "  mode: memory_budget\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: gpt_oss\n  flavor: 20b\n  converters: []\nactivation_checkpoint:\n"
                       "  mode: full\ntraining:\n  seq_len: 2048\n"}},
     memory_budget_ignored},
};

}  // namespace

RuleList recompute_rules() { return rules; }

}  // namespace primus_plan::torchtitan
