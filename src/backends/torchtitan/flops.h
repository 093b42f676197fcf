#pragma once

#include "backends/torchtitan/run.h"

namespace primus_plan::torchtitan {

/// What TorchTitan itself prints of a model at the start of a run.
struct CountedModel {
  Int parameters = 0;          ///< with tied embeddings, fewer than there are (see below)
  double flops_per_token = 0;  ///< forward and backward
};

/// Parameters and floating point operations as TorchTitan's own function counts them: 6 for each parameter that a token
/// meets, experts by top_k / num_experts, and full rather than causal attention in every layer, windows or not. Tied
/// embeddings are one tensor there, and it is taken for an embedding: the output projection is not counted, and the
/// embedding is taken off a total that holds it once. Zeros for a model without facts.
/// Source: torchtitan/models/utils.py:get_dense_model_nparams_and_flops, get_moe_model_nparams_and_flops (v0.2.2).
CountedModel count_model(const TorchTitanRun& run);

}  // namespace primus_plan::torchtitan
