#include "primus_plan/planner/new_experiment.h"

#include <fmt/core.h>

#include <optional>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_tries = 64;
constexpr double most_hopeful = 1.25;  // of the memory: past it the rough count leaves nothing to estimate

/// How check takes a text, and how much memory it is estimated to need.
struct Attempt {
  Verdict verdict = Verdict::ok;
  std::string message;  ///< the first error, else the first warning
  double bytes = 0;     ///< 0 where there is no estimate
  Fit fit = Fit::fits;
};

/// The weight of an attempt: less is better; nothing for what is no experiment to hand out.
std::optional<int> rank(const Attempt& attempt) {
  if (attempt.verdict == Verdict::error || attempt.fit == Fit::does_not_fit) return std::nullopt;
  return (attempt.fit == Fit::tight ? 2 : 0) + (attempt.verdict == Verdict::warning ? 1 : 0);
}

void add_findings(const Analysis& analysis, Attempt& out) {
  for (const Finding& finding : analysis.findings) {
    const bool error = finding.severity == Severity::error;
    if (finding.severity == Severity::note || out.verdict == Verdict::error) continue;
    if (!error && out.verdict != Verdict::ok) continue;
    out.verdict = error ? Verdict::error : Verdict::warning;
    out.message = finding.message;
  }
}

void add_estimate(const Analysis& analysis, const Hardware& hardware, Attempt& out) {
  if (analysis.workload == nullptr || !analysis.workload->unknown.empty()) return;
  const MemoryEstimate memory = estimate_memory(*analysis.workload, memory_device(&hardware));
  if (memory.stages.empty() || hardware.memory_bytes <= 0) return;
  out.bytes = memory.device.expected;
  out.fit = compare_with_hardware(memory, hardware.memory_bytes);
}

Attempt try_out(const std::string& text, const NewExperimentRequest& request, const GuessTask& task,
                const Loader& loader, const ExperimentOptions& options) {
  const LoadResult loaded = loader.load_text("new.yaml", text, options);
  Attempt out;
  if (!loaded.errors.empty()) return {.verdict = Verdict::error, .message = loaded.errors.front().message};
  AnalyzeOptions how;
  how.with_workload = true;
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch = sized_launch(task.gpus, task.gpus_per_node);
    for (const Analysis& analysis : analyze(experiment, launch, loader.environment(), how)) {
      add_findings(analysis, out);
      add_estimate(analysis, request.hardware, out);
    }
  }
  return out;
}

/// `least_bytes`: what the smallest layout needs of a GPU; 0 where there is none.
std::string too_large(const NewExperimentRequest& request, const GuessTask& task, double least_bytes) {
  const std::string_view device = request.hardware.name;
  std::string out = fmt::format("{} does not fit {} {}", request.model.name(), task.gpus, device);
  if (least_bytes > 0) {
    out += fmt::format(": it needs about {:.0f} GiB of the {:.0f} that are usable on each", least_bytes / gib,
                       usable_bytes(task.memory_bytes) / gib);
  }
  GuessTask larger = task;
  larger.gpus_per_node = request.gpus_per_node;
  const auto enough = least_gpus(larger);
  if (enough && *enough > task.gpus) out += fmt::format("; {} would do", *enough);
  return out;
}

/// By the rough count.
double least_need(const std::vector<FirstGuess>& guesses) {
  double least = 0;
  for (const FirstGuess& guess : guesses) {
    if (least == 0 || guess.bytes < least) least = guess.bytes;
  }
  return least;
}

}  // namespace

NewExperiment make_experiment(const NewExperimentRequest& request, const Loader& loader,
                              const ExperimentOptions& options) {
  const GuessTask task = guess_task(request);
  if (task.model.layers == 0 || task.model.hidden == 0) {
    return {.text = {}, .reason = fmt::format("{} states no layers or hidden size to plan with", request.model.name())};
  }
  const std::vector<FirstGuess> guesses = first_guesses(task);
  NewExperiment out;
  std::optional<int> best;
  std::string refusal;
  double least = 0;  // estimated bytes of the smallest legal layout
  std::size_t tries = 0;
  for (FirstGuess guess : guesses) {
    if (++tries > most_tries || guess.bytes > most_hopeful * task.memory_bytes) break;
    Attempt attempt = try_out(experiment_text(request, task, guess), request, task, loader, options);
    if (attempt.fit == Fit::does_not_fit && guess.micro_batch > 1) {
      guess.micro_batch = 1;
      attempt = try_out(experiment_text(request, task, guess), request, task, loader, options);
    }
    if (attempt.verdict == Verdict::error && refusal.empty()) refusal = attempt.message;
    if (attempt.verdict != Verdict::error && (least == 0 || attempt.bytes < least)) least = attempt.bytes;
    const auto weight = rank(attempt);
    if (!weight || (best && *weight >= *best)) continue;
    best = weight;
    if (attempt.bytes > 0) guess.bytes = attempt.bytes;
    out = {.text = experiment_text(request, task, guess), .reason = attempt.message};
    if (*weight == 0) break;
  }
  if (best) return out;
  if (refusal.empty() || least > 0) {
    return {.text = {}, .reason = too_large(request, task, least > 0 ? least : least_need(guesses))};
  }
  return {.text = {},
          .reason = fmt::format("no layout of {} on {} passes: {}", request.model.name(), counted(task.gpus, "GPU"),
                                refusal)};
}

}  // namespace primus_plan
