#include "primus_plan/planner/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "config/key_names.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::array<RunNumber, 16> numbers{{
    {"world size", [](const RunDescription& run) { return run.launch.world_size; }, true},
    {"nodes", [](const RunDescription& run) { return run.launch.nodes; }},
    {"TP", [](const RunDescription& run) { return run.degrees.tensor; }},
    {"PP", [](const RunDescription& run) { return run.degrees.pipeline; }},
    {"VPP", [](const RunDescription& run) { return run.degrees.virtual_pipeline; }},
    {"CP", [](const RunDescription& run) { return run.degrees.context; }},
    {"EP", [](const RunDescription& run) { return run.degrees.expert; }},
    {"ETP", [](const RunDescription& run) { return run.degrees.expert_tensor; }},
    {"DP", [](const RunDescription& run) { return run.degrees.data; }, true},
    {"shard ranks", [](const RunDescription& run) { return run.degrees.data_shard; }},
    {"expert DP", [](const RunDescription& run) { return run.degrees.expert_data; }},
    {"micro-batch", [](const RunDescription& run) { return run.batch.micro; }},
    {"global batch", [](const RunDescription& run) { return run.batch.global; }, false, true},
    {"accumulation steps", [](const RunDescription& run) { return run.batch.accumulation_steps; }, true},
    {"sequence length", [](const RunDescription& run) { return run.batch.sequence_length; }, false, true},
    {"tokens a step", [](const RunDescription& run) { return run.batch.tokens_per_step(); }, false, true},
}};

using Values = std::map<std::string, NodePtr>;

void flatten(const Node& mapping, const std::string& prefix, Values& out) {
  for (const Entry& entry : mapping.entries()) {
    if (!entry.key->is_string() || entry.value == nullptr) continue;
    std::string key = prefix.empty() ? entry.key->text : prefix + "." + entry.key->text;
    if (entry.value->is_mapping() && !entry.value->entries().empty()) {
      flatten(*entry.value, key, out);
    } else {
      out[std::move(key)] = entry.value;
    }
  }
}

/// Every key with what the run makes of it.
Values values_of(const ComparedRun& run) {
  Values out;
  if (run.module.params != nullptr) flatten(*run.module.params, "", out);
  for (const auto& [key, value] : run.analysis.effective) out[key] = value;
  return out;
}

std::string text_of(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() || found->second == nullptr ? std::string() : to_text(*found->second);
}

/// Whether the framework, or Primus for it, reads a key or a mapping that holds it.
bool is_read(std::string_view framework, std::string_view key) {
  if (framework_key_names(framework).empty()) return true;  // nobody knows
  for (std::size_t end = key.find('.');; end = key.find('.', end + 1)) {
    if (find_read_key(framework, key.substr(0, end)) != nullptr) return true;
    if (end == std::string_view::npos) return false;
  }
}

bool is_derived(const ComparedRun& run, const std::string& key) {
  return std::ranges::any_of(run.analysis.effective, [&](const auto& one) { return one.first == key; });
}

std::vector<ValueDifference> value_differences(const ComparedRun& before, const ComparedRun& after) {
  const Values a = values_of(before);
  const Values b = values_of(after);
  Values all = a;
  all.insert(b.begin(), b.end());
  std::vector<ValueDifference> out;
  for (const auto& [key, ignored] : all) {
    ValueDifference difference{
        .key = key, .before = text_of(a, key), .after = text_of(b, key), .effect = effect_of(key)};
    if (!is_derived(before, key) && !is_derived(after, key) && !is_read(before.analysis.framework, key))
      difference.effect = Effect::unread;
    // A null that is written and a key that is not are the same to every framework's defaults but in name.
    const auto nothing = [](const std::string& text) { return text.empty() || text == "null"; };
    if (difference.before == difference.after || (nothing(difference.before) && nothing(difference.after))) continue;
    out.push_back(std::move(difference));
  }
  std::ranges::stable_sort(out, {}, &ValueDifference::effect);
  return out;
}

