#include <fmt/core.h>

#include <array>
#include <cmath>
#include <optional>

#include "planner/advise_parts.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

double tokens_of(const Trial& trial) { return trial.estimate->step.tokens_per_second_per_gpu; }
double memory_of(const Trial& trial) { return trial.estimate->memory.device.expected / gib; }

/// "+12.3 %" of a quotient.
std::string change_text(double after, double before) {
  if (before <= 0) return "?";
  return fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

/// One goal, filled by trying wishes.
class Goal {
 public:
  Goal(std::string name, const Trials& trials, const Trial& now, const Module& module)
      : trials_(trials), now_(now), module_(module) {
    out_.goal = std::move(name);
  }

  /// The trial when it is legal and estimated; else a line says why not.
  const Trial* try_wish(const Wish& wish, const std::string& what) {
    TriedChange change{.what = what, .trial = trials_.run(wish), .refusal = {}};
    if (!change.trial || !change.trial->is_legal()) change.refusal = first_error(trials_, wish);
    out_.tried.push_back(std::move(change));
    const TriedChange& tried = out_.tried.back();
    if (!tried.refusal.empty()) {
      out_.lines.push_back(fmt::format("{}: illegal here: {}", what, tried.refusal));
      return nullptr;
    }
    return tried.trial && tried.trial->estimate ? &*tried.trial : nullptr;
  }

  void say(std::string line) { out_.lines.push_back(std::move(line)); }
  std::string keys_of(const Trial& trial) const {
    const std::string text = describe_changes(module_, trial.changes);
    return text.empty() ? "no key changes" : text;
  }
  std::string effect(const Trial& trial) const {
    return fmt::format("{} tokens/s/GPU ({}), {:.0f} GiB on the fullest GPU ({} now)",
                       with_commas(std::llround(tokens_of(trial))), change_text(tokens_of(trial), tokens_of(now_)),
                       memory_of(trial), fmt::format("{:.0f}", memory_of(now_)));
  }
  GoalAdvice take() { return std::move(out_); }

 private:
  const Trials& trials_;
  const Trial& now_;
  const Module& module_;
  GoalAdvice out_;
};

/// The global batch to ask for so that it stays: 0 where the module states it. One that follows from the micro-batch
/// and DP (TorchTitan's -1, Megatron's null) would grow with them.
std::int64_t batch_to_keep(const Trial& now, const Module& module) {
  const RunDescription& run = now.analysis.run;
  const Node* stated = module.params == nullptr ? nullptr : module.params->at_path(run.keys.global_batch.name);
  return stated != nullptr && stated->kind == Kind::integer && stated->integer == run.batch.global ? 0
                                                                                                   : run.batch.global;
}

GoalAdvice larger_batch(const Trials& trials, const Trial& now, const Module& module) {
  Goal goal("a larger global batch without more memory: more accumulation at the same micro-batch", trials, now,
            module);
  const Batch& batch = now.analysis.run.batch;
  Wish wish;
  const bool has_key = now.analysis.run.keys.global_batch.name != nullptr;
  // Where the batch is given per device, accumulation has a key of its own.
  if (has_key) {
    wish.global = saturating_multiply(batch.global, 2);
  } else {
    wish.keys.push_back(
        {"gradient_accumulation_steps", make_integer(saturating_multiply(batch.accumulation_steps, 2))});
  }
  if (const Trial* trial = goal.try_wish(wish, "the global batch doubled")) {
    const Batch& after = trial->analysis.run.batch;
    goal.say(fmt::format("{}: global batch {} -> {}, accumulation {} -> {}", goal.keys_of(*trial),
                         with_commas(batch.global), with_commas(after.global), batch.accumulation_steps,
                         after.accumulation_steps));
    goal.say(fmt::format("{}; a step takes {:.2f} s instead of {:.2f} s", goal.effect(*trial),
                         trial->estimate->step.seconds, now.estimate->step.seconds));
  }
  return goal.take();
}

GoalAdvice larger_micro_batch(const Trials& trials, const Trial& now, const Module& module) {
  Goal goal("more throughput per step: a larger micro-batch at the same global batch", trials, now, module);
  const Batch& batch = now.analysis.run.batch;
  for (const std::int64_t factor : {2, 4}) {
    Wish wish;
    wish.micro = saturating_multiply(batch.micro, factor);
    if (now.analysis.run.keys.global_batch.name == nullptr) {
      if (batch.accumulation_steps % factor != 0) {
        goal.say(
            fmt::format("micro-batch {} keeps the global batch only where gradient_accumulation_steps is a multiple "
                        "of {}; it is {}",
                        wish.micro, factor, batch.accumulation_steps));
        break;
      }
      wish.keys.push_back({"gradient_accumulation_steps", make_integer(batch.accumulation_steps / factor)});
    } else {
      wish.global = batch_to_keep(now, module);
    }
    const Trial* trial = goal.try_wish(wish, fmt::format("micro-batch {}", wish.micro));
    if (trial == nullptr) break;
    goal.say(fmt::format("{}: accumulation {} -> {}; {}{}", goal.keys_of(*trial), batch.accumulation_steps,
                         trial->analysis.run.batch.accumulation_steps, goal.effect(*trial),
                         trial->may_fit() ? "" : ", which does not fit"));
    if (!trial->may_fit()) break;
  }
  return goal.take();
}

GoalAdvice more_gpus(const Trials& trials, const Trial& now, const Module& module) {
  Goal goal("more GPUs at the same global batch: more replicas, less accumulation", trials, now, module);
  const RunDescription& run = now.analysis.run;
  const double tokens_now = tokens_of(now) * static_cast<double>(run.launch.world_size);
  for (std::int64_t factor = 2; factor <= 8; factor *= 2) {
    Wish wish;
    wish.world_size = saturating_multiply(run.launch.world_size, factor);
    if (run.keys.global_batch.name == nullptr) {
      if (run.batch.accumulation_steps % factor != 0) {
        goal.say(
            fmt::format("{} GPUs keep the global batch only where gradient_accumulation_steps is a multiple of {}; "
                        "it is {}",
                        with_commas(wish.world_size), factor, run.batch.accumulation_steps));
        break;
      }
      wish.keys.push_back({"gradient_accumulation_steps", make_integer(run.batch.accumulation_steps / factor)});
    } else {
      wish.global = batch_to_keep(now, module);
    }
    const Trial* trial = goal.try_wish(wish, fmt::format("{} GPUs", with_commas(wish.world_size)));
    if (trial == nullptr) break;
    const RunDescription& after = trial->analysis.run;
    goal.say(fmt::format("{} GPUs: DP {} -> {}, accumulation {} -> {}; {}; the whole run {} tokens/s",
                         with_commas(wish.world_size), run.degrees.data, after.degrees.data,
                         run.batch.accumulation_steps, after.batch.accumulation_steps, goal.effect(*trial),
                         change_text(tokens_of(*trial) * static_cast<double>(wish.world_size), tokens_now)));
  }
  return goal.take();
}

std::optional<double> learning_rate_of(const Module& module, std::string_view& key) {
  for (const std::string_view name : {"lr", "optimizer.lr", "learning_rate"}) {
    const Node* value = module.params != nullptr ? module.params->at_path(name) : nullptr;
    if (value == nullptr || value->kind != Kind::real) continue;
    key = name;
    return value->real;
  }
  return std::nullopt;
}

}  // namespace

