#include "backends/megatron/groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "primus_plan/support/number.h"
#include "support/lower_case.h"

namespace primus_plan::megatron {
namespace {

using Kind = GroupFault::Kind;

/// Axis names in the order in which RankGenerator looks for missing ones.
constexpr std::array<std::string_view, 5> axis_names{"tp", "pp", "dp", "ep", "cp"};

/// The sizes of the five axes, in the order of axis_names.
using AxisSizes = std::array<std::int64_t, axis_names.size()>;

struct Derived {
  std::int64_t expert_tensor;
  std::int64_t data;
  std::int64_t expert_data;

  AxisSizes dense_axes(const GroupSizes& s) const { return {s.tensor, s.pipeline, data, 1, s.context}; }
  AxisSizes expert_axes(const GroupSizes& s) const { return {expert_tensor, s.pipeline, expert_data, s.expert, 1}; }
};

std::optional<GroupFault> size_fault(const GroupSizes& s) {
  const std::pair<std::string_view, std::int64_t> all[] = {{"world", s.world},
                                                           {"tensor", s.tensor},
                                                           {"pipeline", s.pipeline},
                                                           {"context", s.context},
                                                           {"expert", s.expert},
                                                           {"expert_tensor", s.expert_tensor.value_or(s.tensor)},
                                                           {"optimizer_instances", s.optimizer_instances}};
  for (const auto& [name, size] : all) {
    if (size < 1) return GroupFault{.kind = Kind::size_not_positive, .value = size, .name = name};
  }
  for (const std::int64_t size : s.hierarchical_context) {
    if (size < 1) return GroupFault{.kind = Kind::size_not_positive, .value = size, .name = "hierarchical_context"};
  }
  return std::nullopt;
}

/// The axes of one grid, fastest first. Names that the order leaves out are appended; Megatron looks for them with a
/// substring test on the lower-cased order (RankGenerator.__init__).
std::optional<GroupFault> read_order(std::string_view order, const AxisSizes& sizes, std::vector<Axis>& axes) {
  std::string text = lower_case(order);
  for (std::size_t i = 0; i < axis_names.size(); ++i) {
    if (text.find(axis_names[i]) != std::string::npos) continue;
    if (sizes[i] != 1) return GroupFault{.kind = Kind::order_lacks_name, .value = sizes[i], .name = axis_names[i]};
    text.append("-").append(axis_names[i]);
  }
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('-', start), text.size());
    const std::string_view token = std::string_view(text).substr(start, end - start);
    const auto known = std::find(axis_names.begin(), axis_names.end(), token);
    if (known == axis_names.end()) {
      return GroupFault{.kind = Kind::order_unknown_name, .name = order.substr(start, end - start)};
    }
    const bool repeated = std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == *known; });
    if (repeated) return GroupFault{.kind = Kind::order_repeats_name, .name = *known};
    axes.push_back({*known, sizes[static_cast<std::size_t>(known - axis_names.begin())]});
    start = end + 1;
  }
  return std::nullopt;
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) result = saturating_multiply(result, size);
  return result;
}

/// Fills the grids; the first fault otherwise. Follows initialize_model_parallel line by line.
std::optional<GroupFault> build_grids(const GroupSizes& s, Derived& d, RankGrid& dense, RankGrid& expert) {
  if (auto fault = size_fault(s)) return fault;
  const std::int64_t model = product({s.tensor, s.pipeline, s.context});
  if (s.world % model != 0) return GroupFault{Kind::world_not_divisible, s.world, model};
  d.data = s.world / model;
  if (s.virtual_pipeline && s.pipeline < 2) return GroupFault{Kind::virtual_needs_pipeline, *s.virtual_pipeline};
  d.expert_tensor = s.expert_tensor.value_or(s.tensor);
  std::vector<Axis> axes;
  if (auto fault = read_order(s.order, d.dense_axes(s), axes)) return fault;
  dense = RankGrid(axes);
  const std::int64_t expert_model = product({d.expert_tensor, s.expert, s.pipeline});
  if (s.world % expert_model != 0) return GroupFault{Kind::expert_world_not_divisible, s.world, expert_model};
  d.expert_data = s.world / expert_model;
  axes.clear();
  if (auto fault = read_order(s.order, d.expert_axes(s), axes)) return fault;
  expert = RankGrid(std::move(axes));
  // The test reads the order as it was given, not lower-cased.
  if (!s.order.ends_with("pp") && s.pipeline != 1 && d.expert_data != d.data) {
    return GroupFault{Kind::pipeline_not_last, d.expert_data, d.data};
  }
  if (s.pipeline > 1 && dense.stride("pp") != expert.stride("pp")) {
    return GroupFault{Kind::pipeline_groups_differ, dense.stride("pp"), expert.stride("pp")};
  }
  const std::int64_t data_context = d.data * s.context;
  if (data_context % s.optimizer_instances != 0) {
    return GroupFault{Kind::instances_of_data_context, data_context, s.optimizer_instances};
  }
  if (!s.hierarchical_context.empty() && product(s.hierarchical_context) != s.context) {
    return GroupFault{Kind::hierarchical_product, product(s.hierarchical_context), s.context};
  }
  if (d.expert_data % s.optimizer_instances != 0) {
    return GroupFault{Kind::instances_of_expert_data, d.expert_data, s.optimizer_instances};
  }
  return std::nullopt;
}

