#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Dimensions that no model has, because products of two would overflow.
constexpr bool is_beyond_models(std::int64_t value) { return value > 100'000'000; }
inline constexpr std::string_view sizes_beyond_models = "sizes beyond 100,000,000";

/// Why the estimates do without these dimensions: what Workload::unknown says of a negative one, or of one beyond any
/// model. Empty when a model can have them.
inline std::string_view trouble_with_dimensions(std::initializer_list<std::int64_t> values) {
  if (std::any_of(values.begin(), values.end(), is_beyond_models)) return sizes_beyond_models;
  const bool is_negative = std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value < 0; });
  return is_negative ? "the dimensions of the model" : "";
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
