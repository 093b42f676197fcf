#include "backends/torchtitan/flops.h"

#include "backends/torchtitan/dimensions.h"

namespace primus_plan::torchtitan {
namespace {

/// Parameters by the names that the function sorts them by.
struct Parameters {
  double embedding = 0;
  double dense = 0;  ///< everything outside the mixtures of experts, the embedding included
  double router = 0;
  double shared = 0;
  double experts = 0;
};

bool has_biases(const TorchTitanRun& run) { return run.family() == Family::gpt_oss; }

double attention_parameters(const TorchTitanRun& run, const Dimensions& sizes) {
  const Architecture& model = run.model();
  const auto hidden = static_cast<double>(model.dim);
  const auto heads = static_cast<double>(model.heads);
  if (model.kv_lora_rank > 0) {
    const auto q = static_cast<double>(model.q_lora_rank);
    const auto kv = static_cast<double>(model.kv_lora_rank);
    const auto rope = static_cast<double>(model.qk_rope_head_dim);
    const auto nope = static_cast<double>(model.qk_nope_head_dim);
    const auto value = static_cast<double>(model.v_head_dim);
    const double query = q > 0 ? hidden * q + q + q * heads * (nope + rope) : hidden * heads * (nope + rope);
    return query + hidden * (kv + rope) + kv + kv * heads * (nope + value) + heads * value * hidden;
  }
  const auto width = static_cast<double>(sizes.head_width);
  const double q = heads * width;
  const double kv = static_cast<double>(sizes.kv_heads) * width;
  double out = hidden * (q + 2 * kv) + q * hidden;
  if (run.family() == Family::qwen3) out += 2 * width;      // norms of q and k
  if (has_biases(run)) out += q + 2 * kv + hidden + heads;  // biases and attention sinks
  return out;
}

/// The experts of one layer.
double expert_parameters(const TorchTitanRun& run, const Dimensions& sizes) {
  const auto hidden = static_cast<double>(run.model().dim);
  const auto width = static_cast<double>(sizes.expert_ffn);
  const double biases = has_biases(run) ? 2 * width + hidden : 0;
  return static_cast<double>(run.model().experts.count) * (3 * hidden * width + biases);
}

Parameters parameters_of(const TorchTitanRun& run, const Dimensions& sizes) {
  const Architecture& model = run.model();
  const auto hidden = static_cast<double>(model.dim);
  const auto layers = static_cast<double>(model.layers);
  const auto moe_layers = static_cast<double>(sizes.moe_layers);
  const auto experts = static_cast<double>(model.experts.count);
  Parameters out;
  out.embedding = static_cast<double>(model.vocab) * hidden;
  out.dense = out.embedding + hidden + layers * (attention_parameters(run, sizes) + 2 * hidden) +
              (layers - moe_layers) * 3 * hidden * static_cast<double>(sizes.ffn);
  if (!model.tied_embeddings) out.dense += out.embedding;
  out.router = moe_layers * experts * (hidden + (has_biases(run) ? 1 : 0));
  out.shared =
      moe_layers * 3 * hidden * static_cast<double>(sizes.expert_ffn) * static_cast<double>(model.experts.shared);
  out.experts = moe_layers * expert_parameters(run, sizes);
  return out;
}

/// Widths of q/k and v of all heads, as the models hand them to the function. The classic attention that Primus puts
/// into deepseek_v3 leaves the flavor's own numbers of the latent one there.
double attention_width(const TorchTitanRun& run, const Dimensions& sizes) {
  const Architecture& model = run.model();
  if (run.family() == Family::deepseek_v3) {
    const Int heads = model.kv_lora_rank > 0 || run.config.model_n_heads.value || run.parsed.flavor == nullptr
                          ? model.heads
                          : run.parsed.flavor->architecture.heads;
    return static_cast<double>(heads * (model.qk_nope_head_dim + model.qk_rope_head_dim + model.v_head_dim));
  }
  return static_cast<double>(model.heads * 2 * sizes.head_width);
}

}  // namespace

CountedModel count_model(const TorchTitanRun& run) {
  const Architecture& model = run.model();
  if (model.layers <= 0 || model.dim <= 0 || model.vocab <= 0 || run.family() == Family::flux) return {};
  const Dimensions sizes = dimensions_of(model, run.family());
  const Parameters parts = parameters_of(run, sizes);
  const double used_experts = model.experts.count > 0 ? parts.experts * static_cast<double>(model.experts.top_k) /
                                                            static_cast<double>(model.experts.count)
                                                      : 0;
  double total = parts.dense + parts.router + parts.shared + parts.experts;
  if (model.tied_embeddings) total -= parts.embedding;
  const double met = parts.dense - parts.embedding + parts.router + parts.shared + used_experts;
  const double attention =
      static_cast<double>(model.layers) * attention_width(run, sizes) * static_cast<double>(*run.config.seq_len);
  return {.parameters = static_cast<Int>(total), .flops_per_token = 6 * (met + attention)};
}

}  // namespace primus_plan::torchtitan
