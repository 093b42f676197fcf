#include "planner/translate_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// A dimension, and what each framework calls it; empty where it has no key for it alone.
struct Dimension {
  std::string_view name;
  std::int64_t ModelShape::*member;
  std::string_view megatron;
  std::string_view torchtitan;
  std::string_view maxtext;
};
constexpr std::array<Dimension, 16> dimensions{{
    {"layers", &ModelShape::layers, "num_layers", "model.n_layers", "override_model.base_num_decoder_layers"},
    {"hidden size", &ModelShape::hidden, "hidden_size", "model.dim", "override_model.base_emb_dim"},
    {"attention heads", &ModelShape::heads, "num_attention_heads", "model.n_heads",
     "override_model.base_num_query_heads"},
    {"key-value heads", &ModelShape::kv_heads, "num_query_groups", "model.n_kv_heads",
     "override_model.base_num_kv_heads"},
    {"head width", &ModelShape::head_width, "kv_channels", "", "override_model.head_dim"},
    {"feed-forward size", &ModelShape::ffn, "ffn_hidden_size", "", "override_model.base_mlp_dim"},
    {"experts", &ModelShape::experts, "num_experts", "", "override_model.num_experts"},
    {"experts a token", &ModelShape::experts_per_token, "moe_router_topk", "", "override_model.num_experts_per_tok"},
    {"expert feed-forward size", &ModelShape::expert_ffn, "moe_ffn_hidden_size", "", "override_model.base_moe_mlp_dim"},
    {"shared expert size", &ModelShape::shared_ffn, "moe_shared_expert_intermediate_size", "", ""},
    {"latent rank of queries", &ModelShape::q_rank, "q_lora_rank", "model.q_lora_rank", "override_model.q_lora_rank"},
    {"latent rank of keys and values", &ModelShape::kv_rank, "kv_lora_rank", "model.kv_lora_rank",
     "override_model.kv_lora_rank"},
    {"head width without positions", &ModelShape::nope_width, "qk_head_dim", "model.qk_nope_head_dim",
     "override_model.qk_nope_head_dim"},
    {"head width of positions", &ModelShape::rope_width, "qk_pos_emb_head_dim", "model.qk_rope_head_dim",
     "override_model.qk_rope_head_dim"},
    // Of the tokenizer and of the training, rather than of the model: told, never written over.
    {"vocabulary", &ModelShape::vocabulary, "", "", ""},
    {"prediction layers", &ModelShape::mtp_depth, "", "", ""},
}};
constexpr std::size_t own_dimensions = 14;  ///< those that make a model another

std::string_view key_of(const Dimension& dimension, std::string_view framework) {
  if (framework == "megatron") return dimension.megatron;
  return framework == "torchtitan" ? dimension.torchtitan : dimension.maxtext;
}

bool has_dense_layers(const ModelShape& model) {
  return std::ranges::any_of(model.kinds, [](const LayerKind& k) { return k.feed_forward == FeedForward::dense; });
}

/// Dimensions that say nothing of these two models.
bool is_idle(const Dimension& dimension, const ModelShape& a, const ModelShape& b) {
  if (dimension.member == &ModelShape::ffn) return !has_dense_layers(a) && !has_dense_layers(b);
  const bool latent = a.kv_rank > 0 && b.kv_rank > 0;
  return latent && (dimension.member == &ModelShape::head_width || dimension.member == &ModelShape::kv_heads);
}

std::vector<std::size_t> differing(const ModelShape& wanted, const ModelShape& preset) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const bool same = wanted.*dimensions[i].member == preset.*dimensions[i].member;
    if (!same && !is_idle(dimensions[i], wanted, preset)) out.push_back(i);
  }
  return out;
}

/// The same kinds of layers: what no dimension can make of another model.
bool same_architecture(const ModelShape& a, const ModelShape& b) {
  const auto has = [](const ModelShape& model, const LayerKind& kind) {
    return std::ranges::any_of(model.kinds, [&](const LayerKind& other) {
      return other.mixer == kind.mixer && other.feed_forward == kind.feed_forward;
    });
  };
  const auto covers = [&](const ModelShape& x, const ModelShape& y) {
    return std::ranges::all_of(x.kinds, [&](const LayerKind& kind) { return has(y, kind); });
  };
  // A model of experts alone may stand for one that begins with dense layers, never one without experts for another.
  const bool experts = (a.experts > 0) == (b.experts > 0);
  const bool shared = (a.shared_ffn > 0) == (b.shared_ffn > 0);
  const auto windowed = [](const ModelShape& model) {
    return std::ranges::any_of(model.kinds, [](const LayerKind& kind) { return kind.window > 0; });
  };
  return experts && shared && windowed(a) == windowed(b) && a.gated == b.gated &&
         a.tied_embeddings == b.tied_embeddings && (covers(a, b) || covers(b, a));
}

/// Another vocabulary speaks of another family of models, whose norms and biases differ where no dimension says so.
constexpr std::size_t another_family = 5;

