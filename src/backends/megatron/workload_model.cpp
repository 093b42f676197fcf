#include <algorithm>
#include <string_view>

#include "backends/common/vocabularies.h"
#include "backends/megatron/workload.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// Sizes beyond this are no model's: they count as unknown, so that products of two stay exact.
constexpr Int most = Int{1} << 31;

void add_once(std::vector<std::string_view>& list, std::string_view fact) {
  if (std::find(list.begin(), list.end(), fact) == list.end()) list.push_back(fact);
}

/// Reads sizes of the config; one that is too large counts as 0, and is listed as unknown.
class Sizes {
 public:
  explicit Sizes(std::vector<std::string_view>& unknown) : unknown_(unknown) {}

  Int operator()(const MaybeCount& field) { return read(field, field.value.value_or(0)); }
  Int operator()(const Count& field) { return read(field, *field); }

  /// Says why those that are too large are unknown.
  void finish() {
    if (is_beyond_) add_once(unknown_, "sizes beyond 2,147,483,648");
  }

 private:
  template <class Field>
  Int read(const Field& field, Int value) {
    // What is beyond 64 bits, or no number at all, is set all the same.
    if (value > most || field.is_unreadable) add_once(unknown_, field.key != nullptr ? field.key : "a size");
    is_beyond_ = is_beyond_ || value > most;
    return value > 0 && value <= most ? value : 0;
  }

  std::vector<std::string_view>& unknown_;
  bool is_beyond_ = false;
};

