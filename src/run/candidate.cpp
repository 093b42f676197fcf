#include "primus_plan/run/candidate.h"

#include <algorithm>
#include <array>

namespace primus_plan {

std::string_view to_string(RecomputeLevel level) {
  constexpr std::array<std::string_view, recompute_levels> names{"none", "light", "heavy", "block", "full"};
  return names[static_cast<std::size_t>(level)];
}

std::int64_t data_parallel(const Candidate& candidate) {
  const std::int64_t others = candidate.tensor * candidate.pipeline * candidate.context;
  return others > 0 && candidate.world_size % others == 0 ? candidate.world_size / others : 0;
}

std::int64_t accumulation_steps(const Candidate& candidate, const PlanTask& task) {
  const std::int64_t one_pass = candidate.micro_batch * data_parallel(candidate);
  return one_pass > 0 && task.global_batch % one_pass == 0 ? task.global_batch / one_pass : 0;
}

std::vector<DealtStage> deal_stages(std::int64_t layers, std::int64_t mtp_layers, std::int64_t stages) {
  if (stages < 1 || layers < 1) return {};
  const std::int64_t units = layers + mtp_layers + 2;
  const std::int64_t each = units / stages;
  const std::int64_t more = units % stages;
  if (each < 1) return {};
  std::vector<DealtStage> out(static_cast<std::size_t>(stages));
  std::int64_t left = layers;
  for (std::int64_t i = 0; i < stages; ++i) {
    DealtStage& stage = out[static_cast<std::size_t>(i)];
    // The ends are filled last: their loss and embedding are the units whose weight is a guess.
    const std::int64_t skipped = (stages - more) / 2;
    std::int64_t room = each + (i >= skipped && i < skipped + more ? 1 : 0);
    stage.embedding = i == 0;
    stage.loss = i == stages - 1;
    if (stage.embedding) --room;
    if (stage.loss) {
      stage.mtp_layers = mtp_layers;
      stage.layers = left;
    } else {
      stage.layers = std::clamp<std::int64_t>(room, 0, left);
    }
    left -= stage.layers;
  }
  return out;
}

}  // namespace primus_plan
