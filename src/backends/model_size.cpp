#include "primus_plan/backends/model_size.h"

#include "primus_plan/estimate/parameters.h"

namespace primus_plan {

ModelSize size_of(const ModelShape& model) {
  if (model.layers <= 0 || model.hidden <= 0) return {};
  ModelSize out{.layers = model.layers,
                .hidden = model.hidden,
                .heads = model.heads,
                .kv_heads = model.kv_heads > 0 ? model.kv_heads : model.heads,
                .ffn = model.ffn,
                .vocabulary = model.vocabulary,
                .longest_sequence = model.longest_sequence,
                .experts = model.experts,
                .experts_per_token = model.experts_per_token,
                .expert_ffn = model.expert_ffn};
  const Parameters all = model_parameters(model);
  out.dense_parameters = all.dense();
  out.expert_parameters = all.expert();
  out.active_parameters = active_parameters(model).total();
  out.prediction_parameters = all.prediction();
  return out;
}

}  // namespace primus_plan
