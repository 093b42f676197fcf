#include "backends/megatron/worlds.h"

#include <numeric>

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
  Int dense = 0;
  Int experts = 0;
  Int world = 0;
  if (__builtin_mul_overflow(tensor, context, &dense)) return 0;
  if (__builtin_mul_overflow(expert_tensor, expert, &experts)) return 0;
  if (__builtin_mul_overflow(dense / std::gcd(dense, experts), experts, &world)) return 0;
  return __builtin_mul_overflow(world, pipeline, &world) ? 0 : world;
}

}  // namespace primus_plan::megatron
