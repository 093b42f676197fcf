#pragma once

#include <vector>

#include "primus_plan/run/workload.h"

namespace primus_plan {

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
