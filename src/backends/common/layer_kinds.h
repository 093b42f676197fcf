#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Whether a model can have these dimensions: no negative ones, and none so large that products of two overflow.
inline bool are_dimensions(std::initializer_list<std::int64_t> values) {
  constexpr std::int64_t most = 100'000'000;
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value >= 0 && value <= most; });
}

/// Adds one layer at the end, to the last kind where it is the same.
inline void append_layer(std::vector<LayerKind>& kinds, LayerKind layer) {
  layer.count = 1;
  if (!kinds.empty()) {
    LayerKind& last = kinds.back();
    layer.count = last.count;
    if (last == layer) {
      ++last.count;
      return;
    }
    layer.count = 1;
  }
  kinds.push_back(layer);
}

}  // namespace primus_plan
