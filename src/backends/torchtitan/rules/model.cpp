#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/text.h"

// model.name, model.flavor and the overrides of the architecture.

namespace primus_plan::torchtitan {
namespace {

constexpr const char* override_patch =
    "primus/backends/torchtitan/patches/model_override_patches.py:patched_get_train_spec";

/// The nearest of a few names, and all of them.
template <class Named>
void help_with_names(Message& m, std::string_view word, std::string_view what, std::span<const Named> all) {
  std::vector<std::string_view> names;
  for (const Named& one : all) names.push_back(one.name);
  if (const auto near = nearest_names(word, names, 2); !near.empty()) m.help("did you mean {}?", join(near, " or "));
  m.help("{}: {}", what, join(names, ", "));
}

void model_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& name = run.config.model_name;
  if (run.parsed.model != nullptr || is_experiment(*name) || run.is_unreadable(name.key)) return;
  out.add(name, [&](Message& m) {
    m.say("model.name {} is not registered in TorchTitan", quoted(*name));
    help_with_names(m, *name, "registered", models());
  });
}

void flavor_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& flavor = run.config.model_flavor;
  if (run.parsed.model == nullptr || run.parsed.flavor != nullptr || run.is_unreadable(flavor.key)) return;
  out.add(flavor, [&](Message& m) {
    m.say("model.flavor {} is no flavor of {}", quoted(*flavor), *run.config.model_name);
    help_with_names(m, *flavor, fmt::format("flavors of {}", *run.config.model_name), run.parsed.model->flavors);
    if ((*flavor).empty()) m.because("without a flavor Primus drops the overrides below model without a word");
  });
}

void model_field_unknown(const TorchTitanRun& run, Findings& out) {
  for (const StrayKey& key : run.parsed.keys.model) {
    out.add(key.origin, [&](Message& m) {
      m.label("unknown field");
      m.say("{}: {} has no such field", key.path, run.parsed.model->arguments_class);
      const std::string name(key.path == "model.num_layers" ? "n_layers" : key.nearest);
      if (name.empty()) return;
      m.help("did you mean model.{}?", name);
      m.fix(fmt::format("rename it to {}", name), key.origin, name);
    });
  }
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT801",
      .name = "torchtitan-model-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = "torchtitan/protocols/train_spec.py:get_train_spec",
      .outcome = "TorchTitan stops (ValueError)",
      .summary = "model.name is a model that TorchTitan registers.",
      .explanation = "llama3, llama4, deepseek_v3, qwen3, gpt_oss, flux; upper and lower case differ. Models of "
                     "torchtitan/experiments run too, but nothing is known here of their shape, so less is "
                     "checked.",
      .bad = {.world_size = 8, .yaml = "model:\n  name: llama5\n  flavor: 8B\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 8B\ntraining:\n  seq_len: 2048\n"}},
     model_unknown},
    {{.id = "TT802",
      .name = "model-flavor-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = "torchtitan/train.py:__init__",
      .outcome = "TorchTitan stops (KeyError)",
      .summary = "model.flavor is a flavor of the model.",
      .explanation = "The pinned version has no 1B and 3B of Llama 3, so Primus's preset llama3.2_1B.yaml does not "
                     "start.",
      .bad = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 1B\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 8B\ntraining:\n  seq_len: 2048\n"}},
     flavor_unknown},
    {{.id = "TT803",
      .name = "model-field-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = override_patch,
      .outcome = "Primus stops (AttributeError)",
      .summary = "Keys below model are its own or fields of the model's arguments.",
      .explanation = "Primus sets every key below model that is not name, flavor, converters and the like on the "
                     "arguments of the flavor. Fields differ from model to model; the number of layers is "
                     "n_layers.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  num_layers: 4\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 4\ntraining:\n  seq_len: 2048\n"}},
     model_field_unknown},
};

}  // namespace

RuleList model_rules() { return rules; }

}  // namespace primus_plan::torchtitan