const GroupKind* find_group(const RankLayout* layout, std::string_view name) {
  if (layout == nullptr) return nullptr;
  const auto found = std::ranges::find(layout->groups, name, &GroupKind::name);
  return found == layout->groups.end() ? nullptr : &*found;
}

std::int64_t crossing(const RankLayout* layout, const GroupKind* kind) {
  if (kind == nullptr || kind->size() < 2 || layout->world_size <= layout->ranks_per_node) return 0;
  return kind->groups_across_nodes(layout->ranks_per_node);
}

void compare_groups(const ComparedRun& before, const ComparedRun& after, Comparison& out) {
  std::vector<std::string> names;
  for (const RankLayout* layout : {before.layout, after.layout}) {
    if (layout == nullptr) continue;
    for (const GroupKind& kind : layout->groups) {
      if (std::ranges::find(names, kind.name()) == names.end()) names.push_back(kind.name());
    }
  }
  for (const std::string& name : names) {
    const GroupKind* a = find_group(before.layout, name);
    const GroupKind* b = find_group(after.layout, name);
    const GroupDifference difference{.name = name,
                                     .size_before = a != nullptr ? a->size() : 0,
                                     .size_after = b != nullptr ? b->size() : 0,
                                     .crossing_before = crossing(before.layout, a),
                                     .crossing_after = crossing(after.layout, b)};
    const bool differs =
        difference.size_before != difference.size_after || difference.crossing_before != difference.crossing_after;
    if (differs) out.groups.push_back(difference);
  }
}

}  // namespace

std::span<const RunNumber> run_numbers() { return numbers; }

std::vector<const Finding*> findings_missing_from(const std::vector<Finding>& list,
                                                  const std::vector<Finding>& others) {
  std::vector<const Finding*> out;
  for (const Finding& finding : list) {
    const bool there = std::ranges::any_of(
        others, [&](const Finding& other) { return other.rule == finding.rule && other.message == finding.message; });
    if (!there) out.push_back(&finding);
  }
  return out;
}

std::vector<std::string> uncounted(const Analysis& run) {
  if (run.workload == nullptr || run.errors > 0) return {};
  return {run.workload->unknown.begin(), run.workload->unknown.end()};
}

std::string uncounted_text(const Analysis& before, const Analysis& after,
                           const std::pair<std::string_view, std::string_view>& names) {
  const std::vector<std::string> a = uncounted(before);
  const std::vector<std::string> b = uncounted(after);
  if (a == b) return a.empty() ? std::string() : fmt::format("the estimates do not count {}", join(a, ", "));
  std::string text;
  for (const auto& [name, facts] : {std::pair(names.first, a), std::pair(names.second, b)}) {
    if (facts.empty()) continue;
    text += fmt::format("{}{} has no estimate to compare: its config does not state {}", text.empty() ? "" : "; ", name,
                        join(facts, ", "));
  }
  return text;
}

std::vector<EstimateDifference> estimate_differences(const Analysis& before_run, const Estimate* before,
                                                     const Analysis& after_run, const Estimate* after) {
  if (uncounted(before_run) != uncounted(after_run)) {
    if (!uncounted(before_run).empty()) before = nullptr;
    if (!uncounted(after_run).empty()) after = nullptr;
  }
  const Estimate nothing;
  const Estimate& a = before != nullptr ? *before : nothing;
  const Estimate& b = after != nullptr ? *after : nothing;
  std::vector<EstimateDifference> out;
  bool has_a = before != nullptr;
  bool has_b = after != nullptr;
  const auto known = [](bool has, double value) { return has ? std::optional(value) : std::nullopt; };
  const auto add = [&](std::string_view name, std::string_view unit, double one, double other) {
    if (one > 0 || other > 0) out.push_back({name, unit, known(has_a, one), known(has_b, other)});
  };
  add("parameters", "10^9", a.parameters.total() / 1e9, b.parameters.total() / 1e9);
  has_a = !a.memory.stages.empty();
  has_b = !b.memory.stages.empty();
  add("memory of the fullest GPU", "GiB", a.memory.device.expected / gib, b.memory.device.expected / gib);
  has_a = a.step.seconds > 0;
  has_b = b.step.seconds > 0;
  add("step", "s", a.step.seconds, b.step.seconds);
  add("throughput", "tokens/s/GPU", a.step.tokens_per_second_per_gpu, b.step.tokens_per_second_per_gpu);
  add("MFU", "%", 100 * a.step.mfu, 100 * b.step.mfu);
  add("pipeline bubble", "%", 100 * a.step.bubble_share, 100 * b.step.bubble_share);
  return out;
}

