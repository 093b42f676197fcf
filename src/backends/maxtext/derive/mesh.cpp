#include <algorithm>

#include "backends/maxtext/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

/// `stage` before `data`: MaxText swaps the two when pipelining is on and the order is the other way round.
void put_stage_first(AxisOrder& order) {
  const auto begin = order.axes.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(order.count);
  const auto stage = std::find(begin, end, MeshAxis::stage);
  const auto data = std::find(begin, end, MeshAxis::data);
  if (stage != end && data != end && stage > data) std::iter_swap(stage, data);
}

Int slices_of(const MaxTextConfig& config, const Launch& launch) {
  if (*config.num_slices != -1) return *config.num_slices;
  if (*config.compile_topology_num_slices > 0) return *config.compile_topology_num_slices;
  return std::max<Int>(launch.nodes, 1);  // XLA gives each host of GPUs a slice index of its own
}

/// dcn_diloco_parallelism: -1 is resolved in the config already, and hands the -1 of another axis on.
void resolve_diloco(MaxTextRun& run, std::span<Int> values, Rewriter& rewriter) {
  if (*run.config.dcn_diloco_parallelism != -1 || !contains(run.mesh.axes, MeshAxis::diloco)) return;
  Int others = 1;
  for (const Int value : values) others = value == -1 ? others : saturating_multiply(others, value);
  run.mesh.diloco_others = others;
  run.mesh.diloco_unresolved = others <= 0 || run.mesh.slices % others != 0;
  if (run.mesh.diloco_unresolved) return;
  const auto open = std::find(values.begin(), values.end(), -1);
  *open = run.mesh.slices / others;
  rewriter.set(run.config.dcn_diloco_parallelism, run.mesh.slices / others, "-1: slices / the other dcn degrees");
}

}  // namespace

Int Mesh::shards(AxisSet set) const {
  if (!resolved) return 0;
  Int product = 1;
  for (std::size_t i = 0; i < axis_count; ++i) {
    if (contains(set, static_cast<MeshAxis>(i))) product = saturating_multiply(product, size[i]);
  }
  return product;
}

namespace {

/// Which axes there are, in which order, and which of them split batch and sequence.
void derive_axes(MaxTextRun& run, Rewriter& rewriter) {
  Mesh& mesh = run.mesh;
  mesh.order = run.parsed.order;
  if (run.pipelined()) put_stage_first(mesh.order);
  mesh.axes = mesh.order.set();
  mesh.logical = run.parsed.logical;
  if (run.pipelined() && mesh.logical.batch != 0) {
    mesh.logical.batch =
        axes(MeshAxis::stage, MeshAxis::data, MeshAxis::fsdp, MeshAxis::fsdp_transpose, MeshAxis::expert);
  }
  if (run.parsed.custom_rule != nullptr && mesh.logical.has_context) {
    rewriter.set(run.config.context_sharding, info(mesh.logical.context).name,
                 "the axis of custom_mesh_and_rule's activation_length");
  }
  if (const AxisInfo* axis = find_axis(*run.config.context_sharding)) mesh.context = axis->axis;
}

}  // namespace

void derive_mesh(MaxTextRun& run, Rewriter& rewriter) {
  MaxTextConfig& config = run.config;
  Mesh& mesh = run.mesh;
  derive_axes(run, rewriter);
  mesh.ici.fill(1);
  mesh.dcn.fill(1);
  mesh.size.fill(1);
  const Int slices = slices_of(config, run.launch);
  if (slices == 0) return;  // MaxText divides by it
  rewriter.set(config.num_slices, slices, "-1: one slice for each node");
  mesh.slices = slices;
  mesh.devices_per_slice = floor_divide(run.devices(), slices);

  std::array<Int, axis_count> ici{};
  std::array<Int, axis_count> dcn{};
  const std::size_t count = mesh.order.count;
  for (std::size_t i = 0; i < count; ++i) {
    const AxisInfo& axis = info(mesh.order.axes[i]);
    ici[i] = axis.ici != nullptr ? *(config.*axis.ici) : 1;
    dcn[i] = axis.dcn != nullptr ? *(config.*axis.dcn) : 1;
  }
  resolve_diloco(run, std::span(dcn).first(count), rewriter);
  mesh.ici_fill = fill(std::span(ici).first(count), mesh.devices_per_slice);
  if (slices > 1) {
    mesh.dcn_fill = fill(std::span(dcn).first(count), slices);
  } else {
    dcn.fill(1);
  }
  const bool placed = slices == 1 || slices == run.launch.nodes;
  const auto positive = [&](const std::array<Int, axis_count>& values) {
    return std::all_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count),
                       [](Int value) { return value > 0; });
  };
  mesh.resolved = placed && slices > 0 && mesh.ici_fill.fault == FillFault::none &&
                  mesh.dcn_fill.fault == FillFault::none && !mesh.diloco_unresolved && positive(ici) && positive(dcn) &&
                  run.parsed.unknown_axes.empty() && run.parsed.repeated_axes.empty();
  if (!mesh.resolved) return;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(mesh.order.axes[i]);
    mesh.ici[at] = ici[i];
    mesh.dcn[at] = dcn[i];
    mesh.size[at] = saturating_multiply(ici[i], dcn[i]);
  }
}

}  // namespace primus_plan::maxtext
