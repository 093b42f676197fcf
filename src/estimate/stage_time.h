#pragma once

#include <array>
#include <cstddef>

#include "estimate/layer_time.h"

namespace primus_plan {

/// Seconds of a run's chunks: each kind of layer is worked out once.
class StageTimes {
 public:
  explicit StageTimes(const TimeModel& model);

  /// Layers, embedding and loss of one chunk.
  LayerSeconds chunk(const StageChunk& chunk) const;
  /// A rank of a run whose layers could not be placed: its even share; the last one has the loss.
  LayerSeconds even_share(std::int64_t rank, std::int64_t ranks) const;

 private:
  struct Known {
    LayerKind kind;
    LayerSeconds seconds;
  };
  const LayerSeconds& of(const LayerKind& kind) const;

  static constexpr std::size_t most_kinds = 12;
  const TimeModel& model_;
  std::array<Known, most_kinds> known_;
  std::size_t kinds_ = 0;
  LayerSeconds output_;
  LayerSeconds embedding_;
};

}  // namespace primus_plan
