#pragma once

#include <cstdint>

namespace primus_plan {

/// How large a model is, as far as lists and a first choice of degrees need it, counted from the keys that its
/// framework builds it from. 0 = the model has no such part, or it is not known. Norms, biases and routers are left out
/// of the parameters: well below one percent. Layers that are neither attention nor feed-forward (state space, linear
/// attention) count as attention.
struct ModelSize {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t ffn = 0;  ///< width of the dense feed-forward block
  std::int64_t vocabulary = 0;
  std::int64_t longest_sequence = 0;  ///< positions that the model is made for
  std::int64_t experts = 0;           ///< routed experts of a layer that has them
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  double dense_parameters = 0;   ///< embedding, attention, dense and shared feed-forward blocks
  double expert_parameters = 0;  ///< all routed experts of all layers

  double parameters() const { return dense_parameters + expert_parameters; }
};

}  // namespace primus_plan
