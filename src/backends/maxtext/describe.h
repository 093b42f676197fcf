#pragma once

#include "backends/common/effective.h"
#include "backends/maxtext/run.h"

namespace primus_plan::maxtext {

/// What MaxText logs as its configuration and people compare: batch sizes, mesh, pipeline, model dimensions, and every
/// field that a derivation changed.
EffectiveValues effective_values(const MaxTextRun& run);

/// The run in the words that all backends share.
RunDescription describe(const MaxTextRun& run);

}  // namespace primus_plan::maxtext
