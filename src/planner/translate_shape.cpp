#include "planner/translate_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/translate_dimensions.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// What leaves the model of this kind without it: told by numbers, where the target has no key for it.
bool is_beside_the_model(const Dimension& dimension) {
  return dimension.member == &ModelShape::shared_ffn || dimension.member == &ModelShape::mtp_depth;
}

bool has_dense_layers(const ModelShape& model) {
  return std::ranges::any_of(model.kinds, [](const LayerKind& k) { return k.feed_forward == FeedForward::dense; });
}

/// Dimensions that say nothing of these two models.
bool is_idle(const Dimension& dimension, const ModelShape& a, const ModelShape& b) {
  if (dimension.member == &ModelShape::ffn) return !has_dense_layers(a) && !has_dense_layers(b);
  // Not known, or no such part.
  const bool nullable = dimension.member == &ModelShape::vocabulary || dimension.member == &ModelShape::rope_base;
  if (nullable) return a.*dimension.member == 0 || b.*dimension.member == 0;
  const bool latent = a.kv_rank > 0 && b.kv_rank > 0;
  if (dimension.member == &ModelShape::value_width) return !latent;
  return latent && (dimension.member == &ModelShape::head_width || dimension.member == &ModelShape::kv_heads);
}

/// Latents are always normed.
bool is_idle(const Property& property, const ModelShape& a, const ModelShape& b) {
  return property.member == &ModelShape::qk_norm && a.kv_rank > 0 && b.kv_rank > 0;
}

std::vector<std::size_t> differing(const ModelShape& wanted, const ModelShape& preset) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < model_dimensions().size(); ++i) {
    const bool same = wanted.*model_dimensions()[i].member == preset.*model_dimensions()[i].member;
    if (!same && !is_idle(model_dimensions()[i], wanted, preset)) out.push_back(i);
  }
  return out;
}

/// What no dimension can make of another model; empty for the same kinds of layers. A model of experts alone may stand
/// for one that begins with dense layers, never one without experts for another.
std::string_view other_architecture(const ModelShape& a, const ModelShape& b) {
  const auto has = [](const ModelShape& model, const LayerKind& kind) {
    return std::ranges::any_of(model.kinds, [&](const LayerKind& other) {
      return other.mixer == kind.mixer && other.feed_forward == kind.feed_forward;
    });
  };
  const auto covers = [&](const ModelShape& x, const ModelShape& y) {
    return std::ranges::all_of(x.kinds, [&](const LayerKind& kind) { return has(y, kind); });
  };
  const auto windowed = [](const ModelShape& model) {
    return std::ranges::any_of(model.kinds, [](const LayerKind& kind) { return kind.window > 0; });
  };
  if ((a.experts > 0) != (b.experts > 0)) return "experts";
  if (windowed(a) != windowed(b)) return "windows of attention";
  if (a.gated != b.gated) return "gates of feed-forward blocks";
  return covers(a, b) || covers(b, a) ? std::string_view() : "kinds of layers";
}

bool same_architecture(const ModelShape& a, const ModelShape& b) { return other_architecture(a, b).empty(); }

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
    out.count += model_dimensions()[i].member == &ModelShape::vocabulary ? another_family : 1;
  for (const Property& property : model_properties()) {
    const bool same = wanted.*property.member == preset.model.*property.member;
    if (!same && !is_idle(property, wanted, preset.model)) ++out.count;
  }
  // No preset without shared experts stands for a model that has them, but the one that the table names.
  if ((wanted.shared_ffn > 0) != (preset.model.shared_ffn > 0)) out.count += another_family;
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
    const auto member = model_dimensions()[i].member;
    words.push_back(fmt::format("{} {} instead of {}", model_dimensions()[i].name, preset.*member, wanted.*member));
  }
  return join(words, ", ");
}

/// Layers without experts that a model of experts begins with.
std::int64_t leading_dense(const ModelShape& model) {
  std::int64_t dense = 0;
  for (const LayerKind& kind : model.kinds) {
    if (kind.feed_forward != FeedForward::dense) break;
    dense += kind.count;
  }
  return dense;
}

/// Dense layers, then experts, or the one or the other.
bool begins_dense(const ModelShape& model) {
  bool experts = false;
  for (const LayerKind& kind : model.kinds) {
    if (experts && kind.feed_forward == FeedForward::dense) return false;
    experts |= kind.feed_forward == FeedForward::experts;
  }
  return true;
}

