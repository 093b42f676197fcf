#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "primus_plan/planner/trial.h"

namespace primus_plan {

/// The smallest machine that holds a model: by trying ever larger ones with one sample at a time.
enum class Home : std::uint8_t { one_gpu, one_node, several_nodes, nowhere };
/// "one GPU", "one node", "several nodes", "no number of nodes that was tried".
std::string_view to_string(Home home);

struct Footprint {
  Home home = Home::nowhere;
  std::int64_t gpus = 0;
  Degrees degrees;                 ///< with which it fits there
  std::int64_t weight_shards = 1;  ///< ranks that share out the weights there (FSDP)
  double memory_bytes = 0;         ///< of the fullest GPU there
  double one_gpu_bytes = 0;        ///< what one GPU alone would need; 0 when that cannot be tried
};

/// A change that was tried.
struct TriedChange {
  std::string what;            ///< "micro-batch 2", "32 GPUs"
  std::optional<Trial> trial;  ///< nothing: the backend has no key for it
  std::string refusal;         ///< why it is illegal: rule and message
};

/// What one goal of the guide asks for here.
struct GoalAdvice {
  std::string goal;  ///< "a larger global batch without more memory"
  std::vector<TriedChange> tried;
  std::vector<std::string> lines;  ///< sentences with the numbers
};

/// A change that is worth making.
struct TopChange {
  std::string what;
  Trial trial;
  double gain = 0;  ///< tokens/s/GPU against now, minus 1
};

struct Advice {
  std::vector<std::string> not_counted;  ///< facts that the config leaves out, so that memory and time are too small
  Footprint footprint;
  std::vector<std::string> standing;  ///< where the experiment stands, a sentence each
  std::vector<GoalAdvice> goals;
  std::vector<std::string> learning_rate;
  std::vector<TopChange> top;  ///< at most three, best first
  std::size_t tried = 0;       ///< changes that were tried for `top`
};

/// Advice on a run from its estimates: where the model fits, what each of the usual goals asks for with its numbers,
/// and the changes that help most, each tried through the backend's rules and the estimates. `now` is the run as it
/// is, legal and with an estimate; the trials need hardware. What the config leaves out is not counted, and taken to
/// fit. Pure.
Advice advise(const Trials& trials, const Trial& now, const Module& module);

}  // namespace primus_plan
