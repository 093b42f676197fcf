#include "primus_plan/planner/translate.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "planner/translate_parts.h"
#include "planner/translate_shape.h"
#include "primus_plan/planner/repair.h"
#include "primus_plan/run/workload.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// Keys that the experiment itself writes and that nothing here has read.
void list_lost(const Node& mapping, const std::string& prefix, const std::set<std::string, std::less<>>& read,
               std::vector<Untranslated>& out) {
  for (const Entry& entry : mapping.entries()) {
    if (!entry.key->is_string() || entry.value == nullptr) continue;
    const std::string key = prefix.empty() ? entry.key->text : prefix + "." + entry.key->text;
    if (entry.value->is_mapping() && !entry.value->entries().empty()) {
      list_lost(*entry.value, key, read, out);
    } else if (is_written(entry.value->origin) && !read.contains(key)) {
      out.push_back({key, to_text(*entry.value)});
    }
  }
}

const TranslateWords& words_of(std::string_view framework) {
  for (const TranslateWords* words : translate_words()) {
    if (words->framework == framework) return *words;
  }
  throw TranslateError(fmt::format("no translation is known for framework {}", framework));
}

/// The value that says "off" in the target where the source has it off; null where it is on.
NodePtr off_in(const CarriedNumber& to, const CarriedNumber& from, const Node& value) {
  if (!from.off || !to.off || !value.is_number()) return nullptr;
  const double number = value.kind == Kind::real ? value.real : static_cast<double>(value.integer);
  const bool is_off = *from.off > 0 ? number >= *from.off : number <= *from.off;
  return is_off ? make_real(*to.off) : nullptr;
}

/// Optimizer and length of training: the numbers that all frameworks have under other names. Those that nothing sets
/// are said, too: the target's presets and defaults are others.
void carry_numbers(const Module& module, const TranslateWords& from, const TranslateWords& to, Carried& out) {
  for (std::size_t i = 0; i < carried_numbers; ++i) {
    NodePtr value = number_of(module, from.numbers[i]);
    if (value == nullptr) continue;
    if (NodePtr off = off_in(to.numbers[i], from.numbers[i], *value)) value = std::move(off);
    out.read.emplace(from.numbers[i].key);
    out.set(to.numbers[i].key, std::move(value));
  }
}

}  // namespace

Translation translate(const Module& module, const Analysis& analysis, const Backend& target,
                      std::span<const PresetShape> presets) {
  if (analysis.errors > 0 || analysis.workload == nullptr) {
    throw TranslateError("the experiment has errors: what it would run cannot be said in another framework");
  }
  if (module.framework == target.name()) {
    throw TranslateError(fmt::format("the module is {}'s already", target.title()));
  }
  const TranslateWords& from = words_of(module.framework);
  const TranslateWords& to = words_of(target.name());
  if (analysis.workload->model.kinds.empty()) throw TranslateError("the dimensions of the model are not known");
  const auto named = module.model ? model_preset_for(module.framework, *module.model, target.name())
                                  : std::optional<std::string_view>();
  ModelChoice model = choose_preset(analysis.workload->model, named.value_or(std::string_view()), target, presets);
  const Common run = common_terms(analysis);
  Carried carried;
  carried.values = std::move(model.dimensions);
  carried.remarks = std::move(model.remarks);
  for (const std::string_view key : from.understood) carried.read.emplace(key);
  for (std::string& key : dimension_keys(module.framework)) carried.read.insert(std::move(key));
  for (const RunKey* key :
       {&analysis.run.keys.tensor, &analysis.run.keys.pipeline, &analysis.run.keys.context, &analysis.run.keys.expert,
        &analysis.run.keys.expert_tensor, &analysis.run.keys.data_shard, &analysis.run.keys.data_replicate,
        &analysis.run.keys.micro_batch, &analysis.run.keys.global_batch, &analysis.run.keys.sequence_length}) {
    if (key->name != nullptr) carried.read.emplace(key->name);
  }
  to.degrees(run, target, carried);
  to.batch(run, carried);
  to.recompute(run, carried);
  to.sharding(run, carried);
  carry_numbers(module, from, to, carried);
  carry_schedule(module, from, to, carried);
  carry_precision(run.workload, to, carried);

  Translation out{.framework = std::string(target.name()),
                  .config = "pre_trainer.yaml",
                  .model = fmt::format("{}.yaml", model.preset),
                  .overrides = nullptr,
                  .lost = {},
                  .remarks = std::move(carried.remarks)};
  for (const KeyValue& change : carried.values) out.overrides = with_value(out.overrides, change.key, change.value);
  for (std::string& remark : out.remarks) remark = one_is_singular(std::move(remark));
  list_lost(*module.params, "", carried.read, out.lost);
  return out;
}

}  // namespace primus_plan
