#include "backends/torchtitan/worlds.h"

#include "primus_plan/support/number.h"

namespace primus_plan::torchtitan {

Int smallest_world(const TorchTitanConfig& config) {
  const Int replicate = *config.data_parallel_replicate_degree;
  const Int context = *config.context_parallel_degree;
  const Int tensor = *config.tensor_parallel_degree;
  const Int pipeline = *config.pipeline_parallel_degree;
  const Int expert = *config.expert_parallel_degree;
  const Int expert_tensor = *config.expert_tensor_parallel_degree;
  const Int shard = *config.data_parallel_shard_degree;
  for (const Int degree : {replicate, context, tensor, pipeline, expert, expert_tensor}) {
    if (degree < 1) return 0;
  }
  if (shard == 0 || shard < -1) return 0;
  const auto dense = checked_multiply(context, tensor);
  const auto experts = checked_multiply(expert, expert_tensor);
  const auto outside = checked_multiply(replicate, pipeline);
  if (!dense || !experts || !outside) return 0;
  // parallel_dims.py:build_mesh wants shard x CP x TP to be a multiple of EP x ETP.
  const auto inside = shard == -1 ? least_common_multiple(*dense, *experts) : checked_multiply(*dense, shard);
  if (!inside) return 0;
  return checked_multiply(*inside, *outside).value_or(0);
}

}  // namespace primus_plan::torchtitan
