#include "primus_plan/planner/repair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "planner/one_fix.h"
#include "planner/repair_values.h"
#include "primus_plan/support/number.h"
#include "support/whole_number.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_shown = 3;
constexpr std::size_t most_values = 6;  ///< of one key

// What a change costs: a natural logarithm of tokens per step, and per doubling of a degree or of the micro-batch,
// which change memory and speed but not what is learned.
constexpr double degree_cost = 0.5;
constexpr double micro_batch_cost = 0.25;

/// -1 as the shard degree, in the frameworks that have a key for it: whatever the other degrees leave.
constexpr std::int64_t all_that_is_left = -1;

/// A key that repairs may change.
struct Knob {
  RunKey RunKeys::*key;
  std::int64_t Degrees::*degree;  ///< null for the batch keys
  std::int64_t Batch::*batch;
};
constexpr std::array<Knob, 10> knobs{{{&RunKeys::tensor, &Degrees::tensor, nullptr},
                                      {&RunKeys::pipeline, &Degrees::pipeline, nullptr},
                                      {&RunKeys::virtual_pipeline, &Degrees::virtual_pipeline, nullptr},
                                      {&RunKeys::context, &Degrees::context, nullptr},
                                      {&RunKeys::expert, &Degrees::expert, nullptr},
                                      {&RunKeys::expert_tensor, &Degrees::expert_tensor, nullptr},
                                      {&RunKeys::data_shard, &Degrees::data_shard, nullptr},
                                      {&RunKeys::micro_batch, nullptr, &Batch::micro},
                                      {&RunKeys::global_batch, nullptr, &Batch::global},
                                      {&RunKeys::sequence_length, nullptr, &Batch::sequence_length}}};

/// What changes the tokens of a step, by which it is judged when the change is known to be legal.
bool changes_tokens(const Knob& knob) { return knob.batch == &Batch::global || knob.batch == &Batch::sequence_length; }

/// A value to try for a knob.
struct Step {
  std::size_t knob = 0;
  std::int64_t to = 0;
  double cost = 0;
};

struct Attempt {
  std::vector<Step> steps;
  double cost = 0;
};

double doublings(std::int64_t from, std::int64_t to) {
  if (to == all_that_is_left) return 1;
  if (from < 1 || to < 1) return 4;
  return std::abs(std::log2(static_cast<double>(to) / static_cast<double>(from)));
}

/// The degrees that fit: divisors of the world, and for those that want fast links, of a node.
std::vector<std::int64_t> degree_values(const Knob& knob, const Launch& launch) {
  const bool in_node = knob.degree == &Degrees::tensor || knob.degree == &Degrees::expert_tensor;
  if (knob.degree == &Degrees::virtual_pipeline) return {1, 2, 3, 4, 5, 6, 8};
  std::vector<std::int64_t> values = divisors(launch.world_size);
  if (in_node) std::erase_if(values, [&](std::int64_t v) { return v > launch.gpus_per_node; });
  return values;
}

std::int64_t current(const Knob& knob, const RunDescription& run) {
  return knob.degree != nullptr ? run.degrees.*knob.degree : run.batch.*knob.batch;
}

class Search {
 public:
  Search(const Backend& backend, const Module& module, const Environment& environment, const Analysis& broken,
         std::size_t most_pairs)
      : backend_(backend),
        module_(module),
        environment_(environment),
        broken_(broken),
        most_pairs_(most_pairs),
        warnings_(decide({}).warnings) {}