/// How far a preset is: dimensions that differ, then how much larger or smaller it is.
struct Distance {
  std::size_t count = 0;
  bool is_quantized = false;  ///< a variant that computes in fp8
  bool is_other_name = false;
  double size = 0;
  auto operator<=>(const Distance&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm of clang-tidy 14
};

Distance distance(const ModelShape& wanted, const PresetShape& preset, std::string_view named) {
  Distance out;
  for (const std::size_t i : differing(wanted, preset.model))
    out.count += dimensions[i].member == &ModelShape::vocabulary ? another_family : 1;
  if (wanted.qk_norm != preset.model.qk_norm) ++out.count;
  if ((wanted.qkv_bias || wanted.biases) != (preset.model.qkv_bias || preset.model.biases)) ++out.count;
  out.is_quantized = preset.name.ends_with("-fp8");
  out.is_other_name = preset.name != named;
  const auto ratio = [](std::int64_t a, std::int64_t b) {
    return a > 0 && b > 0 ? std::fabs(std::log(static_cast<double>(a) / static_cast<double>(b))) : 10.0;
  };
  out.size = ratio(wanted.hidden, preset.model.hidden) + ratio(wanted.layers, preset.model.layers);
  return out;
}

std::string described(const std::vector<std::size_t>& which, const ModelShape& wanted, const ModelShape& preset) {
  std::vector<std::string> words;
  words.reserve(which.size());
  for (const std::size_t i : which) {
    const auto member = dimensions[i].member;
    words.push_back(fmt::format("{} {} instead of {}", dimensions[i].name, preset.*member, wanted.*member));
  }
  return join(words, ", ");
}

/// moe_layer_freq of a model that begins with dense layers: a preset's list is as long as its own layers.
std::string expert_layers(const ModelShape& model) {
  std::int64_t dense = 0;
  for (const LayerKind& kind : model.kinds) {
    if (kind.feed_forward != FeedForward::dense) break;
    dense += kind.count;
  }
  return fmt::format("([0]*{}+[1]*{})", dense, model.layers - dense);
}

void write_dimension(const Dimension& dimension, const ModelShape& wanted, std::string_view framework,
                     ModelChoice& out) {
  const std::string key(key_of(dimension, framework));
  const std::int64_t value = wanted.*dimension.member;
  const bool unset = value == 0 && framework == "megatron";
  out.dimensions.push_back({key, unset ? make_null() : make_integer(value)});
  // MaxText wants both widths alike where every layer has experts.
  if (framework == "maxtext" && dimension.member == &ModelShape::expert_ffn && !has_dense_layers(wanted))
    out.dimensions.push_back({"override_model.base_mlp_dim", make_integer(value)});
  if (framework != "megatron") return;
  if (dimension.member == &ModelShape::kv_heads)
    out.dimensions.push_back({"group_query_attention", make_boolean(wanted.kv_heads != wanted.heads)});
  if (dimension.member == &ModelShape::layers && wanted.experts > 0 && has_dense_layers(wanted))
    out.dimensions.push_back({"moe_layer_freq", make_string(expert_layers(wanted))});
}

}  // namespace

ModelChoice choose_preset(const ModelShape& model, std::string_view named, const Backend& target,
                          std::span<const PresetShape> presets) {
  const auto by_name = std::ranges::find(presets, named, &PresetShape::name);
  // The table's preset, where its dimensions are not known.
  if (!named.empty() && by_name == presets.end())
    return {.preset = std::string(named), .dimensions = {}, .remarks = {}};
  const PresetShape* best = nullptr;
  Distance least;
  for (const PresetShape& preset : presets) {
    if (!same_architecture(model, preset.model)) continue;
    const Distance one = distance(model, preset, named);
    if (best == nullptr || one < least) best = &preset, least = one;
  }
  if (by_name != presets.end() && (best == nullptr || least.count > 0)) best = &*by_name;
  if (best == nullptr) throw TranslateError(fmt::format("{} has no preset of this architecture", target.title()));
  ModelChoice out{.preset = best->name, .dimensions = {}, .remarks = {}};
  std::vector<std::size_t> written;
  std::vector<std::size_t> left;
  // The table's preset may be of another architecture than the experiment has made of it: told, not mended.
  const bool is_alike = same_architecture(model, best->model);
  for (const std::size_t i : differing(model, best->model)) {
    if (i >= own_dimensions || !is_alike) continue;  // the comparison of both models tells them
    (key_of(dimensions[i], target.name()).empty() ? left : written).push_back(i);
  }
  if (!left.empty() && best->name != named) {
    throw TranslateError(fmt::format("{} has no preset with the dimensions of this model; the nearest, {}, has {}",
                                     target.title(), best->name,
                                     described(differing(model, best->model), model, best->model)));
  }
  if (best->name != named && model.qk_norm != best->model.qk_norm) {
    out.remarks.push_back(fmt::format("model: queries and keys are {}normed in {}, and {} in the original",
                                      best->model.qk_norm ? "" : "not ", best->name,
                                      model.qk_norm ? "they are" : "are not"));
  }
  for (const std::size_t i : written) write_dimension(dimensions[i], model, target.name(), out);
  if (!written.empty()) {
    out.remarks.push_back(fmt::format("model: the nearest preset, {}, has {}; the overrides say the model's own",
                                      best->name, described(written, model, best->model)));
  }
  return out;
}

std::vector<std::string_view> dimension_keys(std::string_view framework) {
  std::vector<std::string_view> out;
  for (const Dimension& dimension : dimensions) {
    const std::string_view key = key_of(dimension, framework);
    if (!key.empty()) out.push_back(key);
  }
  if (framework == "megatron") out.insert(out.end(), {"group_query_attention", "moe_layer_freq"});
  return out;
}

}  // namespace primus_plan
