#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "primus_plan/run/run.h"

namespace primus_plan {

/// What mixes tokens in a layer.
enum class Mixer : std::uint8_t {
  attention,         ///< multi-head or grouped-query attention
  latent_attention,  ///< multi-head latent attention (MLA)
  gated_delta,       ///< linear attention with a gated delta rule
  mamba,             ///< state-space layer (Mamba 2)
  short_convolution,
  none,  ///< a layer that is a feed-forward block only
};

/// What follows the mixer in a layer.
enum class FeedForward : std::uint8_t { dense, experts, none };

/// Consecutive layers of one kind.
struct LayerKind {
  std::int64_t count = 0;
  Mixer mixer = Mixer::attention;
  FeedForward feed_forward = FeedForward::dense;
  std::int64_t window = 0;      ///< tokens that attention looks back; 0 = all
  bool chunked = false;         ///< attention stays within chunks of `window` tokens rather than looking back over them
  std::int64_t head_width = 0;  ///< of q, k and v in these layers; 0 = the model's
  std::int64_t kv_heads = 0;    ///< in these layers; 0 = the model's
  bool recomputed = false;      ///< named one by one for full recompute, whatever `Recompute` says of the others
  bool operator==(const LayerKind&) const = default;
};

/// Dimensions of a decoder-only transformer. 0 = the model has no such part, unless said otherwise.
struct ModelShape {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;         ///< as the tokenizer has it
  std::int64_t padded_vocabulary = 0;  ///< rows of the embedding
  bool tied_embeddings = false;
  std::int64_t learned_positions = 0;  ///< rows of a learned position embedding
  bool biases = false;                 ///< every linear layer has one
  bool qkv_bias = false;               ///< only the q, k and v projections have one
  bool layer_norm_bias = false;        ///< LayerNorm rather than RMSNorm
  bool qk_norm = false;                ///< norms of q and k with weights; of their latents in latent attention
  std::int64_t rope_base = 0;          ///< base of the rotary embedding's frequencies; 0 = none, or not known
  std::int64_t longest_sequence = 0;   ///< positions that the model is made for; 0 = not stated
  // Attention.
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_width = 0;  ///< of q and k
  std::int64_t value_width = 0;
  bool output_gate = false;  ///< attention output is gated by a projection as wide as q
  // Latent attention: q/k width of a head is nope_width + rope_width.
  std::int64_t q_rank = 0;  ///< 0 = q is projected directly (of plain attention too)
  std::int64_t kv_rank = 0;
  std::int64_t nope_width = 0;
  std::int64_t rope_width = 0;
  // Feed-forward.
  std::int64_t ffn = 0;
  bool gated = false;  ///< SwiGLU and its kin: two projections up
  // Mixture of experts.
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  std::int64_t shared_ffn = 0;    ///< width of all shared experts together
  std::int64_t latent_width = 0;  ///< experts work in a space of this width; 0 = hidden
  double capacity_factor = 0;     ///< of an expert, in means of its tokens; 0 = dropless
  bool pads_experts = true;       ///< experts get their whole capacity, tokens or not; false: it only drops tokens
  // Gated delta rule, Mamba, short convolution.
  std::int64_t linear_key_heads = 0;
  std::int64_t linear_value_heads = 0;
  std::int64_t linear_key_width = 0;
  std::int64_t linear_value_width = 0;
  std::int64_t convolution = 0;  ///< kernel width
  std::int64_t mamba_heads = 0;
  std::int64_t mamba_head_width = 0;
  std::int64_t mamba_groups = 0;
  std::int64_t mamba_state = 0;
  std::int64_t mtp_depth = 0;    ///< multi-token-prediction layers
  std::vector<LayerKind> kinds;  ///< in order; counts add up to `layers`
};

/// Formats of numbers. Bytes of one: fp32 4, bf16 and fp16 2, fp8 1, fp4 one half.
enum class NumberFormat : std::uint8_t { fp32, bf16, fp16, fp8, fp4 };

/// How scale factors of fp8 and fp4 are kept.
enum class ScalingRecipe : std::uint8_t { none, per_tensor, blockwise, microscaling };

struct Precision {
  NumberFormat compute = NumberFormat::bf16;  ///< of GEMM inputs
  ScalingRecipe recipe = ScalingRecipe::none;
  NumberFormat weights = NumberFormat::bf16;    ///< as the model keeps them
  NumberFormat gradients = NumberFormat::fp32;  ///< as they are accumulated and reduced
  NumberFormat main_weights = NumberFormat::fp32;
  bool separate_main_weights = true;  ///< the optimizer keeps a copy of its own
  NumberFormat first_moment = NumberFormat::fp32;
  NumberFormat second_moment = NumberFormat::fp32;
  bool half_main_weights = false;       ///< ... of which only the 16 bits that `weights` lack are stored
  bool cached_fp8_weights = false;      ///< fp8 copies of the weights live beside them
  bool transposed_fp8_weights = false;  ///< fp8 primary weights have a transposed copy
};

enum class Optimizer : std::uint8_t {
  adam,
  sgd,  ///< with momentum
  muon,
  plain_sgd,  ///< without momentum: it keeps no state of its own
};

/// What the data-parallel ranks share of the model's state.
enum class StateSharding : std::uint8_t {
  none,       ///< every replica keeps everything
  optimizer,  ///< optimizer states (distributed optimizer, ZeRO-1)
  gradients,  ///< and gradients (ZeRO-2)
  weights,    ///< and weights, gathered when needed (ZeRO-3, FSDP)
};

struct Sharding {
  StateSharding state = StateSharding::none;
  bool keeps_gathered_weights = false;  ///< FSDP that does not reshard after the forward pass
  bool whole_unit_buffers = false;      ///< gathers a layer at a time
  double gathered_units = 2;            ///< ... of which so many are whole at once: the current and the prefetched one
  bool gathers_root = false;            ///< embedding, final norm and output are one unit that stays whole
  std::int64_t dense_shards = 1;        ///< ranks that share the state of the dense weights
  std::int64_t expert_shards = 1;       ///< ranks that share the state of the experts on one rank
  std::int64_t replicas = 1;            ///< copies of the sharded state (HSDP)
  std::int64_t bucket_elements = 0;     ///< gradients reduced at once; 0 = the framework's default
  double offloaded_optimizer = 0;       ///< part of the optimizer's states in host memory, 0 to 1
  bool offloaded_weights = false;       ///< in host memory, but for the layers at work
  bool offloaded_gradients = false;     ///< likewise, once they are reduced
};

enum class RecomputeGranularity : std::uint8_t { none, selective, full };
enum class RecomputeMethod : std::uint8_t { uniform, block };

/// Which activations are dropped and made again in the backward pass.
struct Recompute {
  RecomputeGranularity granularity = RecomputeGranularity::none;
  RecomputeMethod method = RecomputeMethod::uniform;
  std::int64_t layers = 0;  ///< full: layers of one unit (uniform) or of each chunk that are recomputed (block)
  // Parts that a selective recompute drops.
  bool core_attention = false;
  bool layer_norm = false;
  bool latent_up_projection = false;
  bool expert_activation = false;
  bool dense_ffn = false;
  bool experts = false;
  bool shared_experts = false;
  double kept_share =
      1;  ///< of a layer's activations, for policies that are not about parts (TorchTitan's op mode, MaxText's)
  bool elementwise_only = false;  ///< what such a policy drops is norms and activation functions, no matrix product
  double offloaded = 0;           ///< part of what is kept that goes to host memory, 0 to 1
  bool offloads_modules = false;  ///< inputs of single modules go there too: not counted
};

/// Which communication hides behind computation.
struct Overlap {
  bool tensor = false;
  bool gradient_reduce = false;
  bool parameter_gather = false;
  bool expert = false;
  bool pipeline = false;
};

/// How tokens reach the ranks of their experts (Megatron's moe_token_dispatcher_type, TorchTitan's
/// expert_parallel_comm_backend): by all-to-all, by gathering every rank's tokens, or by DeepEP.
enum class ExpertDispatch : std::uint8_t { all_to_all, all_gather, deep_ep };

/// How the framework's kernels treat memory.
struct Kernels {
  bool flash_attention = true;
  bool fused_loss = false;         ///< cross entropy without a fp32 copy of the logits
  std::int64_t loss_chunks = 1;    ///< logits are made in so many pieces
  double logit_bytes = 10;         ///< bytes of one logit with its copies, when the loss is not fused
  bool transformer_engine = true;  ///< keeps one placeholder gradient a weight shape
  bool fused_gradients = true;     ///< weight gradients are added where they are accumulated
  bool dropout = false;
  ExpertDispatch dispatch = ExpertDispatch::all_to_all;
  bool compiled = false;                  ///< whole graph compiled (XLA, torch.compile)
  bool all_experts_same_load = false;     ///< the router is forced to balance
  bool probabilities_in_experts = false;  ///< router weights are applied inside the expert's activation function
  bool context_all_to_all = false;        ///< context parallel swaps heads for tokens rather than passing keys on
  bool separate_gradient_buffers = true;  ///< gradients live in a buffer of their own all step (Megatron's DDP)
};

/// How a framework counts its own floating point operations, for the MFU that its log prints.
enum class FlopsCount : std::uint8_t { megatron, torchtitan, maxtext };

/// What runs the step: allocates memory as it goes, or plans it whole before the first step.
enum class Runtime : std::uint8_t { torch, xla };

/// The finer kinds of pipeline schedules, where memory and time differ.
enum class ScheduleKind : std::uint8_t {
  none,
  gpipe,
  circular,  ///< GPipe over several chunks a rank: all forward passes, chunk by chunk, then all backward ones
  one_f_one_b,
  interleaved,
  zero_bubble_1,
  zero_bubble_2,
  v_zero_bubble,
  v_half,
  v_min,
  dual_pipe_v,
};

/// The user's own keys behind numbers that RunKeys does not hold, for reports; without a name where a backend has none.
struct WorkloadKeys {
  RunKey layers;
  RunKey hidden;
  RunKey heads;
  RunKey kv_heads;
  RunKey ffn;
  RunKey vocabulary;
  RunKey experts;
  RunKey experts_per_token;
  RunKey expert_ffn;
  RunKey precision;
  RunKey gradients;  ///< their format
  RunKey sharding;
  RunKey recompute;
  RunKey fused_loss;
};

/// All that one training step computes, keeps and sends, said without any backend's words: what estimates and plans
/// read.
struct Workload {
  RunDescription run;  ///< launch, degrees, batch, stages
  WorkloadKeys keys;
  ModelShape model;
  Precision precision;
  Sharding sharding;
  Recompute recompute;
  Overlap overlap;
  Kernels kernels;
  ScheduleKind schedule = ScheduleKind::none;
  Optimizer optimizer = Optimizer::adam;
  bool sequence_parallel = false;
  double trained_share = 1;  ///< of the parameters; the rest is frozen (low-rank adapters)
  FlopsCount counted_as = FlopsCount::megatron;
  /// Forward and backward, as the framework's own function counts them; 0 = it cannot count this model.
  double counted_flops_per_token = 0;
  Runtime runtime = Runtime::torch;
  std::vector<std::string_view> unknown;  ///< facts that estimates need and the config does not state: static words
};

}  // namespace primus_plan
