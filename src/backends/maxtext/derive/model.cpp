#include <bit>

#include "backends/maxtext/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

/// The global scale as powers of two for each kind of dimension; heads and MLP grow first, layers last.
struct Scales {
  int embedding = 0;
  int heads = 0;
  int mlp = 0;
  int layers = 0;
};

Scales scales_of(Int global) {
  const int exponent = std::countr_zero(static_cast<std::uint64_t>(global));
  const int base = exponent / 3;
  const int rest = exponent % 3;
  const int heads = base + (rest > 0 ? 1 : 0);
  return {.embedding = base + (rest > 1 ? 1 : 0), .heads = heads, .mlp = heads, .layers = base};
}

Int scaled(Int value, int exponent) { return saturating_multiply(value, Int{1} << exponent); }

}  // namespace

void derive_model(MaxTextRun& run, Rewriter& rewriter) {
  MaxTextConfig& config = run.config;
  const Int global = *config.global_parameter_scale;
  if (global < 1 || !std::has_single_bit(static_cast<std::uint64_t>(global))) return;
  // A mixture of experts in every layer has one MLP size; only qwen3_moe is mended, the others are refused.
  const bool all_layers = *config.interleave_moe_layer_step == 1 && *config.first_num_dense_layers == 0 &&
                          *config.inhomogeneous_layer_cycle_interval == 1;
  if (run.is_moe() && all_layers && *config.decoder_block == "qwen3_moe") {
    rewriter.set(config.base_mlp_dim, *config.base_moe_mlp_dim, "every layer of qwen3_moe is a mixture of experts");
  }
  const Scales scales = scales_of(global);
  run.model = {.embedding = scaled(*config.base_emb_dim, scales.embedding),
               .query_heads = scaled(*config.base_num_query_heads, scales.heads),
               .key_heads = scaled(*config.base_num_kv_heads, scales.heads),
               .mlp = scaled(*config.base_mlp_dim, scales.mlp),
               .moe_mlp = scaled(*config.base_moe_mlp_dim, scales.mlp),
               .layers = scaled(*config.base_num_decoder_layers, scales.layers)};
}

}  // namespace primus_plan::maxtext
