#include "primus_plan/planner/first_guess.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

constexpr double usable_share = 0.9;        // of a GPU's memory, for fragments and what the count leaves out
constexpr double runtime_bytes = 2 * gib;   // context and communication buffers
constexpr double routing_bytes = 20 * gib;  // all-to-all buffers of mixtures of experts on AMD GPUs
constexpr double roomy_share = 0.6;         // up to here a larger micro-batch is taken
constexpr std::int64_t most_micro_tokens = 16'384;
constexpr std::int64_t long_sequence = 32'768;          // from here on context parallel splits it
constexpr std::int64_t most_tokens_of_a_rank = 16'384;  // ... to at most so many

double real(std::int64_t number) { return static_cast<double>(number); }

/// Bytes that one layer keeps for the backward pass, a token. Inputs of matrices in two bytes.
double layer_bytes(const ModelSize& m, std::int64_t tensor) {
  const double hidden = real(m.hidden);
  const double attention = 2 * (3 * hidden + 2 * hidden * real(m.kv_heads) / std::max(1.0, real(m.heads)));
  const double norms = 4 * hidden;
  const double feed_forward = 2 * (hidden + 3 * real(m.ffn));
  if (m.experts == 0) return (attention + norms + feed_forward) / real(tensor);
  return (attention + norms) / real(tensor) + 2 * real(m.experts_per_token) * (2 * hidden + 3 * real(m.expert_ffn));
}

double activation_bytes(const GuessTask& task, const FirstGuess& guess) {
  const ModelSize& m = task.model;
  const double tokens = real(guess.micro_batch) * real(task.sequence_length) / real(guess.context);
  const double whole = layer_bytes(m, guess.tensor);
  // The first stage holds as many micro-batches as there are stages, each of a stage's layers: all layers once.
  const double kept =
      guess.recompute ? real(m.layers) * 2 * real(m.hidden) / real(guess.tensor) + whole : real(m.layers) * whole;
  const double logits = 10 * real(m.vocabulary) / real(guess.tensor);
  return tokens * (kept + logits);
}

double state_bytes(const GuessTask& task, const FirstGuess& guess) {
  const ModelSize& m = task.model;
  const double dense = m.dense_parameters / real(guess.tensor * guess.pipeline);
  const double experts = m.expert_parameters / real(guess.expert * guess.pipeline);
  if (task.state == StateLayout::optimizer_shards) {
    const double replicas = real(guess.data * guess.context);
    const double expert_replicas = real(task.gpus) / real(guess.expert * guess.pipeline);
    return dense * (6 + 12 / replicas) + experts * (6 + 12 / expert_replicas);
  }
  const double shared =
      task.shared_bytes_of_parameter * m.parameters() / real(guess.tensor * guess.pipeline * guess.shards);
  // Two layers are whole at a time, in two bytes.
  const double gathered = 2 * 2 * (dense * real(guess.pipeline) + experts * real(guess.pipeline)) / real(m.layers);
  return shared + gathered;
}

double need(const GuessTask& task, const FirstGuess& guess) {
  return state_bytes(task, guess) + activation_bytes(task, guess) + runtime_bytes +
         (task.model.experts > 0 ? routing_bytes : 0);
}

std::int64_t context_for(const GuessTask& task) {
  std::int64_t context = 1;
  while (task.sequence_length >= long_sequence && task.sequence_length / context > most_tokens_of_a_rank &&
         context * 2 <= task.gpus && task.gpus % (context * 2) == 0) {
    context *= 2;
  }
  return context;
}

/// How far a layout is from splitting nothing: each doubling counts, more so when it leaves a node.
double distance(const GuessTask& task, const FirstGuess& guess) {
  const auto doublings = [](std::int64_t degree) { return std::log2(real(degree)); };
  double out = doublings(guess.tensor) + 1.6 * doublings(guess.pipeline) + (guess.recompute ? 1.2 : 0);
  if (guess.shards > task.gpus_per_node) out += 0.3 * doublings(guess.shards / task.gpus_per_node);
  if (task.model.experts > 0) {
    const double wanted = std::log2(real(std::min(task.gpus_per_node, task.model.experts)));
    const double off = doublings(guess.expert) - wanted;
    out += off > 0 ? 2 * off : -0.5 * off;
  }
  return out;
}

