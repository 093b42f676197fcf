#include "backends/maxtext/layout.h"

#include <fmt/core.h>

#include <algorithm>

namespace primus_plan::maxtext {
namespace {

/// Names of the two parts of an axis in the grid.
struct PartNames {
  std::string_view inside;
  std::string_view across;
};
constexpr std::array<PartNames, axis_count> part_names{{{"ici_diloco", "dcn_diloco"},
                                                        {"ici_data", "dcn_data"},
                                                        {"ici_stage", "dcn_stage"},
                                                        {"ici_fsdp", "dcn_fsdp"},
                                                        {"ici_fsdp_transpose", "dcn_fsdp_transpose"},
                                                        {"ici_sequence", "dcn_sequence"},
                                                        {"ici_context", "dcn_context"},
                                                        {"ici_context_usp_ulysses", "dcn_context_usp_ulysses"},
                                                        {"ici_context_autoregressive", "dcn_context_autoregressive"},
                                                        {"ici_tensor", "dcn_tensor"},
                                                        {"ici_tensor_sequence", "dcn_tensor_sequence"},
                                                        {"ici_expert", "dcn_expert"},
                                                        {"ici_autoregressive", "dcn_autoregressive"},
                                                        {"ici_attn_dp", "dcn_attn_dp"},
                                                        {"ici_attn_dp_expert", "dcn_attn_dp_expert"}}};

const PartNames& parts(MeshAxis axis) { return part_names[static_cast<std::size_t>(axis)]; }

RankGrid grid_of(const Mesh& mesh) {
  std::vector<Axis> fastest_first;
  const auto order = mesh.order.list();
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    fastest_first.push_back({parts(*axis).inside, mesh.ici[static_cast<std::size_t>(*axis)]});
  }
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    fastest_first.push_back({parts(*axis).across, mesh.dcn[static_cast<std::size_t>(*axis)]});
  }
  return RankGrid(std::move(fastest_first));
}

std::vector<std::string_view> along(const Mesh& mesh, AxisSet set) {
  std::vector<std::string_view> out;
  for (const MeshAxis axis : mesh.order.list()) {
    if (!contains(set, axis)) continue;
    out.push_back(parts(axis).inside);
    out.push_back(parts(axis).across);
  }
  return out;
}

/// The axes above 1, the fastest first as in other backends' orders.
std::string order_text(const Mesh& mesh) {
  std::string out;
  const auto order = mesh.order.list();
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    if (mesh.size_of(*axis) > 1) out += fmt::format("{}{}", out.empty() ? "" : "-", info(*axis).name);
  }
  return out;
}

}  // namespace

RankLayout rank_layout(const MaxTextRun& run) {
  const Mesh& mesh = run.mesh;
  RankLayout out{.world_size = run.devices(),
                 .ranks_per_node = std::max<Int>(run.devices() / std::max<Int>(run.launch.nodes, 1), 1),
                 .order = order_text(mesh),
                 .grids = {},
                 .groups = {}};
  if (!mesh.resolved) return out;
  const RankGrid grid = grid_of(mesh);
  out.grids.push_back(grid);
  const auto add = [&](std::string name, AxisSet set) {
    out.groups.emplace_back(std::move(name), grid, along(mesh, set));
  };
  add("dp", mesh.sample_set());
  add("dp_replicate", copy_axes);
  add("fsdp", shard_axes);
  add("cp", mesh.context_set());
  add("tp", tensor_axes);
  add("pp", only(MeshAxis::stage));
  add("ep", run.is_moe() ? mesh.logical.experts : AxisSet{0});
  for (const MeshAxis axis : mesh.order.list()) {
    if (mesh.size_of(axis) > 1) add(fmt::format("axis_{}", info(axis).name), only(axis));
  }
  return out;
}

}  // namespace primus_plan::maxtext
