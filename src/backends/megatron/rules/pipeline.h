#pragma once

#include <string>
#include <string_view>

#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// What the rules about stages and schedules ask of a run.

/// hybrid_layer_pattern, or its deprecated twin, describes the layers.
bool has_hybrid_pattern(const MegatronRun& run);
/// decoder_first_pipeline_num_layers or decoder_last_pipeline_num_layers is set.
bool has_uneven_ends(const MegatronRun& run);
/// The embedding or the loss takes the place of a layer.
bool has_slots(const MegatronRun& run);
/// num_layers plus the slots of embedding and loss; 0 when num_layers is unknown.
Int layers_with_slots(const MegatronRun& run);

/// Which keys ask for more than one model chunk a rank: num_layers_per_virtual_pipeline_stage,
/// num_virtual_stages_per_pipeline_rank, pipeline_model_parallel_layout. Megatron takes one of them at most.
int virtual_selectors(const MegatronRun& run);
/// validate_args divides layers by PP itself; elsewhere the configuration or the model finds out. Source:
/// megatron/training/arguments.py:validate_args.
bool split_is_checked_early(const MegatronRun& run);
/// run.virtual_pipeline is what Megatron goes on with: no fault keeps it from being derived.
bool virtual_size_is_settled(const MegatronRun& run);

/// A fault of this kind is the first that the layer split meets.
bool split_fails(const MegatronRun& run, LayerFault::Kind kind);

/// The schedule comes from Primus: primus/backends/megatron/patches/parallelism/schedule_patches.py.
bool primus_pipeline_runs(const MegatronRun& run);
bool zero_bubble_runs(const MegatronRun& run);
/// pp_algorithm is one of the schedules that fold the pipeline over two chunks a rank.
bool algorithm_folds(std::string_view algorithm);
/// Parts that a sequence is cut into by a Primus pipeline (num_seq_splits); 1 without one.
Int sequence_splits(const MegatronRun& run);

/// Megatron's own interleaved schedule runs: several chunks a rank, and no Primus pipeline instead.
bool interleaved_schedule_runs(const MegatronRun& run);
/// Schedules of Primus that split the backward pass into input and weight gradients.
bool splits_weight_gradients(const MegatronRun& run);
/// The schedule of this run has a valid order for this number of micro-batches. Source: megatron/core/
/// pipeline_parallel/schedules.py:forward_backward_pipelining_with_interleaving, primus/core/pipeline_parallel/
/// scheduler/algorithms.
bool schedule_takes(const MegatronRun& run, Int micro_batches);

/// An integer in a Raw field, or `otherwise`.
Int integer_or(const Raw& field, Int otherwise);

/// "num_layers 30 + 1 for the loss = 31", or "num_layers 30".
std::string layers_text(const MegatronRun& run);

}  // namespace primus_plan::megatron
