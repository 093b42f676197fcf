#pragma once

#include "backends/common/rewriter.h"
#include "backends/maxtext/run.h"

namespace primus_plan::maxtext {

/// Values that follow from one other key: steps, evaluation batch, optimizer type, spelling.
void fill_defaults(MaxTextRun& run, Rewriter& rewriter);
/// Model dimensions. Source: types.py:get_individual_scales.
void derive_model(MaxTextRun& run, Rewriter& rewriter);
/// Number of slices, and the degrees of every axis. Sources: max_utils.py:get_num_slices, fill_unspecified_mesh_axes.
void derive_mesh(MaxTextRun& run, Rewriter& rewriter);
/// Samples to load and to train on, and the ramp-up. Source: types.py:calculate_global_batch_sizes.
void derive_batch(MaxTextRun& run);
/// Layers in the pipeline, repeats and micro-batches. Source: types.py:set_derived_and_validate_values.
void derive_pipeline(MaxTextRun& run, Rewriter& rewriter);
/// The same in the words that all backends share, and the layers of each stage.
void describe_degrees(MaxTextRun& run);

}  // namespace primus_plan::maxtext
