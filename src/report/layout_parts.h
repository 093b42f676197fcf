#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "primus_plan/layout/rank_layout.h"
#include "primus_plan/report/report.h"
#include "report/paint.h"

namespace primus_plan {

/// A coordinate of ranks that is shown: an axis of one of the grids.
struct LayoutColumn {
  const RankGrid* grid;
  Axis axis;
  std::string title;
};

/// The axes longer than 1. Those of later grids (experts) are shown when the first grid has no axis of that name.
std::vector<LayoutColumn> columns_of(const RankLayout& layout);

/// "3", "0-7", "0,2": the distinct values that come up, in order. Not of none.
std::string values_text(std::vector<std::int64_t> values);

/// "inside a node", "across nodes", "2 of 8 across nodes".
std::string across_text(const GroupKind& kind, std::int64_t ranks_per_node);

/// One rank: its place, its coordinates, and its peers in each group with the nodes they are on.
std::string rank_text(const RankLayout& layout, std::int64_t rank, const TextStyle& style);

}  // namespace primus_plan
