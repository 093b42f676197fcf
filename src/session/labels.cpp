#include "session/labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "primus_plan/run/candidate.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/overview_text.h"
#include "report/text_parts.h"
#include "session/draw.h"

namespace primus_plan::session {

namespace {

std::string world(const Session& session) {
  const Launch& launch = session.now()->run().launch;
  const State& state = session.state();
  const std::string set =
      state.nodes > 0 ? fmt::format("set nodes {}", state.nodes) : fmt::format("set world {}", state.world_size);
  const std::string from = state.nodes > 0 || state.world_size > 0 ? set : launch.source;
  return fmt::format("{}{}{}", launch_to_text(launch), from.empty() ? "" : ", from ", from);
}

std::string hardware(const Session& session) {
  const FitTarget& part = session.now()->part;
  return fmt::format("{} with {:.0f} GiB, {} {}", part.hardware.name, part.hardware.memory_bytes / gib,
                     part.assumed ? "assumed:" : "from", part.from);
}

std::string data_parallel(const Session& session) {
  const RunDescription& run = session.now()->run();
  const Degrees& d = run.degrees;
  const std::string what = fmt::format("DP {}", count_text(d.data));
  // Frameworks that shard along axes of their own have other products.
  if (d.data < 1 || divided_evenly(run.launch.world_size, {d.tensor, d.pipeline, d.context}) != d.data) {
    return fmt::format("{} of {} with TP {}, PP {}, CP {}", what, counted(run.launch.world_size, "GPU"),
                       count_text(d.tensor), count_text(d.pipeline), count_text(d.context));
  }
  return fmt::format("{} = {} / (TP {} x PP {} x CP {})", what, counted(run.launch.world_size, "GPU"), d.tensor,
                     d.pipeline, d.context);
}

std::string accumulation(const Session& session) {
  const RunDescription& run = session.now()->run();
  const Batch& b = run.batch;
  const std::int64_t data = run.degrees.data;
  const std::string what = fmt::format("accumulation {}", count_text(b.accumulation_steps));
  const bool is_quotient = b.micro > 0 && data > 0 && b.micro < (std::int64_t{1} << 40) / data &&
                           b.accumulation_steps > 0 && b.global % (b.micro * data) == 0 &&
                           b.global / (b.micro * data) == b.accumulation_steps;
  if (!is_quotient) {
    return fmt::format("{} with gbs {}, mbs {}, DP {}", what, count_text(b.global), count_text(b.micro),
                       count_text(data));
  }
  return fmt::format("{} = gbs {} / (mbs {} x DP {}); why gbs and why mbs say where these come from", what,
                     count_text(b.global), count_text(b.micro), count_text(data));
}

std::string tokens(const Session& session) {
  const Batch& b = session.now()->run().batch;
  return fmt::format("{} tokens a step = gbs {} x seq {}; why speed has the tokens of a second",
                     count_text(b.tokens_per_step()), count_text(b.global), count_text(b.sequence_length));
}

std::string speed(const Session& session) {
  const Evaluation& run = *session.now();
  const StepEstimate& step = run.estimate->step;
  return fmt::format("{} tokens/s/GPU = {} tokens a step / {} / step {}", count_text(step.tokens_per_second_per_gpu),
                     count_text(run.run().batch.tokens_per_step()), counted(run.run().launch.world_size, "GPU"),
                     seconds_text(step.seconds));
}

std::string mfu(const Session& session) {
  const StepEstimate& step = session.now()->estimate->step;
  return fmt::format(
      "MFU {:.1f} %: the model's operations on a GPU in a step (why flops) / what its peak would do in step {}",
      100 * step.mfu, seconds_text(step.seconds));
}

std::string bubble(const Session& session) {
  const StepEstimate& step = session.now()->estimate->step;
  return fmt::format("bubble {:.1f} % of the step, in which a pipeline rank waits for others", 100 * step.bubble_share);
}

constexpr std::array<Label, 10> labels{{{"world", "", world},
                                        {"nodes", "", world},
                                        {"hw", "", hardware},
                                        {"dp", "", data_parallel},
                                        {"accumulation", "", accumulation},
                                        {"tokens", "", tokens},
                                        {"speed", "step", speed},
                                        {"throughput", "step", speed},
                                        {"mfu", "step", mfu},
                                        {"bubble", "step.pipeline_bubble", bubble}}};

}  // namespace

const Label* find_label(std::string_view word) {
  const auto found =
      std::ranges::find_if(labels, [word](const Label& one) { return equal_ignoring_case(one.name, word); });
  return found == labels.end() ? nullptr : &*found;
}

std::vector<std::string> label_names() {
  std::vector<std::string> out;
  out.reserve(labels.size());
  for (const Label& one : labels) out.emplace_back(one.name);
  return out;
}

}  // namespace primus_plan::session
