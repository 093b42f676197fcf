#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/layout/rank_layout.h"

namespace primus_plan::megatron {

/// What initialize_model_parallel (megatron/core/parallel_state.py) is called with.
struct GroupSizes {
  std::int64_t world = 1;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::optional<std::int64_t> virtual_pipeline{};
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::optional<std::int64_t> expert_tensor{};       ///< absent: the tensor size
  std::string_view order = "tp-cp-ep-dp-pp";         ///< leftmost varies fastest; names of size 1 may be left out
  std::int64_t optimizer_instances = 1;              ///< num_distributed_optimizer_instances
  std::vector<std::int64_t> hierarchical_context{};  ///< hierarchical_context_parallel_sizes; empty: none
  bool v_schedule = false;                           ///< a Primus V schedule: first and last stage share a rank
  std::int64_t ranks_per_node = 8;
};

/// Why the groups cannot be built, in the order in which Megatron would notice.
struct GroupFault {
  enum class Kind : std::uint8_t {
    size_not_positive,           ///< a size is value < 1
    world_not_divisible,         ///< value = world, divisor = TP x PP x CP
    virtual_needs_pipeline,      ///< value = virtual size, with PP 1
    order_unknown_name,          ///< name is none of tp, cp, ep, dp, pp
    order_repeats_name,          ///< name stands twice
    order_lacks_name,            ///< name has size value but no place in the order
    expert_world_not_divisible,  ///< value = world, divisor = ETP x EP x PP
    pipeline_not_last,           ///< order does not end in pp: value = expert DP must equal divisor = DP
    pipeline_groups_differ,      ///< pipeline neighbours are value ranks apart in the dense grid, divisor in the expert
                                 ///< grid
    instances_of_data_context,   ///< value = DP x CP, divisor = instances
    hierarchical_product,        ///< value = product of the hierarchical sizes, divisor = CP
    instances_of_expert_data,    ///< value = expert DP, divisor = instances
  };
  Kind kind{};
  std::int64_t value = 0;
  std::int64_t divisor = 0;
  std::string_view name{};  ///< of a size ("tensor", "dp", …); static text or part of the order
};

/// The first fault that initialize_model_parallel would raise; nothing when it builds its groups.
std::optional<GroupFault> group_fault(const GroupSizes& sizes);

/// Every group that initialize_model_parallel builds, in its order of creation and with its numbering: dp_cp,
/// intra_dp_cp (more than one optimizer instance), dp, cp, cp_level_0 … (hierarchical context parallel), mp, tp, pp,
/// embedding, position_embedding, tp_dp_cp, tp_dp, tp_cp, ep, expert_tp, expert_tp_ep, expert_mp, expert_dp,
/// intra_expert_dp and inter_expert_dp (more than one optimizer instance), optimizer_instance. Grids: dense, expert.
/// With a fault, only the world size and the order are set.
RankLayout megatron_layout(const GroupSizes& sizes);

}  // namespace primus_plan::megatron