bool Comparison::any_number_differs() const {
  return std::ranges::any_of(numbers, [](const NumberDifference& number) { return number.differs; });
}

Comparison compare_runs(const ComparedRun& before, const ComparedRun& after) {
  Comparison out;
  out.other_framework = before.analysis.framework != after.analysis.framework;
  if (!out.other_framework) out.values = value_differences(before, after);
  for (const RunNumber& number : run_numbers()) {
    const std::int64_t a = number.value(before.analysis.run);
    const std::int64_t b = number.value(after.analysis.run);
    if (a == b && !number.always) continue;
    out.numbers.push_back({number.name, a, b, a != b, number.trains});
    if (a != b && number.trains) out.trains_the_same = false;
  }
  for (const ValueDifference& value : out.values) {
    if (value.effect == Effect::trains) out.trains_the_same = false;
  }
  const auto& a = before.analysis.workload;
  const auto& b = after.analysis.workload;
  if (a != nullptr && b != nullptr && !model_differences(a->model, b->model).empty()) out.trains_the_same = false;
  out.estimates = estimate_differences(before.analysis, before.estimate, after.analysis, after.estimate);
  if (!out.other_framework) compare_groups(before, after, out);
  out.gone = findings_missing_from(before.analysis.findings, after.analysis.findings);
  out.fresh = findings_missing_from(after.analysis.findings, before.analysis.findings);
  out.checkpoint = checkpoint_loads(before, after);
  return out;
}

namespace {

bool has_dense_layers(const ModelShape& model) {
  return std::ranges::any_of(model.kinds, [](const LayerKind& k) { return k.feed_forward == FeedForward::dense; });
}

}  // namespace

std::vector<std::string> model_differences(const ModelShape& before, const ModelShape& after) {
  struct Dimension {
    std::string_view name;
    std::int64_t ModelShape::*member;
  };
  static constexpr std::array<Dimension, 13> dimensions{{{"layers", &ModelShape::layers},
                                                         {"hidden size", &ModelShape::hidden},
                                                         {"attention heads", &ModelShape::heads},
                                                         {"key-value heads", &ModelShape::kv_heads},
                                                         {"head width", &ModelShape::head_width},
                                                         {"feed-forward size", &ModelShape::ffn},
                                                         {"vocabulary", &ModelShape::vocabulary},
                                                         {"experts", &ModelShape::experts},
                                                         {"experts a token", &ModelShape::experts_per_token},
                                                         {"expert feed-forward size", &ModelShape::expert_ffn},
                                                         {"shared expert size", &ModelShape::shared_ffn},
                                                         {"latent rank of keys and values", &ModelShape::kv_rank},
                                                         {"prediction layers", &ModelShape::mtp_depth}}};
  std::vector<std::string> out;
  for (const Dimension& dimension : dimensions) {
    const std::int64_t a = before.*dimension.member;
    const std::int64_t b = after.*dimension.member;
    // Presets of models of experts alone may state the width of dense blocks or not.
    const bool is_idle = dimension.member == &ModelShape::ffn && !has_dense_layers(before) && !has_dense_layers(after);
    // A tokenizer that is only named may have any vocabulary.
    const bool is_unknown = dimension.member == &ModelShape::vocabulary && (a == 0 || b == 0);
    if (a != b && !is_idle && !is_unknown) out.push_back(fmt::format("{} {} and {}", dimension.name, a, b));
  }
  if (before.tied_embeddings != after.tied_embeddings) {
    out.push_back(fmt::format("output layer {} and {}", before.tied_embeddings ? "tied to the embedding" : "of its own",
                              after.tied_embeddings ? "tied to the embedding" : "of its own"));
  }
  return out;
}

}  // namespace primus_plan