  std::vector<Repair> run() {
    const std::vector<Step> singles = steps(broken_.run, knobs.size());
    std::vector<RunDescription> reached;
    for (const Step& step : singles) {
      const Analysis after = decide({step});
      if (is_repaired(after)) keep({{step}, step.cost}, after);
      reached.push_back(after.run);
    }
    if (found_.empty()) try_fixes();
    const auto judge_with_text = [&](const Module& written) { return judge(written, true); };
    const auto repairs = [&](const Module& changed) { return is_repaired(judge(changed)); };
    if (found_.empty() && !one_fix_is_enough(module_, judge_with_text, repairs)) try_pairs(singles, reached);
    std::ranges::stable_sort(found_, {}, &Found::cost);
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const Found& found : found_) fewest = std::min(fewest, std::max(found.warnings, warnings_));
    std::vector<Repair> out;
    for (Found& found : found_) {
      if (out.size() < most_shown && found.warnings <= fewest) out.push_back(std::move(found.repair));
    }
    return out;
  }

 private:
  struct Found {
    Repair repair;
    double cost = 0;
    std::size_t warnings = 0;
  };

  /// What can be changed in a run, the values nearest to the present ones first; `done` is the knob that was turned.
  std::vector<Step> steps(const RunDescription& run, std::size_t done) const {
    std::vector<Step> out;
    for (std::size_t i = 0; i < knobs.size(); ++i) {
      const Knob& knob = knobs[i];
      if (i == done || (run.keys.*knob.key).name == nullptr) continue;
      if (knob.degree == &Degrees::data_shard && !is_limited((run.keys.*knob.key).name)) continue;
      std::vector<Step> own;
      for (const std::int64_t value : values(knob, run)) {
        if (value != current(knob, run)) own.push_back({i, value, step_cost(knob, run, value)});
      }
      std::ranges::stable_sort(own, {}, &Step::cost);
      own.resize(std::min(own.size(), most_values));
      out.insert(out.end(), own.begin(), own.end());
    }
    return out;
  }

  /// Whether the module asks for a number of shards rather than for all that is left.
  bool is_limited(const char* key) const {
    const Node* asked = module_.params->at_path(key);
    return asked != nullptr && asked->kind == Kind::integer && asked->integer != all_that_is_left;
  }

  /// Whether the module leaves the global batch to follow from micro-batch and replicas: the key is there, and holds no
  /// number of samples.
  bool global_follows(const RunDescription& run) const {
    if (run.keys.global_batch.name == nullptr) return false;
    const Node* asked = module_.params->at_path(run.keys.global_batch.name);
    return asked == nullptr || asked->is_null() || (asked->kind == Kind::integer && asked->integer < 0);
  }

  std::vector<std::int64_t> batch_values(const RunDescription& run) const {
    if (run.keys.global_batch.name == nullptr) return halves_and_doubles(written(run.keys.micro_batch.name));
    return global_follows(run) ? free_micro_values(run) : micro_values(run);
  }

  std::vector<std::int64_t> values(const Knob& knob, const RunDescription& run) const {
    if (knob.batch == &Batch::global) return global_values(run);
    if (knob.batch == &Batch::micro) return batch_values(run);
    if (knob.batch == &Batch::sequence_length) return length_values(run);
    if (knob.degree == &Degrees::virtual_pipeline && run.degrees.virtual_pipeline < 2) return {};
    if (knob.degree == &Degrees::data_shard) return {all_that_is_left};
    return degree_values(knob, run.launch);
  }

  /// The number that the module has for a key; 1 where there is none.
  std::int64_t written(const char* key) const {
    const Node* asked = module_.params->at_path(key);
    return asked != nullptr && asked->kind == Kind::integer ? asked->integer : 1;
  }

  static double step_cost(const Knob& knob, const RunDescription& run, std::int64_t to) {
    const std::int64_t from = current(knob, run);
    if (changes_tokens(knob)) return tokens_cost(from, to);
    return doublings(from, to) * (knob.batch != nullptr ? micro_batch_cost : degree_cost);
  }

  static double tokens_cost(std::int64_t from, std::int64_t to) { return doublings(from, to) * std::log(2.0); }

  /// A key that is no knob may be the smallest change: the numbers that errors propose for one.
  void try_fixes() {
    for (const Finding& finding : broken_.findings) {
      for (const Fix& fix : finding.fixes) {
        const Edit* edit = fix.edits.size() == 1 && !fix.edits.front().insert_line ? &fix.edits.front() : nullptr;
        if (finding.severity != Severity::error || edit == nullptr) continue;
        const std::optional<std::int64_t> to = whole_number(edit->replacement);
        const std::string key = to ? path_at(*module_.params, edit->where) : std::string();
        const Node* now = module_.params->at_path(key);
        if (key.empty() || now == nullptr || now->kind != Kind::integer) continue;
        Module changed = module_;
        changed.params = with_value(changed.params, key, make_integer(*to, edit->where));
        const Analysis after = judge(changed);
        if (!is_repaired(after)) continue;
        const std::int64_t tokens = after.run.batch.tokens_per_step();
        found_.push_back(
            {.repair = {.changes = {{.key = key, .from = now->integer, .to = *to}}, .tokens_per_step = tokens},
             .cost = micro_batch_cost,
             .warnings = after.warnings});
      }
    }
  }

  void try_pairs(const std::vector<Step>& singles, const std::vector<RunDescription>& reached) {
    std::vector<Attempt> pairs;
    for (std::size_t i = 0; i < singles.size(); ++i) {
      // A length that fits the degrees as they are fits nothing once one of them has changed: it comes second.
      if (knobs[singles[i].knob].batch == &Batch::sequence_length) continue;
      for (const Step& second : steps(reached[i], singles[i].knob)) {
        pairs.push_back({{singles[i], second}, singles[i].cost + second.cost});
      }
    }
    std::ranges::stable_sort(pairs, {}, &Attempt::cost);
    std::set<std::array<std::int64_t, 4>> tried;
    for (const Attempt& pair : pairs) {
      if (tried.size() == most_pairs_ || found_.size() == most_shown) return;
      const auto [first, second] =
          std::minmax(pair.steps[0], pair.steps[1], [](const Step& a, const Step& b) { return a.knob < b.knob; });
      if (!tried
               .insert(
                   {static_cast<std::int64_t>(first.knob), first.to, static_cast<std::int64_t>(second.knob), second.to})
               .second) {
        continue;
      }
      const Analysis after = decide(pair.steps);
      if (is_repaired(after)) keep(pair, after);
    }
  }

  /// No error, and nothing new to be warned of. Where the degrees did not come out before, most rules were silent until
  /// now: what they warn of then need not come from the change.
  bool is_repaired(const Analysis& after) const {
    return after.errors == 0 && (after.warnings <= warnings_ || broken_.run.degrees.data < 1);
  }

  const char* key_of(const Step& step) const { return (broken_.run.keys.*knobs[step.knob].key).name; }

  Analysis decide(const std::vector<Step>& steps) const {
    Module changed = module_;
    for (const Step& step : steps) {
      const Node* before = module_.params->at_path(key_of(step));
      const Origin origin = before != nullptr ? before->origin : module_.origin;
      changed.params = with_value(changed.params, key_of(step), make_integer(step.to, origin));
    }
    return judge(changed);
  }

  Analysis judge(const Module& changed, bool with_text = false) const {
    return backend_.prepare(changed, environment_)->decide(broken_.run.launch, {.with_text = with_text});
  }

  /// Only now is it known what the change really does to tokens per step.
  void keep(const Attempt& attempt, const Analysis& after) {
    Found found{.repair = {.changes = {}, .tokens_per_step = after.run.batch.tokens_per_step()},
                .cost = 0,
                .warnings = after.warnings};
    for (const Step& step : attempt.steps) {
      const Node* before = module_.params->at_path(key_of(step));
      KeyChange change{.key = key_of(step), .from = {}, .to = step.to};
      if (before != nullptr && before->kind == Kind::integer) change.from = before->integer;
      if (change.from == change.to) return;
      found.repair.changes.push_back(std::move(change));
      if (!changes_tokens(knobs[step.knob])) found.cost += step.cost;
    }
    const std::int64_t before = broken_.run.batch.tokens_per_step();
    if (before > 0 && found.repair.tokens_per_step > 0) found.cost += tokens_cost(before, found.repair.tokens_per_step);
    found_.push_back(std::move(found));
  }

  const Backend& backend_;
  const Module& module_;
  const Environment& environment_;
  const Analysis& broken_;
  std::size_t most_pairs_;
  std::size_t warnings_;  ///< of the run as it is, by the rules that judge candidates
  std::vector<Found> found_;
};