std::vector<GoalAdvice> goal_advice(const Trials& trials, const Trial& now, const Module& module) {
  std::vector<GoalAdvice> out;
  out.push_back(larger_batch(trials, now, module));
  out.push_back(larger_micro_batch(trials, now, module));
  out.push_back(more_gpus(trials, now, module));
  return out;
}

std::vector<std::string> learning_rate_advice(const Trial& now, const Module& module) {
  std::vector<std::string> out;
  const Batch& batch = now.analysis.run.batch;
  std::string_view key;
  const auto rate = learning_rate_of(module, key);
  if (rate) {
    out.push_back(
        fmt::format("{} {:g} goes with a global batch of {} ({} tokens): with twice the batch, recipes "
                    "with Adam start at {:.3g} (square root of the factor) and reach up to {:.3g} (linear)",
                    key, *rate, counted(batch.global, "sample"), with_commas(batch.tokens_per_step()),
                    *rate * std::sqrt(2.0), *rate * 2));
  }
  out.emplace_back(
      "a larger global batch averages away more noise, which stops paying at the critical batch: past it, "
      "more samples a step buy no fewer steps");
  out.emplace_back(
      "keep the tokens of the warm-up and of the decay, not their steps: twice the batch is half the steps");
  out.emplace_back("micro-batch, accumulation and degrees leave the rate alone as long as the global batch stays");
  return out;
}

}  // namespace primus_plan
