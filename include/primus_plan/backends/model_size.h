#pragma once

#include <cstdint>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// How large a model is, as far as lists and a first choice of degrees need it. 0 = the model has no such part, or it
/// is not known.
struct ModelSize {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t ffn = 0;               ///< width of the dense feed-forward block
  std::int64_t vocabulary = 0;        ///< as the tokenizer has it; 0 = not known, and left out of the parameters
  std::int64_t longest_sequence = 0;  ///< positions that the model is made for
  std::int64_t experts = 0;           ///< routed experts of a layer that has them
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  // Parameters, as estimates count them (estimate/parameters.h): norms, biases and routers included.
  double dense_parameters = 0;       ///< all but the routed experts
  double expert_parameters = 0;      ///< all routed experts of all layers
  double active_parameters = 0;      ///< what one token uses
  double prediction_parameters = 0;  ///< multi-token prediction, its experts included: a part of the above

  double parameters() const { return dense_parameters + expert_parameters; }
  /// What published sizes count: DeepSeek V3 is said to have 671 billion.
  double parameters_without_prediction() const { return parameters() - prediction_parameters; }
};

/// Counts the parameters. All zeros for a model without layers or hidden size.
ModelSize size_of(const ModelShape& model);

}  // namespace primus_plan
