#include "backends/common/keys.h"

#include "backends/common/choices.h"
#include "backends/torchtitan/fields.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* build_config = "primus/backends/torchtitan/config_utils.py:build_job_config_from_namespace";

void key_unknown(const TorchTitanRun& run, Findings& out) {
  std::size_t hints = 0;
  for (const StrayKey& key : run.parsed.keys.unknown) {
    out.add(key.origin, [&](Message& m) {
      m.label("nothing reads this");
      m.say("{} has no effect: neither TorchTitan nor Primus reads a key of this name", key.path);
      if (++hints <= most_key_hints) say_probable_key("torchtitan", key.path, key.origin, m);
    });
  }
}

void key_dotted(const TorchTitanRun& run, Findings& out) {
  for (const StrayKey& key : run.parsed.keys.dotted) {
    out.add(key.origin, [&](Message& m) {
      m.label("a key with a dot in its name");
      m.say("{} is one key with dots in its name: nobody splits it in a file, and it has no effect", key.path);
      m.help("nest it, section by section; only command-line overrides may use dots");
    });
  }
}

void experimental_key_unknown(const TorchTitanRun& run, Findings& out) {
  for (const StrayKey& key : run.parsed.keys.experimental) {
    out.add(key.origin, [&](Message& m) {
      m.label("unknown key");
      m.say("{}: only custom_import and custom_args_module may stand below experimental", key.path);
    });
  }
}

/// Who reads the section decides whether its absence stops the run.
bool is_read(const BrokenSection& section, const TorchTitanRun& run) {
  if (section.outcome == nullptr) return false;
  const Converters& converters = run.parsed.converters;
  if (section.name == "quantize") return converters.float8_linear || converters.mx_linear || converters.grouped_float8;
  if (section.name == "primus_turbo") return converters.turbo;
  return true;
}

void section_empty(const TorchTitanRun& run, Findings& out) {
  for (const BrokenSection& section : run.parsed.keys.sections) {
    if (!is_read(section, run)) continue;
    out.add(section.entry->key_origin, [&](Message& m) {
      m.label("no keys below");
      if (section.entry->value->is_null()) {
        m.say("{} has no keys: that makes the whole section null, presets included", section.name);
      } else {
        m.say("{} is {}, not a mapping of keys", section.name, to_string(section.entry->value->kind));
      }
      m.help("delete the line, or give the section a key");
    });
  }
}

/// Keys with words of their own whose unknown values have no rule of their own: TorchTitan takes them for its default.
bool has_no_rule_of_its_own(std::string_view key) {
  for (const std::string_view quiet : {"comm.mode", "parallelism.expert_parallel_comm_backend",
                                       "lr_scheduler.decay_type", "parallelism.context_parallel_rotate_method"}) {
    if (key == quiet) return true;
  }
  return false;
}

void word_unknown(const TorchTitanRun& run, Findings& out) {
  for (const Field<TorchTitanConfig>& field : fields()) {
    const auto* word = std::get_if<Word TorchTitanConfig::*>(&field.member);
    if (word == nullptr || field.choices.empty() || !has_no_rule_of_its_own(field.name)) continue;
    const Word& value = run.config.**word;
    if (!value.is_explicit || is_choice(field.choices, *value) || run.is_unreadable(field.name)) continue;
    out.add(value, [&](Message& m) {
      m.say("{} {} is none of {}: nothing checks the word, and it does not do what it says", field.name, quoted(*value),
            field.choices);
      offer_word(m, value, field.choices);
    });
  }
}

void components_unreadable(const TorchTitanRun& run, Findings& out) {
  if (!*run.config.compile_enable || run.parsed.components_readable) return;
  out.add(run.config.compile_components, [&](Message& m) {
    m.say("compile.components is no list of names");
    m.help("[model, loss] compiles both; to compile nothing, set compile.enable to false");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT811",
      .name = "torchtitan-key-unknown",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = build_config,
      .outcome = "Primus keeps the key as an attribute that nobody reads",
      .summary = "Keys are TorchTitan's or Primus's.",
      .explanation = "TorchTitan itself would refuse an unknown key; Primus's way to build the configuration "
                     "attaches it without a word. The typical causes: a key that moved to another section, another "
                     "framework's name, a slip of the pen. There is no key for gradient accumulation.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  tensor_parallel_degree: 2\n"}},
     key_unknown},
    {{.id = "TT812",
      .name = "torchtitan-key-dotted",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = build_config,
      .outcome = "Primus keeps the key as an attribute that nobody reads",
      .summary = "Keys in a file are nested, not dotted.",
      .explanation = "parallelism.tensor_parallel_degree: 2 in a file is a key whose name holds a dot. Only the "
                     "command line splits at dots.",
      .bad = {.world_size = 8,
              .yaml = "parallelism.tensor_parallel_degree: 2\ntraining:\n  seq_len: 2048\nmetrics:\n"
                      "  log_freq: 1\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  tensor_parallel_degree: 2\ntraining:\n  seq_len: 2048\nmetrics:\n"
                       "  log_freq: 1\n"}},
     key_dotted},
    {{.id = "TT813",
      .name = "experimental-key-unknown",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = build_config,
      .outcome = "Primus stops when it builds the configuration (TypeError)",
      .summary = "Below experimental stand only custom_import and custom_args_module.",
      .explanation = "This section is handed to a constructor, which refuses other names. Unknown keys elsewhere "
                     "are ignored.",
      .bad = {.world_size = 8, .yaml = "experimental:\n  foo: 1\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "experimental:\n  custom_import: ''\ntraining:\n  seq_len: 2048\n"}},
     experimental_key_unknown},
    {{.id = "TT814",
      .name = "torchtitan-section-empty",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "torchtitan/train.py:init_distributed",
      .outcome = "TorchTitan stops where it first reads the section (AttributeError)",
      .summary = "A section that is written has keys.",
      .explanation = "A section name without keys is null in YAML, and null replaces the preset's whole section.",
      .bad = {.world_size = 8, .yaml = "optimizer:\ntraining:\n  seq_len: 2048\nmetrics:\n  log_freq: 1\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer:\n  lr: 3.0e-4\ntraining:\n  seq_len: 2048\nmetrics:\n  log_freq: 1\n"}},
     section_empty},
    {{.id = "TT815",
      .name = "torchtitan-word-unknown",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = build_config,
      .outcome = "the run goes on as with the default",
      .summary = "Words come from the key's own list.",
      .explanation = "TorchTitan declares the words a key may hold, but Primus's way to build the configuration "
                     "does not check them.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  expert_parallel_comm_backend: deep_ep\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  expert_parallel_comm_backend: standard\n"}},
     word_unknown},
    {{.id = "TT816",
      .name = "compile-components-unreadable",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/components/loss.py:build_cross_entropy_loss",
      .outcome = "TorchTitan stops (TypeError)",
      .summary = "compile.components is a list of model and loss.",
      .explanation = "TorchTitan looks whether 'model' and 'loss' are in it. Other names are ignored.",
      .bad = {.world_size = 8, .yaml = "compile:\n  enable: true\n  components: null\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "compile:\n  enable: true\n  components: [loss]\ntraining:\n  seq_len: 2048\n"}},
     components_unreadable},
};

}  // namespace

RuleList key_rules() { return rules; }

}  // namespace primus_plan::torchtitan
