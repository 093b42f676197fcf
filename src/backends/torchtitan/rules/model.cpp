#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/text.h"

// model.name, model.flavor and the overrides of the architecture.

namespace primus_plan::torchtitan {
namespace {

constexpr const char* override_patch =
    "primus/backends/torchtitan/patches/model_override_patches.py:patched_get_train_spec";

template <class Named>
std::string nearest_or_all(std::string_view word, std::span<const Named> all) {
  std::vector<std::string_view> names;
  for (const Named& one : all) names.push_back(one.name);
  const auto near = nearest_names(word, names, 2);
  return near.empty() ? join(names, ", ") : join(near, ", ");
}

void model_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& name = run.config.model_name;
  if (run.parsed.model != nullptr || is_experiment(*name) || run.is_unreadable(name.key)) return;
  out.add(name, [&](Message& m) {
    m.say("model.name {} is not registered in TorchTitan", quoted(*name));
    m.help("registered: {}", nearest_or_all(*name, models()));
  });
}

void flavor_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& flavor = run.config.model_flavor;
  if (run.parsed.model == nullptr || run.parsed.flavor != nullptr || run.is_unreadable(flavor.key)) return;
  out.add(flavor, [&](Message& m) {
    m.say("model.flavor {} is no flavor of {}", quoted(*flavor), *run.config.model_name);
    m.help("flavors: {}", nearest_or_all(*flavor, run.parsed.model->flavors));
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

void moe_field_unknown(const TorchTitanRun& run, Findings& out) {
  for (const StrayKey& key : run.parsed.keys.moe) {
    out.add(key.origin, [&](Message& m) {
      m.label("unknown field");
      m.say("{}: MoEArgs has no such field", key.path);
      if (!key.nearest.empty()) m.help("did you mean model.moe_args.{}?", key.nearest);
    });
  }
}

void experts_replaced(const TorchTitanRun& run, Findings& out) {
  const Node* moe = run.config.model_moe_args.value;
  if (moe == nullptr || !moe->is_mapping() || run.parsed.flavor == nullptr || !run.model().moe) return;
  const Experts& flavor = run.parsed.flavor->architecture.experts;
  const Experts& now = run.model().experts;
  std::string lost;
  const auto compare = [&](std::string_view key, Int before, Int after) {
    if (before == after || moe->get(key) != nullptr) return;
    lost += fmt::format("{}{} {} -> {}", lost.empty() ? "" : ", ", key, before, after);
  };
  compare("num_experts", flavor.count, now.count);
  compare("num_shared_experts", flavor.shared, now.shared);
  compare("top_k", flavor.top_k, now.top_k);
  compare("num_expert_groups", flavor.groups, now.groups);
  compare("num_limited_groups", flavor.limited_groups, now.limited_groups);
  if (lost.empty()) return;
  out.add(run.config.model_moe_args, [&](Message& m) {
    m.say("model.moe_args replaces all of the flavor's routing, not only what it lists: {}", lost);
    m.help("list every field of moe_args that should stay as {} has it", model_text(run));
  });
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
    {{.id = "TT804",
      .name = "moe-field-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = override_patch,
      .outcome = "Primus stops (ValueError)",
      .summary = "Keys below model.moe_args are fields of MoEArgs.",
      .explanation = "The mapping becomes a new MoEArgs, whose constructor refuses other names.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama4\n  flavor: 17bx16e\n"
                      "  moe_args: {num_experts: 16, experts: 16}\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama4\n  flavor: 17bx16e\n  moe_args: {num_experts: 16}\n"
                       "training:\n  seq_len: 2048\n"}},
     moe_field_unknown},
    {{.id = "TT805",
      .name = "moe-arguments-replaced",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = override_patch,
      .outcome = "the run goes on with another router than the flavor's",
      .summary = "model.moe_args replaces the flavor's routing as a whole.",
      .explanation = "What the mapping leaves out falls back to the defaults of MoEArgs: 8 experts, 1 shared, "
                     "top-1, no groups.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n  moe_args: {num_experts: 64}\n"
                      "training:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\n"
                       "  moe_args: {num_experts: 64, num_shared_experts: 2, top_k: 6}\ntraining:\n"
                       "  seq_len: 2048\n"}},
     experts_replaced},
};

}  // namespace

RuleList model_rules() { return rules; }

}  // namespace primus_plan::torchtitan