void grow_micro_batch(const GuessTask& task, FirstGuess& guess) {
  for (const std::int64_t size : {4, 2}) {
    if (saturating_multiply(size, task.sequence_length) / guess.context > most_micro_tokens) continue;
    FirstGuess larger = guess;
    larger.micro_batch = size;
    larger.bytes = need(task, larger);
    if (larger.bytes > roomy_share * task.memory_bytes) continue;
    guess = larger;
    return;
  }
}

std::int64_t gpus_of_node(const GuessTask& task) {
  const std::int64_t nodes = (task.gpus + task.gpus_per_node - 1) / task.gpus_per_node;
  return task.gpus / nodes;
}

/// The layout with everything that follows from its degrees; nothing when they do not divide the GPUs.
std::optional<FirstGuess> complete(const GuessTask& task, FirstGuess guess) {
  const std::int64_t ranks = guess.tensor * guess.pipeline * guess.context;
  if (ranks > task.gpus || task.gpus % ranks != 0) return std::nullopt;
  if (guess.tensor > task.gpus_per_node) return std::nullopt;
  if (task.splits_within_node && gpus_of_node(task) % (guess.tensor * guess.context * guess.expert) != 0)
    return std::nullopt;
  guess.data = task.gpus / ranks;
  if (task.state == StateLayout::weight_shards) {
    const std::int64_t all = guess.data * guess.context;
    guess.shards = guess.shards == 0 ? all : guess.shards;
    if (guess.shards > all || all % guess.shards != 0 || guess.shards % guess.context != 0) return std::nullopt;
    if ((guess.shards * guess.tensor) % guess.expert != 0) return std::nullopt;
  } else if ((task.gpus / guess.pipeline) % guess.expert != 0) {
    return std::nullopt;
  }
  guess.bytes = need(task, guess);
  guess.fits = guess.bytes <= usable_share * task.memory_bytes;
  if (guess.fits) grow_micro_batch(task, guess);
  guess.global_batch = usual_batch(task, guess);
  return guess;
}

std::vector<std::int64_t> doubled_up_to(std::int64_t most) {
  std::vector<std::int64_t> out;
  for (std::int64_t degree = 1; degree <= std::max<std::int64_t>(most, 1); degree *= 2) out.push_back(degree);
  return out;
}

bool splits(std::int64_t whole, std::int64_t degree) { return degree == 1 || (whole > 0 && whole % degree == 0); }

}  // namespace

std::int64_t usual_batch(const GuessTask& task, const FirstGuess& guess) {
  const double parameters = task.model.parameters();
  const double tokens = parameters < 5e9 ? 1 << 20 : parameters < 30e9 ? 1 << 21 : 1 << 22;
  const std::int64_t per_step = guess.data * guess.micro_batch;
  const auto steps = static_cast<std::int64_t>(tokens / real(task.sequence_length) / real(per_step));
  const std::int64_t least = guess.pipeline > 1 ? 4 * guess.pipeline : 1;  // a bubble of a fifth at most
  return per_step * std::max(steps, least);
}

std::vector<FirstGuess> first_guesses(const GuessTask& task) {
  const ModelSize& m = task.model;
  std::vector<std::int64_t> shards = {1};
  if (task.state == StateLayout::weight_shards) shards = {task.gpus_per_node, 0};
  std::vector<FirstGuess> out;
  for (const std::int64_t tensor : doubled_up_to(task.gpus_per_node)) {
    if (!splits(m.heads, tensor) || !splits(m.kv_heads, tensor)) continue;
    for (const std::int64_t pipeline : doubled_up_to(task.pipelines ? std::min<std::int64_t>(m.layers, 32) : 1)) {
      for (const std::int64_t expert : doubled_up_to(std::min<std::int64_t>(m.experts, 64))) {
        if (!splits(m.experts, expert)) continue;
        for (const std::int64_t shard : shards) {
          for (const bool recompute : {false, true}) {
            const auto guess = complete(task, {.tensor = tensor,
                                               .pipeline = pipeline,
                                               .context = context_for(task),
                                               .expert = expert,
                                               .shards = shard,
                                               .recompute = recompute});
            if (guess) out.push_back(*guess);
          }
        }
      }
    }
  }
  std::ranges::stable_sort(out, [&](const FirstGuess& a, const FirstGuess& b) {
    if (a.fits != b.fits) return a.fits;
    return a.fits ? distance(task, a) < distance(task, b) : a.bytes < b.bytes;
  });
  return out;
}

}  // namespace primus_plan
