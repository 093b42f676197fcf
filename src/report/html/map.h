#pragma once

#include <cstdint>
#include <utility>

#include "primus_plan/layout/rank_layout.h"
#include "report/json_writer.h"

namespace primus_plan::html {

/// Where the cells of a map stand. A cell is a rank, or a node of a large world; blocks are nodes.
struct MapGeometry {
  std::int64_t unit = 1;    ///< ranks of a cell
  std::int64_t cells = 0;   ///< drawn
  std::int64_t hidden = 0;  ///< not drawn
  std::int64_t block = 1;   ///< cells of a block
  std::int64_t across = 1;  ///< cells in a row of a block
  std::int64_t cell = 0;    ///< from one cell to the next
  std::int64_t step_x = 0;  ///< from one block to the next
  std::int64_t step_y = 0;
  std::int64_t columns = 1;  ///< blocks in a row
  std::int64_t left = 0;     ///< room for the first block's number
  std::int64_t width = 0;
  std::int64_t height = 0;

  /// The upper left corner of a cell.
  std::pair<std::int64_t, std::int64_t> place(std::int64_t index) const;
};

/// What the page's script needs to know of the map: the geometry, the axes of each grid as [name, size, stride], and
/// each kind of group with the axes that it lies along, where it lies along axes. null for ranks that are not placed.
void write_map_json(JsonWriter& json, const RankLayout& layout);

}  // namespace primus_plan::html
