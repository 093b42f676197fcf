#pragma once

#include <string>

#include "backends/common/rewriter.h"
#include "backends/megatron/run.h"

namespace primus_plan::megatron {

/// Degrees whose values are no integers become 0, so that nothing is derived from the default in their place.
void blank_unreadable_degrees(MegatronConfig& config);

/// Primus's argument builder and its build_args patches, before Megatron sees anything.
void apply_primus_arguments(MegatronRun& run, Rewriter& rewriter);
/// Sizes of the parallel dimensions and the data-parallel numbers. Source:
/// megatron/training/arguments.py:validate_args, megatron/core/parallel_state.py:initialize_model_parallel.
void derive_degrees(MegatronRun& run, Rewriter& rewriter);
/// Megatron's own rewrites. Source: megatron/training/arguments.py:validate_args, in its line order.
void apply_validate_args(MegatronRun& run, Rewriter& rewriter);
/// Primus's rewrites after Megatron's. Source: primus/backends/megatron/patches/args/rocm_arg_validation.py.
void apply_rocm_validation(MegatronRun& run, Rewriter& rewriter);
/// Micro-batches of a step. Source: megatron/core/num_microbatches_calculator.py.
void derive_batch(MegatronRun& run, Rewriter& rewriter);
/// num_layers and mtp_num_layers where another key gives them: encoder_num_layers, hybrid_layer_pattern. Source:
/// megatron/training/arguments.py:validate_args.
void fill_layer_count(MegatronRun& run, Rewriter& rewriter);
/// Virtual pipeline and the layers of each stage. Source: megatron/training/arguments.py:validate_args and
/// megatron/core/transformer/transformer_block.py:get_num_layers_to_build.
void derive_stages(MegatronRun& run);
/// Values that the configuration classes fill in. Source:
/// megatron/core/transformer/transformer_config.py:__post_init__.
void apply_transformer_config(MegatronRun& run, Rewriter& rewriter);

}  // namespace primus_plan::megatron
