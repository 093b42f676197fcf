#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "primus_plan/estimate/parameters.h"
#include "primus_plan/planner/compare.h"
#include "primus_plan/planner/translate.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// Norms and biases that no key of the target switches weigh less.
constexpr double same_size = 0.005;

std::int64_t layers_of(const ModelShape& model, Mixer mixer, FeedForward feed_forward) {
  std::int64_t out = 0;
  for (const LayerKind& kind : model.kinds) {
    if (kind.mixer == mixer && kind.feed_forward == feed_forward) out += kind.count;
  }
  return out;
}

/// As many layers of each kind, wherever they stand.
bool same_layers(const ModelShape& a, const ModelShape& b) {
  return std::ranges::all_of(a.kinds, [&](const LayerKind& kind) {
    return layers_of(a, kind.mixer, kind.feed_forward) == layers_of(b, kind.mixer, kind.feed_forward);
  });
}

bool same_number(double a, double b) { return std::fabs(a - b) <= same_size * std::max(a, b); }

/// Layers of each stage, over all its chunks.
std::vector<std::int64_t> stages_of(const Workload& run) {
  std::vector<std::int64_t> out;
  for (const std::vector<StageChunk>& chunks : run.run.stages) {
    std::int64_t& layers = out.emplace_back(0);
    for (const StageChunk& chunk : chunks) layers += chunk.layers;
  }
  return out;
}

std::string listed(const std::vector<std::int64_t>& layers) {
  std::string out;
  for (const std::int64_t count : layers) out += fmt::format("{}{}", out.empty() ? "" : ", ", count);
  return out;
}

std::vector<std::string> all_differences(const ModelShape& a, const ModelShape& b) {
  std::vector<std::string> out = model_differences(a, b);
  if (!same_layers(a, b) || !same_layers(b, a)) out.emplace_back("other kinds of layers");
  if (a.gated != b.gated) out.emplace_back(fmt::format("{}gated feed-forward blocks", b.gated ? "" : "no "));
  if (a.learned_positions != b.learned_positions)
    out.push_back(fmt::format("learned positions {} and {}", a.learned_positions, b.learned_positions));
  return out;
}

}  // namespace

ModelComparison compare_models(const ModelShape& original, const ModelShape& translation) {
  ModelShape a = original;
  ModelShape b = translation;
  if (a.vocabulary == 0) a.vocabulary = b.vocabulary;
  if (b.vocabulary == 0) b.vocabulary = a.vocabulary;
  const std::vector<std::string> differences = all_differences(a, b);
  ModelComparison out{.match = ModelMatch::same,
                      .original = model_parameters(a).total(),
                      .translation = model_parameters(b).total(),
                      .differences = join(differences, ", ")};
  if (differences.empty() && same_number(out.original, out.translation)) return out;
  // Without what no key of the target can say.
  a.mtp_depth = b.mtp_depth;
  a.shared_ffn = b.shared_ffn;
  const bool rest_is_same = all_differences(a, b).empty() && same_number(model_parameters(a).total(), out.translation);
  out.match = rest_is_same ? ModelMatch::told : ModelMatch::another;
  return out;
}

std::string to_sentence(const ModelComparison& comparison) {
  return fmt::format("{} parameters here, {} in the original{}{}", human_count(comparison.translation),
                     human_count(comparison.original),
                     comparison.differences.empty() ? "" : "; in the original and here: ", comparison.differences);
}

std::string stage_difference(const Workload& original, const Workload& translation) {
  const std::vector<std::int64_t> before = stages_of(original);
  const std::vector<std::int64_t> after = stages_of(translation);
  if (before == after || before.size() < 2 || before.size() != after.size()) return {};
  return fmt::format("pipeline: the stages hold {} layers here, {} in the original", listed(after), listed(before));
}

std::string sharding_difference(const Workload& original, const Workload& translation) {
  const Sharding& before = original.sharding;
  const Sharding& after = translation.sharding;
  if (before.state != StateSharding::weights || after.state != before.state) return {};
  if (before.dense_shards == after.dense_shards) return {};
  return fmt::format("sharding: {} ranks share a copy of the weights here, {} in the original", after.dense_shards,
                     before.dense_shards);
}

}  // namespace primus_plan
