#pragma once

#include "backends/common/rewriter.h"
#include "backends/torchtitan/run.h"

namespace primus_plan::torchtitan {

/// The number of ranks: the launch's, or NGPU under a simulated process group.
/// Source: torchtitan/distributed/utils.py:init_distributed.
void derive_ranks(TorchTitanRun& run);
/// dp_shard, the meshes and what follows from them. Source: torchtitan/distributed/parallel_dims.py:_validate,
/// build_mesh.
void derive_meshes(TorchTitanRun& run, Rewriter& rewriter);
/// Global batch and accumulation steps. Source: torchtitan/train.py:Trainer.__init__.
void derive_batch(TorchTitanRun& run, Rewriter& rewriter);
/// Stages, their layers and micro-batches. Source: torchtitan/distributed/pipeline_parallel.py:pipeline_llm,
/// generate_llm_fqn_per_model_part, build_pipeline_schedule.
void derive_pipeline(TorchTitanRun& run);
/// Values that other parts of the trainer change on their own.
void apply_other_rewrites(TorchTitanRun& run, Rewriter& rewriter);

}  // namespace primus_plan::torchtitan