/// Consecutive shares of each parent group.
Selection shares(const GroupKind& parent, std::int64_t parts) {
  const std::int64_t size = parent.size() / parts;
  return {.count = parent.count() * parts, .size = size, .block = size};
}

/// Level `level` of a nest of groups whose sizes are given innermost first (create_hierarchical_groups).
Selection nested(const GroupKind& parent, const std::vector<std::int64_t>& sizes, std::size_t level) {
  const std::int64_t inner = product({sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(level)});
  const std::int64_t size = sizes[level];
  return {.count = parent.count() * (parent.size() / size),
          .size = size,
          .stride = inner,
          .interleaved = inner,
          .block = inner * size};
}

Selection first_and_last(const GroupKind& parent) {
  const std::int64_t size = std::min<std::int64_t>(parent.size(), 2);
  return {.count = parent.count(),
          .size = size,
          .stride = std::max<std::int64_t>(parent.size() - 1, 1),
          .block = parent.size()};
}

Selection first_only(const GroupKind& parent) { return {.count = parent.count(), .block = parent.size()}; }

Selection unions(const GroupKind& parent, std::int64_t neighbours) {
  const std::int64_t size = parent.size() * neighbours;
  return {.count = parent.count() / neighbours, .size = size, .block = size};
}

void add_dense_groups(const GroupSizes& s, const RankGrid& grid, std::vector<GroupKind>& out) {
  const GroupKind data_context("dp_cp", grid, {"dp", "cp"});
  const GroupKind context("cp", grid, {"cp"});
  const GroupKind pipeline("pp", grid, {"pp"});
  out.push_back(data_context);
  if (s.optimizer_instances > 1) {
    out.emplace_back("intra_dp_cp", data_context, shares(data_context, s.optimizer_instances));
  }
  out.emplace_back("dp", grid, std::vector<std::string_view>{"dp"});
  out.push_back(context);
  for (std::size_t level = 0; level < s.hierarchical_context.size(); ++level) {
    out.emplace_back(fmt::format("cp_level_{}", level), context, nested(context, s.hierarchical_context, level));
  }
  out.emplace_back("mp", grid, std::vector<std::string_view>{"tp", "pp"});
  out.emplace_back("tp", grid, std::vector<std::string_view>{"tp"});
  out.push_back(pipeline);
  // Primus's V schedules keep both ends of the model on the first rank (backends/megatron/core/parallel_state.py).
  out.emplace_back("embedding", pipeline, s.v_schedule ? first_only(pipeline) : first_and_last(pipeline));
  out.emplace_back("position_embedding", pipeline, first_only(pipeline));
  out.emplace_back("tp_dp_cp", grid, std::vector<std::string_view>{"tp", "dp", "cp"});
  out.emplace_back("tp_dp", grid, std::vector<std::string_view>{"tp", "dp"});
  out.emplace_back("tp_cp", grid, std::vector<std::string_view>{"tp", "cp"});
}

void add_expert_groups(const GroupSizes& s, const RankGrid& grid, std::int64_t expert_data,
                       std::vector<GroupKind>& out) {
  const GroupKind model("expert_mp", grid, {"tp", "ep", "pp"});
  const GroupKind data("expert_dp", grid, {"dp"});
  const std::int64_t share = expert_data / s.optimizer_instances;
  out.emplace_back("ep", grid, std::vector<std::string_view>{"ep"});
  out.emplace_back("expert_tp", grid, std::vector<std::string_view>{"tp"});
  out.emplace_back("expert_tp_ep", grid, std::vector<std::string_view>{"tp", "ep"});
  out.push_back(model);
  out.push_back(data);
  if (s.optimizer_instances > 1) {
    out.emplace_back("intra_expert_dp", data, nested(data, {share, s.optimizer_instances}, 0));
    out.emplace_back("inter_expert_dp", data, nested(data, {share, s.optimizer_instances}, 1));
  }
  out.emplace_back("optimizer_instance", model, unions(model, share));
}

}  // namespace

std::optional<GroupFault> group_fault(const GroupSizes& sizes) {
  Derived derived{};
  RankGrid dense;
  RankGrid expert;
  return build_grids(sizes, derived, dense, expert);
}

RankLayout megatron_layout(const GroupSizes& sizes) {
  RankLayout layout{.world_size = sizes.world,
                    .ranks_per_node = sizes.ranks_per_node,
                    .order = std::string(sizes.order),
                    .grids = {},
                    .groups = {}};
  Derived derived{};
  RankGrid dense;
  RankGrid expert;
  if (build_grids(sizes, derived, dense, expert)) return layout;
  add_dense_groups(sizes, dense, layout.groups);
  add_expert_groups(sizes, expert, derived.expert_data, layout.groups);
  layout.grids = {std::move(dense), std::move(expert)};
  return layout;
}

}  // namespace primus_plan::megatron
