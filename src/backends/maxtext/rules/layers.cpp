#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

const Origin& place(const Origin& origin, const MaxTextRun& run) { return origin ? origin : run.module; }

void behind_model_file(const MaxTextRun& run, Findings& out) {
  for (const Shadowed& key : run.layers.behind_model_file) {
    out.add(place(key.given->origin ? key.given->origin : key.key_origin, run), [&](Message& m) {
      m.say("{}: {} has no effect: MaxText's model file {}.yml sets {}", key.key, to_text(*key.given),
            run.layers.model_file->name, to_text(*key.used));
      m.because("layers, weakest first: base.yml, presets and overrides, the model file, override_model");
      m.help("write it under override_model: {{{}: {}}}", key.key, to_text(*key.given));
    });
  }
}

void against_model_file(const MaxTextRun& run, Findings& out) {
  for (const Shadowed& key : run.layers.against_model_file) {
    out.add(place(key.given->origin ? key.given->origin : key.key_origin, run), [&](Message& m) {
      m.say("override_model.{}: {} contradicts the model file {}.yml ({}) and override_model_config is false", key.key,
            to_text(*key.given), run.layers.model_file->name, to_text(*key.used));
      m.also(run.config.override_model_config);
      m.help("override_model_config: true, as in Primus's preset, lets override_model win");
    });
  }
}

void nested_override(const MaxTextRun& run, Findings& out) {
  for (const KeyFault& fault : run.layers.faults) {
    if (fault.kind != KeyFault::Kind::nested) continue;
    out.add(place(fault.key_origin, run), [&](Message& m) {
      m.say("{} is a mapping: Primus hands over flat keys only", fault.key);
      m.help("write the inner keys directly under override_model");
    });
  }
}

void override_model_ignored(const MaxTextRun& run, Findings& out) {
  if (!run.layers.ignored_override_model) return;
  out.add(run.layers.ignored_override_model, [](Message& m) {
    m.say("override_model is no mapping: Primus passes it over");
    m.help("override_model: {{base_num_decoder_layers: 8}}");
  });
}

void variable_overrides(const MaxTextRun& run, Findings& out) {
  for (const Variable& variable : run.layers.variables) {
    if (variable.fault != Variable::Fault::none) continue;
    out.add(run.module, [&](Message& m) {
      m.say("the environment variable {}={} overrides {}", variable.name, variable.text, variable.key);
      m.because("MaxText reads M_<KEY> variables after all files");
      m.help("unset it, or write the value into the experiment");
    });
  }
}

void variable_conflict(const MaxTextRun& run, Findings& out) {
  for (const Variable& variable : run.layers.variables) {
    if (variable.fault == Variable::Fault::none) continue;
    out.add(run.module, [&](Message& m) {
      switch (variable.fault) {
        case Variable::Fault::also_in_override_model:
          m.say("{} is set in the environment ({}) and under override_model", variable.key, variable.name);
          break;
        case Variable::Fault::also_in_model_file:
          m.say("{} is set in the environment ({}) and in MaxText's model file, and override_model_config is false",
                variable.key, variable.name);
          break;
        default:
          m.say("MaxText cannot read {}={} as a value of {}", variable.name, variable.text, variable.key);
      }
      m.help("unset {}", variable.name);
    });
  }
}

constexpr std::string_view trainer = "primus/backends/maxtext/maxtext_pretrain_trainer.py:_prepare_model_overrides";

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX805",
      .name = "overridden-by-model-file",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::initialize,
      .outcome = "MaxText takes the value of its model file",
      .summary = "Keys of MaxText's model file win over overrides; use override_model.",
      .explanation = "Primus writes presets and overrides into one file, and MaxText lays its own "
                     "models/<model_name>.yml over it. What the model file sets can only be changed by the flat map "
                     "override_model, or with model_name: default.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nbase_num_decoder_layers: 8\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\noverride_model: {base_num_decoder_layers: 8}\n"}},
     behind_model_file},
    {{.id = "MX813",
      .name = "override-against-model-file",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/pyconfig.py:validate_no_keys_overridden_twice",
      .outcome = sites::config_error,
      .summary = "override_model needs override_model_config: true.",
      .explanation = "Primus's preset switches override_model_config on. Without it MaxText refuses a key that both "
                     "override_model and the model file set to different values.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\noverride_model_config: false\noverride_model: "
                      "{base_num_decoder_layers: 8}\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\noverride_model_config: true\noverride_model: "
                       "{base_num_decoder_layers: 8}\n"}},
     against_model_file},
    {{.id = "MX806",
      .name = "override-model-nested",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = trainer,
      .outcome = "Primus stops before it calls MaxText (ValueError)",
      .summary = "override_model is a flat map.",
      .explanation = "Primus passes the keys of override_model to MaxText as they are and refuses mappings among them.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\noverride_model: {parallel: {ici_fsdp_parallelism: 8}}\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\noverride_model: {ici_fsdp_parallelism: 8}\n"}},
     nested_override},
    {{.id = "MX809",
      .name = "override-model-ignored",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = trainer,
      .outcome = "Primus goes on without it",
      .summary = "override_model is a map.",
      .explanation = "Anything else than a map has no keys that Primus could hand over.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\noverride_model: base_num_decoder_layers=8\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\noverride_model: {base_num_decoder_layers: 8}\n"}},
     override_model_ignored},
    {{.id = "MX807",
      .name = "overridden-by-environment",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::initialize,
      .outcome = "MaxText takes the variable's value",
      .summary = "M_<KEY> environment variables override every file.",
      .explanation = "MaxText looks for M_ICI_TENSOR_PARALLELISM and the like and takes them over what the files say.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\n", .environment = "M_ICI_TENSOR_PARALLELISM=2"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nici_tensor_parallelism: 2\n"}},
     variable_overrides},
    {{.id = "MX808",
      .name = "environment-override-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::initialize,
      .outcome = sites::config_error,
      .summary = "An M_<KEY> variable is readable and has no rival.",
      .explanation = "MaxText refuses a variable that override_model contradicts, or the model file without "
                     "override_model_config, and one that it cannot read as the key's type.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\n", .environment = "M_ICI_TENSOR_PARALLELISM=two"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nici_tensor_parallelism: 2\n"}},
     variable_conflict},
};

}  // namespace

RuleList layer_rules() { return rules; }

}  // namespace primus_plan::maxtext