/// Whether the knobs can have to do with an error: degrees, batch, layers, experts and sequence are numbered 1xx to 4xx
/// and 6xx. Memory (FTxxx) is not judged by the search.
bool is_about_sizes(const Finding& finding) {
  constexpr std::string_view topics = "12346";
  const std::string_view id = finding.rule->id;
  return !id.starts_with("CF") && !id.starts_with("FT") && id.size() > 2 &&
         topics.find(id[2]) != std::string_view::npos;
}

}  // namespace

NodePtr with_value(const NodePtr& params, std::string_view key, NodePtr value) {
  const std::size_t dot = key.find('.');
  const std::string_view name = key.substr(0, dot);
  const bool is_mapping = params != nullptr && params->is_mapping();
  std::vector<Entry> entries = is_mapping ? params->entries() : std::vector<Entry>();
  auto entry = std::ranges::find_if(entries, [&](const Entry& e) { return e.key->is_string() && e.key->text == name; });
  if (entry == entries.end()) {
    entries.push_back({.key = make_string(std::string(name)), .value = nullptr, .key_origin = {}, .history = nullptr});
    entry = entries.end() - 1;
  }
  if (dot != std::string_view::npos) value = with_value(entry->value, key.substr(dot + 1), std::move(value));
  entry->value = value;
  entry->history =
      std::make_shared<const Assignment>(Assignment{std::move(value), entry->key_origin, true, entry->history});
  auto node = std::make_shared<Node>();
  node->kind = Kind::mapping;
  if (is_mapping) node->origin = params->origin;
  node->set_entries(std::move(entries));
  return node;
}

std::vector<Repair> find_repairs(const Backend& backend, const Module& module, const Environment& environment,
                                 const Analysis& broken, std::size_t most_pairs) {
  const bool about_sizes = std::ranges::all_of(
      broken.findings, [](const Finding& f) { return f.severity != Severity::error || is_about_sizes(f); });
  if (broken.errors == 0 || !about_sizes || module.params == nullptr || broken.run.launch.world_size < 1) return {};
  return Search(backend, module, environment, broken, most_pairs).run();
}

}  // namespace primus_plan