/// The last name that `spec` lists, which says what an M of a hybrid model is.
std::string_view spec_name(const MegatronConfig& config) {
  const Node* spec = config.spec.value;
  if (spec == nullptr || !spec->is_sequence() || spec->items.empty()) return {};
  const Node& last = *spec->items.back();
  return last.is_string() ? std::string_view(last.text) : std::string_view();
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// primus/backends/megatron/core/models/hybrid/hybrid_mamba_mla_layer_specs.py: the specs for gated delta rules and
/// Kimi delta attention put those where a pattern says M.
Mixer recurrent_mixer(const MegatronConfig& config) {
  const std::string_view spec = spec_name(config);
  return has(spec, "gdn") || has(spec, "kda") ? Mixer::gated_delta : Mixer::mamba;
}

/// Kimi K3 has latent attention of its own: primus/configs/models/megatron/kimi_k3_base.yaml leaves Megatron's off.
bool has_latent_attention(const MegatronConfig& config) {
  return *config.multi_latent_attention || *config.model_type == "kimi_k3";
}

Mixer attention_mixer(const MegatronConfig& config) {
  return has_latent_attention(config) ? Mixer::latent_attention : Mixer::attention;
}

/// Adds layers to the last kind when they are of the same.
class Kinds {
 public:
  explicit Kinds(std::vector<LayerKind>& out) : out_(out) {}
  void add(Mixer mixer, FeedForward feed_forward, Int window, bool recomputed) {
    if (!out_.empty()) {
      LayerKind& last = out_.back();
      if (last.mixer == mixer && last.feed_forward == feed_forward && last.window == window &&
          last.recomputed == recomputed) {
        ++last.count;
        return;
      }
    }
    out_.push_back(
        {.count = 1, .mixer = mixer, .feed_forward = feed_forward, .window = window, .recomputed = recomputed});
  }

 private:
  std::vector<LayerKind>& out_;
};

/// moe_layer_freq: megatron/core/models/gpt/gpt_layer_specs.py, get_gpt_decoder_block_spec.
bool has_experts(const MegatronRun& run, Int layer) {
  if (!run.is_moe()) return false;
  const LayerFrequency& layers = run.parsed.moe_layers;
  if (!layers.pattern.empty()) {
    return layer < static_cast<Int>(layers.pattern.size()) && layers.pattern[static_cast<std::size_t>(layer)] == 1;
  }
  const Int every = layers.every.value_or(1);
  return every <= 1 || layer % every == 0;
}

/// linear_attention_freq N: every N-th layer has full attention; a list: 1 is linear.
/// megatron/core/models/gpt/experimental_attention_variant_module_specs.py, get_linear_attention_pattern.
bool is_linear(const MegatronRun& run, Int layer) {
  const MegatronConfig& config = run.config;
  if (*config.experimental_attention_variant != "gated_delta_net" && *config.model_type != "kimi_k3") return false;
  const LayerFrequency& layers = run.parsed.linear_layers;
  if (layers.every) return *layers.every > 0 && (layer + 1) % *layers.every != 0;
  return layer < static_cast<Int>(layers.pattern.size()) && layers.pattern[static_cast<std::size_t>(layer)] == 1;
}

bool is_convolution(const MegatronConfig& config, Int layer) {
  const Node* types = config.lfm_layer_types.value;
  if (types == nullptr || !types->is_sequence() || layer >= static_cast<Int>(types->items.size())) return false;
  const Node& type = *types->items[static_cast<std::size_t>(layer)];
  return type.is_string() && type.text == "conv";
}

Int window_of(const MegatronConfig& config) {
  const Node* window = config.window_size.value;
  if (window == nullptr || !window->is_sequence() || window->items.empty()) return 0;
  const Node& back = *window->items.front();
  return back.kind == Kind::integer && back.integer > 0 && back.integer <= most ? back.integer : 0;
}

/// Which layers recompute_layer_ids names.
std::vector<bool> recomputed_layers(const MegatronRun& run, std::size_t layers) {
  std::vector<bool> out(layers);
  for (const Int id : run.parsed.recompute_layer_ids.ids) {
    if (id >= 0 && id < static_cast<Int>(layers)) out[static_cast<std::size_t>(id)] = true;
  }
  return out;
}

void add_symbol(Kinds& kinds, const MegatronConfig& config, char symbol, bool recomputed) {
  switch (symbol) {
    case 'M':
      kinds.add(recurrent_mixer(config), FeedForward::none, 0, recomputed);
      break;
    case '*':
      kinds.add(attention_mixer(config), FeedForward::none, 0, recomputed);
      break;
    case '-':
      kinds.add(Mixer::none, FeedForward::dense, 0, recomputed);
      break;
    default:
      kinds.add(Mixer::none, FeedForward::experts, 0, recomputed);
      break;
  }
}

/// Primus's hybrid stack without a pattern: mixers and feed-forward blocks in turn, hybrid_attention_ratio of the
/// mixers attention, spread evenly. primus/backends/megatron/core/models/hybrid/hybrid_block.py, allocate_layers.
std::string primus_hybrid_pattern(Int layers, double ratio) {
  const Int blocks = layers / 2;
  const Int attention = static_cast<Int>(static_cast<double>(blocks) * std::clamp(ratio, 0.0, 1.0));
  const Int recurrent = blocks - attention;
  std::string out;
  const auto add = [&](std::string_view block, Int times) {
    for (Int i = 0; i < times; ++i) out += block;
  };
  if (attention == 0 || recurrent == 0) {
    add(attention == 0 ? "M-" : "*-", blocks);
  } else if (ratio <= 0.5) {
    for (Int i = 0; i < attention; ++i) {
      add("*-", 1);
      add("M-", recurrent / attention);
    }
    add("M-", recurrent % attention);
  } else {
    add("*-", attention - recurrent);
    add("*-M-", recurrent);
  }
  return out;
}

void add_hybrid_layers(const MegatronRun& run, Int layers, std::vector<LayerKind>& out) {
  std::string pattern;
  if (run.parsed.hybrid) {
    for (const std::string& segment : run.parsed.hybrid->segments) pattern += segment;
  } else if (has(spec_name(run.config), "hybrid")) {
    pattern = primus_hybrid_pattern(layers, *run.config.hybrid_attention_ratio);
  } else {
    pattern.assign(static_cast<std::size_t>(layers), 'M');
  }
  Kinds kinds(out);
  const std::vector<bool> recomputed = recomputed_layers(run, pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) add_symbol(kinds, run.config, pattern[i], recomputed[i]);
}

void add_layers(const MegatronRun& run, Int layers, std::vector<LayerKind>& out) {
  if (*run.config.model_type == "mamba" || run.parsed.hybrid) {
    add_hybrid_layers(run, layers, out);
    return;
  }
  const Mixer attention = attention_mixer(run.config);
  const Int window = window_of(run.config);
  Kinds kinds(out);
  const std::vector<bool> recomputed = recomputed_layers(run, static_cast<std::size_t>(layers));
  for (Int i = 0; i < layers; ++i) {
    const Mixer mixer = is_linear(run, i)               ? Mixer::gated_delta
                        : is_convolution(run.config, i) ? Mixer::short_convolution
                                                        : attention;
    kinds.add(mixer, has_experts(run, i) ? FeedForward::experts : FeedForward::dense, mixer == attention ? window : 0,
              recomputed[static_cast<std::size_t>(i)]);
  }
}

/// padded_vocab_size, else vocab_size or the tokenizer's, padded to a multiple of make_vocab_size_divisible_by x TP:
/// megatron/training/tokenizer/tokenizer.py, _vocab_size_with_padding.
void set_vocabulary(const MegatronRun& run, Sizes& size, ModelShape& m) {
  const MegatronConfig& config = run.config;
  m.vocabulary = size(config.vocab_size);
  const bool is_given = config.vocab_size.value.value_or(0) > 0 || config.vocab_size.is_unreadable;
  if (!is_given && !config.tokenizer_model.value.empty()) m.vocabulary = vocabulary_of(*config.tokenizer_model);
  m.padded_vocabulary = size(config.padded_vocab_size);
  if (m.vocabulary == 0) m.vocabulary = m.padded_vocabulary;
  if (m.padded_vocabulary > 0) return;
  const Int multiple =
      saturating_multiply(std::max<Int>(1, size(config.make_vocab_size_divisible_by)), std::max<Int>(1, run.tp()));
  const Int multiples = m.vocabulary / multiple + (m.vocabulary % multiple != 0 ? 1 : 0);
  m.padded_vocabulary = saturating_multiply(multiples, multiple);
}

void set_attention(const MegatronConfig& config, Sizes& size, ModelShape& m) {
  m.heads = size(config.num_attention_heads);
  m.kv_heads = size(config.num_query_groups);
  m.head_width = m.value_width = size(config.kv_channels);
  m.qk_norm = *config.qk_layernorm;
  const double base = *config.rotary_base;
  if (*config.position_embedding_type == "rope" && base > 0 && base < static_cast<double>(most))
    m.rope_base = static_cast<Int>(base);
  m.output_gate = *config.attention_output_gate;
  const bool latent = has_latent_attention(config);
  if (latent || *config.model_type == "deepseek_v4") m.q_rank = size(config.q_lora_rank);
  if (!latent) return;
  m.kv_rank = size(config.kv_lora_rank);
  m.nope_width = size(config.qk_head_dim);
  m.rope_width = size(config.qk_pos_emb_head_dim);
  m.head_width = m.nope_width + m.rope_width;
  m.value_width = size(config.v_head_dim);
  m.kv_heads = m.heads;
}

void set_experts(const MegatronConfig& config, Sizes& size, ModelShape& m) {
  m.experts = size(config.num_experts);
  if (m.experts == 0) return;
  m.experts_per_token = size(config.moe_router_topk);
  m.expert_ffn = size(config.moe_ffn_hidden_size);
  m.shared_ffn = size(config.moe_shared_expert_intermediate_size);
  m.latent_width = size(config.moe_latent_size);
  if (m.latent_width == 0) m.latent_width = size(config.routed_expert_hidden_size);
  m.capacity_factor = std::clamp(config.moe_expert_capacity_factor.value.value_or(0), 0.0, 1e6);
  m.pads_experts = *config.moe_pad_expert_input_to_capacity;
}

void set_recurrent_mixers(const MegatronConfig& config, Sizes& size, ModelShape& m) {
  m.linear_key_heads = size(config.linear_num_key_heads);
  m.linear_value_heads = size(config.linear_num_value_heads);
  m.linear_key_width = size(config.linear_key_head_dim);
  m.linear_value_width = size(config.linear_value_head_dim);
  m.convolution = size(config.linear_conv_kernel_dim);
  m.mamba_head_width = size(config.mamba_head_dim);
  m.mamba_groups = size(config.mamba_num_groups);
  m.mamba_state = size(config.mamba_state_dim);
  m.mamba_heads = size(config.mamba_num_heads);
  // The mixer is twice as wide as the model where nobody says otherwise: megatron/core/ssm/mamba_mixer.py, expand.
  if (m.mamba_heads == 0 && m.mamba_head_width > 0) m.mamba_heads = 2 * m.hidden / m.mamba_head_width;
}

}  // namespace

