#pragma once

#include "estimate/layer_time.h"

namespace primus_plan {

/// Adds up one layer, block by block: matrix products, bytes through memory, exchanges; then the backward pass and what
/// is recomputed.
class LayerBlocks {
 public:
  explicit LayerBlocks(const TimeModel& model);

  void add_mixer(const LayerKind& kind);
  void add_feed_forward(const LayerKind& kind);
  /// The layer's seconds; `recomputed`: its whole forward pass is made again whatever the run's policy is.
  LayerSeconds finish(bool recomputed);

 private:
  void add_attention(const LayerKind& kind);
  void add_latent_attention(const LayerKind& kind);
  void add_linear_mixer(Mixer mixer);
  void add_core_attention(double heads, double width, const LayerKind& kind);
  /// Bytes of keys and values that go around the ring, or of everything that is swapped between heads and tokens.
  void add_context_exchange(double kv_bytes, double swapped_bytes);
  /// What a ring of context-parallel ranks does beside the attention itself: each step's output is merged into the
  /// running one, each step's gradients are added up. Source: Transformer Engine context_parallel.py,
  /// AttnFuncWithCPAndKVP2P; torch.distributed.tensor.experimental _attention.py, _SDPAMerger.
  void add_ring_merges(double out_width, double kv_width);
  void add_dense();
  void add_experts();
  void add_expert_exchange();
  /// A linear layer of the dense kind: [tokens, in] x [in, out].
  void add_linear(double in, double out, double weights);
  /// Values that are read or written once.
  void add_values(double count);
  void add_tensor_exchange();
  double seconds_of_recompute(double full) const;

  const TimeModel& model_;
  const ModelShape& shape_;
  const TimeConstants& constants_;
  double hidden_;
  double tokens_;
  PassSeconds forward_;  ///< as the GPU takes it, without exchanges
  double tensor_ = 0;    ///< whole exchanges of a forward pass
  double context_ = 0;
  double ring_forward_ = 0;
  double ring_backward_ = 0;
  double expert_ = 0;
  double values_ = 0;
  double casts_ = 0;  ///< numbers turned into the compute format
  double host_ = 0;
  double dense_weights_ = 0;
  double expert_weights_ = 0;
  // Parts that a selective recompute may drop.
  double core_ = 0;
  double norms_ = 0;
  double up_projection_ = 0;
  double ffn_ = 0;
  double activation_ = 0;
  double experts_ = 0;
  double shared_ = 0;
  bool has_experts_ = false;
};

}  // namespace primus_plan
