#include "backends/megatron/worlds.h"

#include "primus_plan/support/number.h"

namespace primus_plan::megatron {

namespace {

bool has_unreadable_degree(const MegatronConfig& config) {
  return config.tensor_model_parallel_size.is_unreadable || config.pipeline_model_parallel_size.is_unreadable ||
         config.context_parallel_size.is_unreadable || config.expert_model_parallel_size.is_unreadable ||
         config.expert_tensor_parallel_size.is_unreadable;
}

}  // namespace

Int smallest_world(const MegatronConfig& config) {
  if (has_unreadable_degree(config)) return 0;
  const Int tensor = *config.tensor_model_parallel_size;
  const Int pipeline = *config.pipeline_model_parallel_size;
  const Int context = *config.context_parallel_size;
  const Int expert = *config.expert_model_parallel_size;
  const Int expert_tensor = config.expert_tensor_parallel_size.value.value_or(tensor);
  if (tensor < 1 || pipeline < 1 || context < 1 || expert < 1 || expert_tensor < 1) return 0;
  const auto dense = checked_multiply(tensor, context);
  const auto experts = checked_multiply(expert_tensor, expert);
  if (!dense || !experts) return 0;
  const auto stage = least_common_multiple(*dense, *experts);
  return stage ? checked_multiply(*stage, pipeline).value_or(0) : 0;
}

}  // namespace primus_plan::megatron
