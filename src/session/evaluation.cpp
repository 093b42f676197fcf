#include "primus_plan/session/evaluation.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/planner/repair.h"
#include "primus_plan/support/text.h"
#include "session/yaml_value.h"

namespace primus_plan::session {

namespace {

/// Pairs of keys that are tried when nothing smaller makes a run legal: fewer than check does, for somebody waits.
constexpr std::size_t most_pairs = 50;

/// What Primus's command line would run (core/config: pre_trainer, else post_trainer, else the first).
std::size_t module_to_run(const std::vector<Module>& modules) {
  for (const std::string_view name : {"pre_trainer", "post_trainer"}) {
    const auto found = std::ranges::find(modules, name, &Module::name);
    if (found != modules.end()) return static_cast<std::size_t>(found - modules.begin());
  }
  return 0;
}

/// --set reaches one module only; the values of another are put there here.
void set_values(Evaluation& out, const State& state) {
  Module& module = out.loaded.experiments.front().modules[out.chosen];
  for (const KeySetting& setting : state.keys) {
    module.params = with_value(module.params, setting.key, yaml_value(setting.value, out.sources));
  }
}

FitTarget part_of(const Subject& subject, const State& state) {
  FitTarget part = subject.part;
  if (state.hardware.empty()) return part;
  part.hardware = find_hardware(state.hardware, subject.loader->files());
  part.from = "set hw " + state.hardware;
  part.assumed = false;
  return part;
}

void load(const Subject& subject, const State& state, Evaluation& out) {
  ExperimentOptions options = subject.experiment;
  options.sets.clear();
  for (const KeySetting& setting : state.keys) options.sets.emplace_back(setting.key, setting.value);
  out.loaded = subject.loader->load_text(subject.path, subject.text, options);
  const bool sound = !out.loaded.experiments.empty() && out.loaded.errors.empty();
  if (!sound) throw Refusal(out.loaded.errors.empty() ? "nothing to load" : out.loaded.errors.front().message);
  if (out.experiment().modules.empty()) throw Refusal("the experiment has no modules");
  out.chosen = find_module(out.experiment(), subject.module);
}

/// The experiment with the state's values in the chosen module.
void read(const Subject& subject, const State& state, Evaluation& out) {
  load(subject, subject.module.empty() ? state : State{}, out);
  if (subject.module.empty()) return;
  if (out.chosen == module_to_run(out.experiment().modules)) {
    load(subject, state, out);
  } else {
    set_values(out, state);
  }
}

}  // namespace

const KeySetting* State::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &KeySetting::key);
  return found == keys.end() ? nullptr : &*found;
}

void State::set(KeySetting setting) {
  const auto found = std::ranges::find(keys, setting.key, &KeySetting::key);
  if (found == keys.end()) {
    keys.push_back(std::move(setting));
  } else {
    *found = std::move(setting);
  }
}

std::size_t find_module(const Experiment& experiment, const std::string& name) {
  if (name.empty()) return module_to_run(experiment.modules);
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < experiment.modules.size(); ++i) {
    if (experiment.modules[i].name == name) return i;
    names.push_back(experiment.modules[i].name);
  }
  throw Refusal(fmt::format("{} has no module {}; it has {}", experiment.path, name, join(names, ", ")));
}

NodePtr changed_params(const Subject& subject, const State& state) {
  Evaluation out;
  read(subject, state, out);
  return out.module().params;
}

EvaluationPtr evaluate(const Subject& subject, const State& state) {
  auto out = std::make_shared<Evaluation>();
  out->part = part_of(subject, state);
  read(subject, state, *out);
  const Backend* backend = find_backend(out->module().framework);
  if (backend == nullptr || out->module().params == nullptr || !out->module().is_run) {
    throw Refusal(
        fmt::format("module {} of framework {} is not checked here", out->module().name, out->module().framework));
  }
  const Environment& environment = subject.loader->environment();
  const AnalyzeOptions asked{.with_text = true, .fit = &out->part, .with_workload = true};
  out->analyses =
      analyze(out->experiment(), changed_launch(subject.launch, state.world_size, state.nodes), environment, asked);
  apply_choice(out->analyses, subject.choice);
  Analysis& analysis = out->analyses[out->chosen];
  if (analysis.errors > 0) analysis.repairs = find_repairs(*backend, out->module(), environment, analysis, most_pairs);
  const Workload* workload = analysis.workload.get();
  if (analysis.errors == 0 && workload != nullptr && !workload->model.kinds.empty()) {
    out->estimate = estimate_run(*workload, &out->part.hardware);
  }
  return out;
}

std::optional<RankLayout> layout_of(const Subject& subject, const Evaluation& run) {
  const auto prepared = prepare(run.module(), subject.loader->environment());
  if (prepared == nullptr || run.run().degrees.data <= 0) return std::nullopt;
  RankLayout layout = prepared->layout(run.run().launch);
  if (!layout.is_placed()) return std::nullopt;
  return layout;
}

Trials trials_from(const Subject& subject, const Evaluation& run) {
  return {*find_backend(run.module().framework), run.module(), subject.loader->environment(), run.analysis(),
          &run.part.hardware};
}

}  // namespace primus_plan::session
