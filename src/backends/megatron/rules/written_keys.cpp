#include "backends/megatron/written_keys.h"

#include <algorithm>
#include <array>

#include "backends/common/keys.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/diagnostics/findings.h"
#include "primus_plan/support/text.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* argument_builder = "primus/backends/megatron/argument_builder.py:update";

template <class Describe>
void each_remark(const MegatronRun& run, Findings& out, KeyFault fault, Describe describe) {
  for (const KeyRemark& remark : run.parsed.written.remarks) {
    if (remark.fault == fault) out.add(remark.where, [&](Message& m) { describe(remark, m); });
  }
}

bool is_variable_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

/// `hints`: how many keys of the experiment were given one.
void say_section(const KeyRemark& remark, std::size_t& hints, Message& m) {
  const auto& entries = remark.value->entries();
  const std::string_view owner = owner_of_section(remark.name);
  m.say("{} is a section{}{}, but Megatron's keys are flat: nothing reads the {} key{} in it", remark.name,
        owner.empty() ? "" : " of ", owner, entries.size(), entries.size() == 1 ? "" : "s");
  constexpr std::array place{std::string_view("overrides")};
  if (!nearest_names(remark.name, place, 1).empty()) {
    m.help("did you mean {}?", place.front());
    return;
  }
  m.help("write Megatron's own keys directly under overrides");
  for (const Entry& entry : entries) {
    if (!entry.key->is_string() || ++hints > most_key_hints) continue;
    const std::string_view meant = probable_key("megatron", entry.key->text).key;
    if (!meant.empty()) m.help("{}.{}: {}", remark.name, entry.key->text, meant);
  }
}

void unknown(const MegatronRun& run, Findings& out) {
  std::size_t hints = 0;
  each_remark(run, out, KeyFault::unknown, [&hints](const KeyRemark& remark, Message& m) {
    m.label("nothing reads this");
    if (remark.value->is_mapping()) {
      say_section(remark, hints, m);
      return;
    }
    if (remark.name.empty()) {
      m.say("this key is the empty text: neither Megatron nor Primus reads it");
      return;
    }
    m.say("{} has no effect: neither Megatron nor Primus reads a key of this name", remark.name);
    if (is_variable_name(remark.name)) {
      m.help("a variable is exported where the run is launched, or written where the experiment says ${{NAME}}");
      return;
    }
    if (++hints <= most_key_hints) say_probable_key("megatron", remark.name, remark.where, m);
  });
}

void say_dead(const KeyRemark& remark, Message& m) {
  m.say("{} {} has no effect: {}", remark.name, to_text(*remark.value), remark.dead->why);
  m.label("has no effect");
  if (remark.dead->instead.empty()) {
    m.help("take it out");
  } else {
    m.help("use {}, or take it out", remark.dead->instead);
  }
}

void dead(const MegatronRun& run, Findings& out) { each_remark(run, out, KeyFault::dead, say_dead); }

void twin(const MegatronRun& run, Findings& out) { each_remark(run, out, KeyFault::twin, say_dead); }

void unread_in_presets(const MegatronRun& run, Findings& out) {
  constexpr std::size_t most_named = 4;
  const auto& keys = run.parsed.written.of_presets;
  if (keys.empty()) return;
  out.add(run.module, [&](Message& m) {
    std::vector<std::string_view> names;
    for (const KeyRemark& key : keys) {
      if (names.size() < most_named) names.push_back(key.name);
      m.also(key.where, "nothing reads this");
    }
    const std::string more = keys.size() > names.size() ? fmt::format(", {} more", keys.size() - names.size()) : "";
    m.label("this module");
    m.say("{} key{} of the presets {} no effect here: {}{}", keys.size(), keys.size() == 1 ? "" : "s",
          keys.size() == 1 ? "has" : "have", join(names, ", "), more);
  });
}

void removed(const MegatronRun& run, Findings& out) {
  struct Removed {
    const Raw& field;
    const char* instead;
  };
  const MegatronConfig& given = run.given;
  for (const Removed& old : {Removed{given.batch_size, "micro_batch_size"}, Removed{given.warmup, "lr_warmup_fraction"},
                             Removed{given.model_parallel_size, "tensor_model_parallel_size"}}) {
    if (old.field.value == nullptr) continue;
    out.add(old.field, [&](Message& m) {
      m.say("Megatron stops for {}: {} took its place", old.field.key, old.instead);
      m.help("use {} instead", old.instead);
    });
  }
  if (!*given.checkpoint_activations) return;
  out.add(given.checkpoint_activations, [&](Message& m) {
    m.say("checkpoint_activations ends the process, with exit status 0 and without training");
    m.help("use recompute_activations, or recompute_granularity: full with recompute_method and recompute_num_layers");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG802",
      .name = "unknown-key",
      .severity = Severity::warning,
      .stage = Stage::load,
      .runtime_site = argument_builder,
      .outcome = "Primus drops the key without a word",
      .summary = "Every key of the experiment is one that Megatron or Primus reads.",
      .explanation = "Primus takes any key, gives Megatron those that its argument parser knows, and hands the others "
                     "on unread. A misspelt key leaves the preset's value or Megatron's default in force.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "tensor_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "tensor_model_parallel_size: 2\n"}},
     unknown},
    {{.id = "MG805",
      .name = "dead-key",
      .severity = Severity::warning,
      .stage = Stage::load,
      .runtime_site = argument_builder,
      .outcome = "nothing reads the key",
      .summary = "A key that was read once, or is read for another kind of model.",
      .explanation = "Presets and older experiments still carry keys that the pinned versions do not read, or that "
                     "they overwrite before anybody looks.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "encoder_tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "tensor_model_parallel_size: 2\n"}},
     dead},
    {{.id = "MG806",
      .name = "overwritten-twin",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = "megatron/training/arguments.py:core_transformer_config_from_args",
      .outcome = "Megatron overwrites the value",
      .summary = "A field of TransformerConfig that an argument of another name overwrites.",
      .explanation = "Megatron builds TransformerConfig from the arguments and then sets a few fields from arguments "
                     "of other names. What the experiment wrote under the field's own name is lost.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "num_layers_in_first_pipeline_stage: 2\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "num_layers_in_first_pipeline_stage: null\n"}},
     twin},
    {{.id = "MG807",
      .name = "removed-key",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError; checkpoint_activations: exit)",
      .summary = "Names that Megatron gave up: batch_size, warmup, model_parallel_size, checkpoint_activations.",
      .explanation = "Megatron knows these names only to refuse them. For checkpoint_activations it prints a line and "
                     "exits with status 0, which looks like a finished run.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "batch_size: 1\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "batch_size: null\n"}},
     removed},
    {{.id = "MG812",
      .name = "preset-keys-unread",
      .severity = Severity::note,
      .stage = Stage::advice,
      .runtime_site = "",
      .outcome = "",
      .summary = "Keys of the presets that neither Megatron nor Primus reads for this model.",
      .explanation = "Presets carry keys of older versions, misspelt ones, and keys that only another kind of model "
                     "reads. They do no harm, but what they seem to "
                     "say does not hold: norm_epsilon of a Qwen preset leaves layernorm_epsilon at 1e-5.",
      .bad = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: qwen2.5_7B.yaml
)"},
      .good = {.world_size = 8, .yaml = R"(work_group: team
user_name: me
exp_name: run
workspace: ./output
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: qwen2.5_7B.yaml
    overrides:
      layernorm_epsilon: 1.0e-6
)"}},
     unread_in_presets},
};

}  // namespace

RuleList written_key_rules() { return rules; }

}  // namespace primus_plan::megatron
