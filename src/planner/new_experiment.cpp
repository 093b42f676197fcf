#include "primus_plan/planner/new_experiment.h"

#include <fmt/core.h>

#include <optional>

#include "planner/experiment_attempt.h"
#include "planner/planned_experiment.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_tries = 64;
constexpr double most_hopeful = 1.25;  // of the memory: past it the rough count leaves nothing to estimate
constexpr std::int64_t most_gpus = 16'384;
constexpr double least_bytes_of_parameter = 2;  // its weight, wherever that is

/// A guess as it was tried.
struct TriedGuess {
  FirstGuess guess;
  Attempt attempt;
};

TriedGuess try_guess(const Making& making, const FirstGuess& guess) {
  return {guess, try_out(making, experiment_text(making.request, making.task, guess))};
}

/// The guess with the smallest micro-batch where it needs that, and without full recompute where it does not.
TriedGuess settled(const Making& making, const FirstGuess& guess) {
  TriedGuess out = try_guess(making, guess);
  if (out.attempt.fit == Fit::does_not_fit && guess.micro_batch > 1) {
    out.guess.micro_batch = 1;
    out = try_guess(making, out.guess);
  }
  if (!out.guess.recompute || !weight_of(out.attempt)) return out;
  FirstGuess kept = out.guess;
  kept.recompute = false;
  TriedGuess without = try_guess(making, kept);
  const auto weight = weight_of(without.attempt);
  if (weight && *weight <= *weight_of(out.attempt)) return without;
  out.guess.recompute_is_choice = weight.has_value();
  return out;
}

void try_guesses(const Making& making, Tried& out) {
  std::size_t tries = 0;
  for (const FirstGuess& first : first_guesses(making.task)) {
    if (++tries > most_tries || first.bytes > most_hopeful * making.task.memory_bytes) break;
    auto [guess, attempt] = settled(making, first);
    if (attempt.verdict == Verdict::error) {
      if (out.refusal.empty()) out.refusal = attempt.message;
      continue;
    }
    out.add_need(attempt.bytes);
    const auto weight = weight_of(attempt);
    if (!out.is_better(weight)) continue;
    out.weight = weight;
    if (attempt.bytes > 0) guess.bytes = attempt.bytes;
    out.best = {.text = experiment_text(making.request, making.task, guess), .reason = attempt.message};
    if (*weight == 0) break;
  }
}

/// The first guesses, and all layouts where none of them will do.
Tried try_all(const NewExperimentRequest& request, const Loader& loader, const ExperimentOptions& options) {
  const GuessTask task = guess_task(request);
  const Making making{request, task, loader, options};
  Tried out;
  try_guesses(making, out);
  if (!out.weight) try_plans(making, out);
  return out;
}

/// The least number of GPUs that will do: more than were asked for, doubled up to a node, then doublings of nodes.
std::optional<std::int64_t> enough_gpus(NewExperimentRequest request, const Loader& loader,
                                        const ExperimentOptions& options) {
  const std::int64_t asked = request.gpus;
  const std::int64_t of_node = request.gpus_per_node;
  const double least = least_bytes_of_parameter * request.model.size.parameters() / request.hardware.memory_bytes;
  for (std::int64_t gpus = 1; gpus <= most_gpus;
       gpus = gpus < of_node ? std::min(saturating_multiply(gpus, 2), of_node) : saturating_multiply(gpus, 2)) {
    if (gpus <= asked || static_cast<double>(gpus) < least) continue;
    request.gpus = gpus;
    if (try_all(request, loader, options).weight) return gpus;
  }
  return std::nullopt;
}

std::string too_large(const NewExperimentRequest& request, double least_bytes, std::optional<std::int64_t> enough) {
  std::string out =
      fmt::format("{} does not fit {} {}: it needs about {:.0f} GiB of the {:.0f} on each", request.model.name(),
                  request.gpus, request.hardware.name, least_bytes / gib, request.hardware.memory_bytes / gib);
  if (enough) out += fmt::format("; {} would do", *enough);
  return out;
}

/// Why there is nothing to search for; empty where there is.
std::string trouble_with(const NewExperimentRequest& request) {
  const ModelSize& size = request.model.size;
  if (size.layers == 0 || size.hidden == 0)
    return fmt::format("{} states no layers or hidden size to plan with", request.model.name());
  // primus/configs/models/megatron/diffusion: flux_pretrain_trainer.py rather than pretrain_gpt.
  if (request.model.name().starts_with("diffusion/"))
    return fmt::format(
        "{} is a diffusion model: its trainer_class and its datasets are in the examples of Primus, and init writes "
        "neither",
        request.model.name());
  if (request.hardware.memory_bytes <= 0) return fmt::format("{}: its memory is not known", request.hardware.name);
  return {};
}

}  // namespace

NewExperiment make_experiment(const NewExperimentRequest& request, const Loader& loader,
                              const ExperimentOptions& options) {
  if (std::string trouble = trouble_with(request); !trouble.empty()) return {.text = {}, .reason = std::move(trouble)};
  Tried tried = try_all(request, loader, options);
  if (tried.weight) return std::move(tried.best);
  if (tried.least_bytes > 0) {
    return {.text = {}, .reason = too_large(request, tried.least_bytes, enough_gpus(request, loader, options))};
  }
  return {.text = {},
          .reason = fmt::format("no layout of {} on {} passes{}{}", request.model.name(), counted(request.gpus, "GPU"),
                                tried.refusal.empty() ? "" : ": ", tried.refusal)};
}

}  // namespace primus_plan
