#include <algorithm>

#include "estimate/step_model.h"

namespace primus_plan {

void finish(StepEstimate& out, const Workload& w) {
  const double margin = w.model.experts > 0 ? 0.20 : 0.10;
  out.low_seconds = out.seconds * (1 - margin);
  out.high_seconds = out.seconds * (1 + margin);
  out.tokens_per_second_per_gpu = static_cast<double>(w.run.batch.tokens_per_step()) / out.seconds /
                                  static_cast<double>(w.run.launch.world_size);
  out.bubble_share = out.parts[static_cast<std::size_t>(TimePart::pipeline)] / out.seconds;
  std::size_t largest = static_cast<std::size_t>(TimePart::attention);
  for (std::size_t i = largest; i < time_parts; ++i) {
    if (out.parts[i] > out.parts[largest]) largest = i;
  }
  out.bottleneck = static_cast<TimePart>(largest);
}

}  // namespace primus_plan
