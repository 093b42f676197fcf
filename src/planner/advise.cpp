#include "primus_plan/planner/advise.h"

#include <fmt/core.h>

#include <cmath>

#include "planner/advise_parts.h"
#include "primus_plan/planner/compare.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

constexpr double much_attention = 0.25;  ///< of all floating point operations: then the sequence decides

std::string footprint_text(const Footprint& footprint, const Hardware* hardware) {
  const double capacity = hardware != nullptr ? hardware->memory_bytes / gib : 0;
  const Degrees& degrees = footprint.degrees;
  switch (footprint.home) {
    case Home::one_gpu:
      return fmt::format(
          "the model fits on one GPU: {:.0f} of {:.0f} GiB with one sample at a time; data parallelism "
          "alone is enough, TP 1 and PP 1",
          footprint.memory_bytes / gib, capacity);
    case Home::one_node:
    case Home::several_nodes: {
      std::string text =
          fmt::format("the model needs {}: the smallest that holds it is {} with TP {} x PP {}",
                      to_string(footprint.home), counted(footprint.gpus, "GPU"), degrees.tensor, degrees.pipeline);
      if (degrees.expert > 1) text += fmt::format(", EP {}", degrees.expert);
      if (footprint.weight_shards > 1) text += fmt::format(", {} ranks sharing a copy", footprint.weight_shards);
      text += fmt::format(" ({:.0f} of {:.0f} GiB with one sample at a time, recompute as here)",
                          footprint.memory_bytes / gib, capacity);
      if (footprint.one_gpu_bytes > 0)
        text += fmt::format("; one GPU would need {:.0f} GiB", footprint.one_gpu_bytes / gib);
      return text;
    }
    case Home::nowhere:
      return "no number of nodes that was tried holds the model with TP, PP and EP alone";
  }
  return {};
}

void add_experts(const Trial& now, std::vector<std::string>& out) {
  const Workload& workload = *now.analysis.workload;
  const RunDescription& run = now.analysis.run;
  if (run.experts == 0) return;
  const Parameters& all = now.estimate->parameters;
  const double share = all.total() > 0 ? all.expert() / all.total() : 0;
  out.push_back(
      fmt::format("mixture of experts: {} experts hold {:.0f} % of {} parameters, a token uses {} of them and {} "
                  "parameters in all; EP {} puts {} experts of a layer on each GPU",
                  run.experts, 100 * share, human_count(all.total()), workload.model.experts_per_token,
                  human_count(now.estimate->active.total()), run.degrees.expert,
                  run.experts / std::max<std::int64_t>(run.degrees.expert, 1)));
}

void add_sequence(const Trials& trials, const Trial& now, std::vector<std::string>& out) {
  const FlopsEstimate& flops = now.estimate->flops;
  const RunDescription& run = now.analysis.run;
  if (flops.common_per_token <= 0 || now.estimate->memory.stages.empty()) return;
  const double attention = flops.common_attention_per_token / flops.common_per_token;
  const StageMemory& stage = now.estimate->memory.stages[now.estimate->memory.fullest];
  const double activations = stage[MemoryPart::activations] + stage[MemoryPart::logits] + stage[MemoryPart::transients];
  std::string text = fmt::format(
      "sequences of {} tokens: attention is {:.0f} % of the work, activations {:.0f} % of the "
      "fullest GPU's memory",
      with_commas(run.batch.sequence_length), 100 * attention, 100 * activations / std::max(stage.device(), 1.0));
  Wish wish;
  wish.degrees.context = saturating_multiply(run.degrees.context, 2);
  wish.global = run.batch.global;
  const auto trial = trials.run(wish);
  if (trial && trial->is_legal() && trial->estimate && trial->estimate->step.seconds > 0) {
    const double change =
        100 * (trial->estimate->step.tokens_per_second_per_gpu / now.estimate->step.tokens_per_second_per_gpu - 1);
    text += fmt::format("; CP {} would take {:.0f} GiB instead of {:.0f} and change throughput by {:+.1f} %",
                        wish.degrees.context, trial->estimate->memory.device.expected / gib,
                        now.estimate->memory.device.expected / gib, change);
  }
  text += attention > much_attention ? "; this is a long-context run" : "";
  out.push_back(std::move(text));
}

void add_present(const Trials& trials, const Trial& now, std::vector<std::string>& out) {
  const Estimate& estimate = *now.estimate;
  const double capacity = trials.hardware() != nullptr ? trials.hardware()->memory_bytes / gib : 0;
  std::string text = estimate.memory.stages.empty() ? std::string("now: memory unknown")
                                                    : fmt::format("now: {:.0f} of {:.0f} GiB on the fullest GPU",
                                                                  estimate.memory.device.expected / gib, capacity);
  if (estimate.fit) text += fmt::format(", which {}", to_string(*estimate.fit));
  if (estimate.step.seconds > 0) {
    text += fmt::format("; {} tokens/s/GPU, a step of {:.2f} s",
                        with_commas(std::llround(estimate.step.tokens_per_second_per_gpu)), estimate.step.seconds);
  }
  out.push_back(std::move(text));
  const Workload& workload = *now.analysis.workload;
  if (estimate.step.seconds > 0) {
    out.push_back(bottleneck_sentence(estimate.step, workload));
    for (std::string& remark : step_remarks(workload)) out.push_back(std::move(remark));
  } else if (trials.hardware() != nullptr) {
    out.push_back("step time unknown: " + reason_without_step(workload, *trials.hardware()));
  }
}

}  // namespace

Advice advise(const Trials& trials, const Trial& now, const Module& module) {
  Advice out;
  out.not_counted = uncounted(now.analysis);
  out.footprint = find_footprint(trials, now);
  out.standing.push_back(footprint_text(out.footprint, trials.hardware()));
  add_present(trials, now, out.standing);
  add_experts(now, out.standing);
  add_sequence(trials, now, out.standing);
  out.goals = goal_advice(trials, now, module);
  out.learning_rate = learning_rate_advice(now, module);
  find_top_changes(trials, now, module, out);
  return out;
}

}  // namespace primus_plan