/// Where the experts begin, for models that begin with dense layers; others are left to their presets.
void write_leading_dense(const ModelShape& wanted, const ModelShape& preset, std::string_view framework,
                         ModelChoice& out) {
  const std::int64_t dense = leading_dense(wanted);
  const bool mixed = wanted.experts > 0 && (has_dense_layers(wanted) || has_dense_layers(preset));
  const bool same = dense == leading_dense(preset) && wanted.layers == preset.layers && begins_dense(preset);
  if (!mixed || same || !begins_dense(wanted)) return;
  if (framework == "megatron") {
    // A preset's list is as long as its own layers.
    out.dimensions.push_back(
        {"moe_layer_freq", make_string(fmt::format("([0]*{}+[1]*{})", dense, wanted.layers - dense))});
  } else if (wanted.kv_rank > 0) {
    const char* key = framework == "torchtitan" ? "model.n_dense_layers" : "override_model.first_num_dense_layers";
    out.dimensions.push_back({key, make_integer(dense)});
  }
}

void write_dimension(const Dimension& dimension, const ModelShape& wanted, const ModelShape& preset,
                     std::string_view framework, ModelChoice& out) {
  const std::int64_t value = wanted.*dimension.member;
  const bool unset = value == 0 && framework == "megatron";
  out.dimensions.push_back(
      {std::string(key_of(dimension, framework, preset)), unset ? make_null() : make_integer(value)});
  // MaxText wants both widths alike where every layer has experts.
  if (framework == "maxtext" && dimension.member == &ModelShape::expert_ffn && !has_dense_layers(wanted))
    out.dimensions.push_back({"override_model.base_mlp_dim", make_integer(value)});
  if (framework == "megatron" && dimension.member == &ModelShape::kv_heads)
    out.dimensions.push_back({"group_query_attention", make_boolean(wanted.kv_heads != wanted.heads)});
}

/// Properties that differ are switched where there is a key, else told.
void write_properties(const ModelShape& wanted, const PresetShape& preset, std::string_view framework,
                      ModelChoice& out) {
  for (const Property& property : model_properties()) {
    const bool has = wanted.*property.member;
    if (has == preset.model.*property.member || is_idle(property, wanted, preset.model)) continue;
    const std::string_view key = key_of(property, framework, preset.model);
    if (key.empty()) {
      out.remarks.push_back(fmt::format("model: {} has {}{}, the original {}", preset.name, has ? "no " : "",
                                        property.name, has ? "has" : "has not"));
    } else {
      const bool inverted = framework == "megatron" && property.inverted;
      out.dimensions.push_back({std::string(key), make_boolean(has != inverted)});
    }
  }
}

void write_over(const ModelShape& model, const PresetShape& preset, std::string_view framework, ModelChoice& out) {
  std::vector<std::size_t> written;
  for (const std::size_t i : differing(model, preset.model)) {
    if (key_of(model_dimensions()[i], framework, preset.model).empty()) continue;
    write_dimension(model_dimensions()[i], model, preset.model, framework, out);
    written.push_back(i);
  }
  write_leading_dense(model, preset.model, framework, out);
  write_properties(model, preset, framework, out);
  if (written.empty()) return;
  out.remarks.push_back(fmt::format("model: the nearest preset, {}, has {}; the overrides say the model's own",
                                    preset.name, described(written, model, preset.model)));
}

/// Dimensions that make another model and that the target has no key for.
std::vector<std::size_t> left_out(const ModelShape& model, const PresetShape& preset, std::string_view named,
                                  std::string_view framework) {
  std::vector<std::size_t> out;
  for (const std::size_t i : differing(model, preset.model)) {
    const bool told = is_beside_the_model(model_dimensions()[i]) &&
                      (preset.name == named || model_dimensions()[i].member == &ModelShape::mtp_depth);
    if (!told && key_of(model_dimensions()[i], framework, preset.model).empty()) out.push_back(i);
  }
  return out;
}

/// Why no preset makes this model: the table's preset of another architecture, or the nearest and where it differs.
std::string why_not(const ModelShape& model, const PresetShape* named, const PresetShape* nearest,
                    const Backend& target) {
  if (named != nullptr && !same_architecture(model, named->model)) {
    return fmt::format("{}'s {} differs from this model in its {}", target.title(), named->name,
                       other_architecture(model, named->model));
  }
  if (nearest == nullptr) return fmt::format("{} has no preset of this architecture", target.title());
  return fmt::format("{} has no preset with the dimensions of this model; the nearest, {}, has {}", target.title(),
                     nearest->name, described(differing(model, nearest->model), model, nearest->model));
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
  const bool is_named = by_name != presets.end();
  const auto left_of = [&](const PresetShape& preset) { return left_out(model, preset, named, target.name()); };
  const bool named_stands = is_named && same_architecture(model, by_name->model) && left_of(*by_name).empty();
  if (named_stands && least.count > 0) best = &*by_name;
  if (best == nullptr || !left_of(*best).empty()) {
    throw TranslateError(why_not(model, is_named ? &*by_name : nullptr, best, target));
  }
  ModelChoice out{.preset = best->name, .dimensions = {}, .remarks = {}};
  write_over(model, *best, target.name(), out);
  return out;
}

}  // namespace primus_plan
