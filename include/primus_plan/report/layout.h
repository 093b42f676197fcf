#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "primus_plan/layout/rank_layout.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// What of a layout is shown.
struct LayoutView {
  std::optional<std::int64_t> rank = {};  ///< only this rank: its coordinates and its peers in each group
  bool all = false;                       ///< every node and every group, however many
  bool picture = false;                   ///< nodes and GPUs as a grid
  std::string by = {};  ///< kind of groups that the picture tells apart; empty: the first that there are
};

/// Nodes as rows with the coordinates of their ranks, then a table of the group kinds: sizes, and how many groups stay
/// inside a node. Long lists are folded unless `all` is asked for. With `picture` the picture stands for the rows.
std::string layout_to_text(const RankLayout& layout, const LayoutView& view, const TextStyle& style);

/// Nodes as rows and GPUs as columns, each with its coordinates (those that a whole node shares stand beside it), the
/// groups of one kind in colours, or by their first rank where there is no colour and `by` was asked for. Of many nodes
/// those with the same pattern are folded unless `all` is asked for. With a rank: which of its groups each GPU shares,
/// and its peers by node. No line is wider than `style.width` (at least 40).
std::string layout_picture(const RankLayout& layout, const LayoutView& view, const TextStyle& style);

/// {"world_size", "order", "groups": {"tp": [[ranks]...], …}}; kinds of many groups become {"count", "size", "first",
/// "last"} unless `all` is asked for. With a rank: {"rank", "node", "coordinates", "peers": {"tp": [ranks], …}}.
std::string layout_to_json(const RankLayout& layout, const LayoutView& view);

}  // namespace primus_plan
