#include "backends/maxtext/flops.h"

#include <algorithm>

#include "backends/maxtext/dimensions.h"
#include "backends/maxtext/vision_flops.h"

namespace primus_plan::maxtext {
namespace {

/// Forward operations of one token.
struct Cost {
  double weights = 0;
  double attention = 0;
};

/// The numbers of a run as the formulas take them.
struct Numbers {
  explicit Numbers(const MaxTextRun& run)
      : length(static_cast<double>(*run.config.max_target_length)),
        hidden(static_cast<double>(run.model.embedding)),
        heads(static_cast<double>(run.model.query_heads)),
        kv_heads(static_cast<double>(run.model.key_heads)),
        width(static_cast<double>(*run.config.head_dim)),
        layers(static_cast<double>(run.model.layers)),
        up(static_cast<double>(up_projections(run))),
        window(std::min(static_cast<double>(*run.config.sliding_window_size), length)),
        global_width(*run.config.global_head_dim > 0 ? static_cast<double>(*run.config.global_head_dim) : width),
        global_kv_heads(*run.config.global_num_kv_heads > 0 ? static_cast<double>(*run.config.global_num_kv_heads)
                                                            : kv_heads) {}
  double length, hidden, heads, kv_heads, width, layers, up, window, global_width, global_kv_heads;
};

double feed_forward(const Numbers& n, double width, double input) { return 2 * width * input * (n.up + 1); }

double causal(const Numbers& n, double width) { return 2 * n.length * n.heads * width; }

double windowed(const Numbers& n) { return 4 * (n.window - 0.5 * n.window * n.window / n.length) * n.heads * n.width; }

/// Router, routed and shared experts of one layer.
double expert_layer(const MaxTextRun& run, const Numbers& n) {
  const MaxTextConfig& config = run.config;
  const Block block = block_of(run);
  const double input = block == Block::qwen3_custom_moe ? static_cast<double>(*config.moe_expert_input_dim) : n.hidden;
  double out =
      2 * input * static_cast<double>(*config.num_experts) +
      feed_forward(n, static_cast<double>(run.model.moe_mlp), input) * static_cast<double>(*config.num_experts_per_tok);
  const bool shares =
      block == Block::deepseek || block == Block::llama4 || block == Block::qwen3_next || block == Block::gemma4;
  if (shares) out += feed_forward(n, static_cast<double>(shared_width(run)), n.hidden);
  return out;
}

double all_feed_forward(const MaxTextRun& run, const Numbers& n) {
  const auto with_experts = static_cast<double>(expert_layers(run));
  double out = (n.layers - with_experts) * feed_forward(n, static_cast<double>(run.model.mlp), n.hidden);
  if (with_experts > 0) out += with_experts * expert_layer(run, n);
  return out;
}

/// calculate_mla_tflops_per_device, with the indexer where sequences are longer than what it picks.
Cost latent_attention(const MaxTextRun& run, const Numbers& n) {
  const MaxTextConfig& config = run.config;
  const auto number = [](const Count& field) { return static_cast<double>(*field); };
  const double q_width = number(config.qk_nope_head_dim) + number(config.qk_rope_head_dim);
  const double value = number(config.v_head_dim);
  const double q_rank = number(config.q_lora_rank);
  const double kv_rank = number(config.kv_lora_rank);
  Cost out;
  const double query = q_rank == 0 ? n.hidden * n.heads * q_width : n.hidden * q_rank + q_rank * n.heads * q_width;
  out.weights = 2 * (query + n.hidden * (kv_rank + number(config.qk_rope_head_dim)) +
                     kv_rank * n.heads * (number(config.qk_nope_head_dim) + value) + n.hidden * n.heads * value);
  out.attention = n.length * n.heads * (q_width + value);
  const double picked = number(config.indexer_topk);
  if (!*config.use_indexer || n.length <= picked) return out;
  const double index_heads = number(config.indexer_n_heads);
  const double index_width = number(config.indexer_head_dim);
  out.weights += 2 * (q_rank * index_heads * index_width + n.hidden * index_width + n.hidden * index_heads);
  const double ratio = picked / n.length;
  out.attention *= 2 * (ratio - 0.5 * ratio * ratio);
  out.attention += n.length * index_heads * (index_width + 1);
  return out;
}

/// One layer of full attention, before any pattern of the decoder block.
Cost one_attention(const MaxTextRun& run, const Numbers& n) {
  if (*run.config.attention_type == "mla") return latent_attention(run, n);
  const double key_value = *run.config.share_kv_projections ? 1 : 2;
  return {.weights = 2 * n.hidden * n.width * (2 * n.heads + key_value * n.kv_heads), .attention = causal(n, n.width)};
}

/// calculate_gated_delta_net_flops_per_device.
Cost gated_delta(const MaxTextRun& run, const Numbers& n) {
  const MaxTextConfig& config = run.config;
  const auto value_heads = static_cast<double>(*config.gdn_num_value_heads);
  const auto key_width = static_cast<double>(*config.gdn_key_head_dim);
  const auto value_width = static_cast<double>(*config.gdn_value_head_dim);
  const double keys = static_cast<double>(*config.gdn_num_key_heads) * key_width;
  const double values = value_heads * value_width;
  const auto kernel = static_cast<double>(*config.gdn_conv_kernel_dim);
  return {.weights = 2 * (n.hidden * (2 * keys + 2 * values + 2 * value_heads) + n.hidden * values +
                          kernel * (2 * keys + values)),
          .attention = 8 * value_heads * key_width * value_width};
}

/// Attention that stays in chunks, as operations of all tokens over the length.
double chunked(const MaxTextRun& run, const Numbers& n) {
  const Int length = *run.config.max_target_length;
  const Int chunk = *run.config.chunk_attn_window_size;
  if (chunk <= 0) return causal(n, n.width);
  const Int chunks = length / chunk;
  const auto whole = static_cast<double>(chunks);
  const auto rest = static_cast<double>(length % chunk);
  const auto size = static_cast<double>(chunk);
  return 2 * (whole * size * size + rest * rest) / n.length * n.heads * n.width;
}

/// calculate_gemma4_tflops_training_per_device.
Cost gemma4_attention(const MaxTextRun& run, const Numbers& n, double global, double local) {
  const double key_value = *run.config.share_kv_projections ? 1 : 2;
  return {.weights = global * 2 * n.hidden * n.global_width * (2 * n.heads + key_value * n.global_kv_heads) +
                     local * 2 * n.hidden * n.width * (2 * n.heads + 2 * n.kv_heads),
          .attention = global * causal(n, n.global_width) + local * windowed(n)};
}

/// calculate_gemma4_small_tflops_training_per_device: attention, feed-forward blocks and per-layer embeddings.
Cost small_gemma4(const MaxTextRun& run, const Numbers& n) {
  const MaxTextConfig& config = run.config;
  const Int layers = run.model.layers;
  const Int cycle = attention_cycle(run);
  const Int shared = *config.num_kv_shared_layers;
  const Int first_shared = shared > 0 ? std::max<Int>(0, layers - shared) : layers;
  const double block = feed_forward(n, static_cast<double>(run.model.mlp), n.hidden);
  Cost out;
  for (Int layer = 0; layer < layers; ++layer) {
    const bool global = layer % cycle == cycle - 1;
    const double width = global ? n.global_width : n.width;
    out.attention += global ? causal(n, width) : windowed(n);
    out.weights += 4 * n.hidden * n.heads * width;
    if (layer < first_shared) out.weights += 4 * n.hidden * (global ? n.global_kv_heads : n.kv_heads) * width;
    out.weights += block * (layer >= first_shared && *config.use_double_wide_mlp ? 2 : 1);
  }
  const auto per_layer = static_cast<double>(*config.hidden_size_per_layer_input);
  out.weights += 6 * n.hidden * n.layers * per_layer;
  return out;
}

/// All layers, without the output layer.
Cost all_layers(const MaxTextRun& run, const Numbers& n) {
  const Block block = block_of(run);
  if (block == Block::gemma4_small) return small_gemma4(run, n);
  const Cost one = one_attention(run, n);
  const double blocks = all_feed_forward(run, n);
  const Int cycle = attention_cycle(run);
  const Int cycles = cycle > 0 ? run.model.layers / cycle : 0;
  const double global = cycle > 0 ? static_cast<double>(cycles) : n.layers;
  const double local = n.layers - global;
  switch (block) {
    case Block::gemma2:  // each layer is two
      return {.weights = 2 * (blocks + one.weights * n.layers),
              .attention = n.layers * (causal(n, n.width) + windowed(n))};
    case Block::gemma3:
    case Block::gpt_oss:
      return {.weights = blocks + one.weights * n.layers,
              .attention = global * causal(n, n.width) + local * windowed(n)};
    case Block::gemma4: {
      Cost out = gemma4_attention(run, n, global, local);
      out.weights += blocks;
      return out;
    }
    case Block::llama4:
      return {.weights = blocks + one.weights * n.layers,
              .attention = global * causal(n, n.width) + local * chunked(run, n)};
    case Block::qwen3_next: {
      const Cost linear = gated_delta(run, n);
      return {.weights = blocks + one.weights * global + linear.weights * local,
              .attention = one.attention * global + linear.attention * local};
    }
    case Block::qwen3_custom_moe: {
      const auto output = static_cast<double>(*run.config.attention_output_dim);
      const double own_projection = 2 * n.hidden * n.heads * n.width;
      const double projection = 2 * output * n.heads * n.width + 2 * output * n.hidden;
      return {.weights = blocks + (one.weights - own_projection + projection) * n.layers,
              .attention = one.attention * n.layers};
    }
    default:
      return {.weights = blocks + one.weights * n.layers, .attention = one.attention * n.layers};
  }
}

/// Multi-token prediction: copies of the last layer. Their output layer is not counted.
Cost prediction_layers(const MaxTextRun& run, const Numbers& n) {
  const auto depth = static_cast<double>(*run.config.mtp_num_layers);
  const Cost one = one_attention(run, n);
  double block = feed_forward(n, static_cast<double>(run.model.mlp), n.hidden);
  if (run.is_moe()) {
    block = 2 * n.hidden * static_cast<double>(*run.config.num_experts) +
            feed_forward(n, static_cast<double>(run.model.moe_mlp), n.hidden) *
                static_cast<double>(*run.config.num_experts_per_tok);
    const Block kind = block_of(run);
    const bool shares = kind == Block::deepseek || kind == Block::llama4 || kind == Block::gemma4 ||
                        *run.config.decoder_block == "qwen3_next";
    if (shares) block += feed_forward(n, static_cast<double>(shared_width(run)), n.hidden);
  }
  return {.weights = depth * (one.weights + block), .attention = depth * one.attention};
}

/// calculate_engram_tflops.
Cost engram(const MaxTextRun& run, const Numbers& n) {
  const MaxTextConfig& config = run.config;
  const auto layers = static_cast<double>(engram_layer_count(run));
  const auto branches = static_cast<double>(*config.mhc_expansion_rate);
  const double memory = static_cast<double>(*config.engram_num_heads) * static_cast<double>(*config.engram_head_dim) *
                        static_cast<double>(*config.engram_max_ngram_size - 1);
  const auto kernel = static_cast<double>(*config.engram_kernel_size);
  return {.weights = layers * 2 * n.hidden * (memory * (branches + 1) + kernel * branches),
          .attention = layers * 2 * branches * n.hidden};
}

}  // namespace

double counted_flops_per_token(const MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  if (run.model.layers <= 0 || run.model.embedding <= 0 || *config.max_target_length <= 0) return 0;
  if (run.is_moe() && *config.decoder_block == "default") return 0;  // get_dense_moe_layers refuses it
  const Numbers n(run);
  const Cost layers = all_layers(run, n);
  const Cost prediction = prediction_layers(run, n);
  const Cost memory = engram(run, n);
  const double output = 2 * n.hidden * static_cast<double>(*config.vocab_size);
  const double forward = layers.weights + layers.attention + prediction.weights + prediction.attention +
                         memory.weights + memory.attention + output;
  double total = 3 * forward;
  if (*config.use_multimodal) total += vision_flops_per_sample(run) / n.length;
  if (*config.use_dpo) total *= 4.0 / 3.0;
  return total;
}

}  // namespace primus_plan::maxtext
