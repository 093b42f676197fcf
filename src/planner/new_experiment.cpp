#include "primus_plan/planner/new_experiment.h"

#include <fmt/core.h>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/launch.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_tries = 64;

/// How check takes a text.
struct Trial {
  Verdict verdict = Verdict::ok;
  std::string message;  ///< the first error, else the first warning
};

Trial try_out(const std::string& text, const Launch& launch, const Loader& loader, const ExperimentOptions& options) {
  const LoadResult loaded = loader.load_text("new.yaml", text, options);
  if (!loaded.errors.empty()) return {Verdict::error, loaded.errors.front().message};
  Trial out;
  for (const Experiment& experiment : loaded.experiments) {
    for (const Analysis& analysis : analyze(experiment, launch, loader.environment(), {})) {
      for (const Finding& finding : analysis.findings) {
        if (finding.severity == Severity::error) return {Verdict::error, finding.message};
        if (finding.severity == Severity::warning && out.verdict == Verdict::ok)
          out = {Verdict::warning, finding.message};
      }
    }
  }
  return out;
}

std::string too_large(const NewExperimentRequest& request, const GuessTask& task,
                      const std::vector<FirstGuess>& guesses) {
  const std::string_view device = request.device.name;
  std::string out = fmt::format("{} does not fit {} {}", request.model.name(), task.gpus, device);
  if (!guesses.empty()) {
    out += fmt::format(": by a rough count it needs {:.0f} GB of the {:.0f} that are usable on each",
                       guesses.front().bytes / 1e9, usable_bytes(task.memory_bytes) / 1e9);
  }
  GuessTask larger = task;
  larger.gpus_per_node = request.gpus_per_node;
  const auto enough = least_gpus(larger);
  if (enough && *enough > task.gpus) out += fmt::format("; {} would do", *enough);
  return out;
}

}  // namespace

NewExperiment make_experiment(const NewExperimentRequest& request, const Loader& loader,
                              const ExperimentOptions& options) {
  const GuessTask task = guess_task(request);
  if (task.model.layers == 0 || task.model.hidden == 0) {
    return {.text = {}, .reason = fmt::format("{} states no layers or hidden size to plan with", request.model.name())};
  }
  const std::vector<FirstGuess> guesses = first_guesses(task);
  if (guesses.empty() || !guesses.front().fits) return {.text = {}, .reason = too_large(request, task, guesses)};
  const Launch launch = assume_launch(task.gpus, task.gpus_per_node);
  NewExperiment out;
  std::string refusal;
  for (std::size_t i = 0; i < guesses.size() && i < most_tries && guesses[i].fits; ++i) {
    std::string text = experiment_text(request, task, guesses[i]);
    const Trial trial = try_out(text, launch, loader, options);
    if (trial.verdict == Verdict::ok) return {.text = std::move(text), .reason = {}};
    if (trial.verdict == Verdict::warning && out.text.empty()) out = {.text = std::move(text), .reason = trial.message};
    if (refusal.empty()) refusal = trial.message;
  }
  if (!out.text.empty()) return out;
  return {.text = {},
          .reason = fmt::format("no layout of {} on {} GPUs passes: {}", request.model.name(), task.gpus, refusal)};
}

}  // namespace primus_plan