ModelShape model_shape(const MegatronRun& run, std::vector<std::string_view>& unknown) {
  const MegatronConfig& config = run.config;
  ModelShape m;
  Sizes size(unknown);
  m.layers = size(config.num_layers);
  m.hidden = size(config.hidden_size);
  m.tied_embeddings = !*config.untie_embeddings_and_output_weights;
  const bool learned = *config.position_embedding_type == "learned_absolute";
  if (learned) m.learned_positions = size(config.max_position_embeddings);
  m.longest_sequence = std::max<Int>(config.max_position_embeddings.value.value_or(0), 0);
  m.biases = *config.add_bias_linear;
  m.qkv_bias = *config.add_qkv_bias;
  m.layer_norm_bias = *config.normalization == "LayerNorm";
  m.ffn = size(config.ffn_hidden_size);
  m.gated = *config.swiglu || *config.quick_geglu;
  constexpr Int most_depth = 64;  // no model has more
  m.mtp_depth = std::min<Int>(size(config.mtp_num_layers), most_depth);
  if (config.mtp_num_layers.value.value_or(0) > most_depth) add_once(unknown, "mtp_num_layers beyond 64");
  set_vocabulary(run, size, m);
  set_attention(config, size, m);
  set_experts(config, size, m);
  set_recurrent_mixers(config, size, m);
  constexpr Int most_layers = 10'000;  // no model has more; bounds the work on hostile numbers
  if (m.layers == 0) {
    add_once(unknown, "num_layers");
  } else if (m.layers > most_layers) {
    unknown.emplace_back("num_layers beyond 10,000");
  } else {
    add_layers(run, m.layers, m.kinds);
  }
  if (m.hidden == 0) add_once(unknown, "hidden_size");
  if (m.heads == 0) add_once(unknown, "num_attention_heads");
  if (m.padded_vocabulary == 0) add_once(unknown, "vocab_size");
  size.finish();
  return m;
}

}  // namespace primus_plan::megatron
