#include "primus_plan/run/candidate.h"

#include <algorithm>
#include <array>

namespace primus_plan {

std::string_view to_string(RecomputeLevel level) {
  constexpr std::array<std::string_view, recompute_levels> names{"none", "light", "heavy", "block", "full"};
  return names[static_cast<std::size_t>(level)];
}

std::int64_t divided_evenly(std::int64_t whole, std::initializer_list<std::int64_t> parts) {
  for (const std::int64_t part : parts) {
    if (part < 1 || whole % part != 0) return 0;
    whole /= part;
  }
  return whole;
}

std::int64_t data_parallel(const Candidate& candidate) {
  return divided_evenly(candidate.world_size, {candidate.tensor, candidate.pipeline, candidate.context});
}

std::int64_t accumulation_steps(const Candidate& candidate, const PlanTask& task) {
  return divided_evenly(task.global_batch, {candidate.micro_batch, data_parallel(candidate)});
}

std::vector<DealtStage> deal_stages(std::int64_t layers, std::int64_t mtp_layers, std::int64_t stages) {
  constexpr std::int64_t most_layers = 1 << 20;
  if (stages < 1 || layers < 1 || layers > most_layers || mtp_layers < 0 || mtp_layers > most_layers) return {};
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
    if (stage.layers == 0 && !stage.embedding && !stage.loss) return {};  // prediction layers fill the last stage
  }
  return out;
}

}  // namespace primus_plan
