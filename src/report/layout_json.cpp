#include "primus_plan/report/layout.h"
#include "report/json_writer.h"

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

/// Kinds with more ranks than this are shortened.
constexpr std::int64_t most_ranks_written = 256;

void write_ranks(JsonWriter& json, const std::vector<std::int64_t>& ranks) {
  json.begin_array(Layout::one_line);
  for (const std::int64_t rank : ranks) json.integer(rank);
  json.end_array();
}

void write_kind(JsonWriter& json, const GroupKind& kind, bool all) {
  json.key(kind.name());
  if (all || kind.count() * kind.size() <= most_ranks_written) {
    json.begin_array();
    for (std::int64_t i = 0; i < kind.count(); ++i) write_ranks(json, kind.group(i));
    json.end_array();
    return;
  }
  json.begin_object();
  json.key("count").integer(kind.count()).key("size").integer(kind.size());
  json.key("first");
  write_ranks(json, kind.group(0));
  json.key("last");
  write_ranks(json, kind.group(kind.count() - 1));
  json.end_object();
}

void write_rank(JsonWriter& json, const RankLayout& layout, std::int64_t rank) {
  json.key("rank").integer(rank).key("node").integer(rank / layout.ranks_per_node);
  json.key("coordinates").begin_object(Layout::one_line);
  for (const RankGrid& grid : layout.grids) {
    const std::string prefix = &grid == &layout.grids.front() ? "" : "expert_";
    for (const Axis& axis : grid.axes())
      json.key(prefix + std::string(axis.name)).integer(grid.coordinate(rank, axis.name));
  }
  json.end_object();
  json.key("peers").begin_object();
  for (const GroupKind& kind : layout.groups) {
    json.key(kind.name());
    write_ranks(json, kind.group_of(rank));
  }
  json.end_object();
}

}  // namespace

std::string layout_to_json(const RankLayout& layout, const LayoutView& view) {
  JsonWriter json;
  json.begin_object();
  json.key("world_size").integer(layout.world_size).key("ranks_per_node").integer(layout.ranks_per_node);
  json.key("order").string(layout.order);
  if (view.rank) {
    write_rank(json, layout, *view.rank);
  } else {
    json.key("groups").begin_object();
    for (const GroupKind& kind : layout.groups) write_kind(json, kind, view.all);
    json.end_object();
  }
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
