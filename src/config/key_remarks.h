#pragma once

#include "config/loading.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {

/// Remarks about keys and values of an experiment that do not do what they look like, whatever its framework: rules
/// CF8xx. `root` is the document as written, after ${…}; the experiment is merged, with the command line on top.
void remark_on_keys(Loading& loading, const Node& root, const Experiment& experiment);

}  // namespace primus_plan
