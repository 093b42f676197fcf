#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "planner/advise_parts.h"
#include "planner/rank.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_shown = 3;
constexpr double least_gain = 0.01;      ///< below, estimates say nothing
constexpr double worth_two_keys = 0.03;  ///< what a second change has to add to be chosen before the first alone

/// A change to try, and what it turns; two of one axis are never combined.
struct Move {
  std::string_view axis;
  Wish wish;
};

/// Values of one framework that trade memory for time, each whole.
struct Setting {
  std::string_view framework;
  std::string_view axis;
  std::vector<KeyValue> keys;
};

/// Layers of the largest model chunk.
std::int64_t largest_chunk(const RunDescription& run) {
  std::int64_t out = 0;
  for (const auto& chunks : run.stages) {
    for (const StageChunk& chunk : chunks) out = std::max(out, chunk.layers);
  }
  return out;
}

/// Megatron's recompute of some layers of each chunk: every number of them, or some that are spread evenly.
std::vector<Setting> block_settings(const RunDescription& run) {
  constexpr std::int64_t most_blocks = 8;
  const std::int64_t layers = largest_chunk(run);
  std::vector<Setting> out;
  const std::int64_t parts = std::min(layers, most_blocks + 1);
  for (std::int64_t i = 1; i < parts; ++i) {
    out.push_back({"megatron",
                   "recompute",
                   {{"recompute_granularity", make_string("full")},
                    {"recompute_method", make_string("block")},
                    {"recompute_num_layers", make_integer(layers * i / parts)}}});
  }
  return out;
}

/// TorchTitan's recompute of every n-th layer.
Setting every_nth_layer(int n) {
  return {"torchtitan",
          "recompute",
          {{"activation_checkpoint.mode", make_string("selective")},
           {"activation_checkpoint.selective_ac_option", make_string(std::to_string(n))}}};
}

std::vector<Setting> settings(const RunDescription& run) {
  const auto word = [](const char* text) { return make_string(text); };
  const NodePtr yes = make_boolean(true);
  std::vector<Setting> out{
      {"megatron",
       "recompute",
       {{"recompute_granularity", make_null()},
        {"recompute_method", make_null()},
        {"recompute_num_layers", make_null()}}},
      {"megatron",
       "recompute",
       {{"recompute_granularity", word("selective")},
        {"recompute_method", make_null()},
        {"recompute_num_layers", make_null()}}},
      {"megatron",
       "recompute",
       {{"recompute_granularity", word("full")},
        {"recompute_method", word("uniform")},
        {"recompute_num_layers", make_integer(1)}}},
      {"megatron", "sharding", {{"use_distributed_optimizer", yes}}},
      {"megatron", "overlap", {{"overlap_grad_reduce", yes}, {"overlap_param_gather", yes}}},
      {"torchtitan", "recompute", {{"activation_checkpoint.mode", word("none")}}},
      {"torchtitan",
       "recompute",
       {{"activation_checkpoint.mode", word("selective")}, {"activation_checkpoint.selective_ac_option", word("op")}}},
      every_nth_layer(2),
      every_nth_layer(3),
      every_nth_layer(4),
      {"torchtitan", "recompute", {{"activation_checkpoint.mode", word("full")}}},
      {"torchtitan", "sharding", {{"parallelism.fsdp_reshard_after_forward", word("never")}}},
      {"maxtext", "recompute", {{"remat_policy", word("none")}}},
      {"maxtext", "recompute", {{"remat_policy", word("minimal_with_context")}}},
      {"maxtext", "recompute", {{"remat_policy", word("save_dot_with_context_except_mlp")}}},
      {"maxtext", "recompute", {{"remat_policy", word("save_qkv_proj")}}},
      {"maxtext", "recompute", {{"remat_policy", word("full")}}},
  };
  std::ranges::move(block_settings(run), std::back_inserter(out));
  return out;
}

constexpr std::array degree_axes{std::pair<std::string_view, std::int64_t Degrees::*>{"tensor", &Degrees::tensor},
                                 std::pair<std::string_view, std::int64_t Degrees::*>{"pipeline", &Degrees::pipeline},
                                 std::pair<std::string_view, std::int64_t Degrees::*>{"context", &Degrees::context},
                                 std::pair<std::string_view, std::int64_t Degrees::*>{"expert", &Degrees::expert}};

/// Half and double of every degree and of the micro-batch, chunks of the pipeline, and the framework's settings.
std::vector<Move> single_moves(const Trial& now, std::string_view framework) {
  std::vector<Move> out;
  const RunDescription& run = now.analysis.run;
  const auto batch_kept = [&](Wish wish) {
    wish.global = run.batch.global;  // MaxText's follows from the devices: say what stays
    return wish;
  };
  for (const auto& [axis, member] : degree_axes) {
    const std::int64_t value = run.degrees.*member;
    if (member == &Degrees::expert && run.experts == 0) continue;
    for (const std::int64_t to : {value / 2, saturating_multiply(value, 2)}) {
      if (to < 1 || to == value) continue;
      if (member == &Degrees::tensor && to > run.launch.gpus_per_node) continue;
      Wish wish;
      wish.degrees.*member = to;
      out.push_back({axis, batch_kept(wish)});
    }
  }
  for (const std::int64_t chunks : {1, 2, 4}) {
    if (run.degrees.pipeline < 2 || chunks == run.degrees.virtual_pipeline) continue;
    Wish wish;
    wish.degrees.virtual_pipeline = chunks;
    out.push_back({"chunks", wish});
  }
  for (const std::int64_t micro :
       {run.batch.micro / 2, saturating_multiply(run.batch.micro, 2), saturating_multiply(run.batch.micro, 4)}) {
    if (micro < 1) continue;
    Wish wish;
    wish.micro = micro;
    out.push_back({"micro-batch", run.keys.global_batch.name != nullptr ? batch_kept(wish) : wish});
  }
  for (Setting& setting : settings(run)) {
    if (setting.framework != framework) continue;
    Wish wish;
    wish.keys = std::move(setting.keys);
    out.push_back({setting.axis, std::move(wish)});
  }
  return out;
}

Wish joined(const Wish& a, const Wish& b) {
  Wish out = a;
  const auto take = [](std::int64_t& to, std::int64_t from) {
    if (from > 0) to = from;
  };
  for (const auto& [axis, member] : degree_axes) take(out.degrees.*member, b.degrees.*member);
  take(out.degrees.virtual_pipeline, b.degrees.virtual_pipeline);
  take(out.micro, b.micro);
  take(out.global, b.global);
  out.keys.insert(out.keys.end(), b.keys.begin(), b.keys.end());
  return out;
}

double tokens_of(const Trial& trial) { return trial.estimate ? trial.estimate->step.tokens_per_second_per_gpu : 0; }
double memory_of(const Trial& trial) { return trial.estimate ? trial.estimate->memory.device.expected : 0; }

struct Scored {
  Trial trial;
  std::string what;
  std::set<std::string_view> axes;
  double gain = 0;
};

class Search {
 public:
  Search(const Trials& trials, const Trial& now, const Module& module) : trials_(trials), now_(now), module_(module) {}

  void run(Advice& out) {
    std::vector<Move> moves = single_moves(now_, trials_.framework());
    std::erase_if(moves, [this](const Move& move) { return is_so_already(move); });
    std::vector<double> alone;  // what each makes by itself
    alone.reserve(moves.size());
    for (const Move& move : moves) alone.push_back(try_wish(move.wish, {move.axis}, 0, 0));
    for (std::size_t i = 0; i < moves.size(); ++i) {
      for (std::size_t j = i + 1; j < moves.size(); ++j) {
        if (moves[i].axis == moves[j].axis) continue;
        try_wish(joined(moves[i].wish, moves[j].wish), {moves[i].axis, moves[j].axis}, std::max(alone[i], alone[j]),
                 worth_two_keys);
      }
    }
    std::ranges::stable_sort(found_, std::greater<>(), &Scored::gain);
    // What only needs less is no advice beside what fits.
    if (std::ranges::any_of(found_, [](const Scored& scored) { return scored.trial.may_fit(); }))
      std::erase_if(found_, [](const Scored& scored) { return !scored.trial.may_fit(); });
    out.tried = tried_;
    std::vector<std::set<std::string_view>> shown;
    for (Scored& scored : found_) {
      if (out.top.size() == most_shown) break;
      // One change of each kind: another value of the same keys is no other advice.
      if (std::ranges::find(shown, scored.axes) != shown.end()) continue;
      shown.push_back(scored.axes);
      const double gain = tokens_of(scored.trial) / tokens_of(now_) - 1;
      out.top.push_back({std::move(scored.what), std::move(scored.trial), gain});
    }
    std::ranges::stable_sort(out.top, std::greater<>(),
                             [this](const TopChange& change) { return worth_of(change.trial); });
  }

 private:
  /// Of a framework's setting: the module has its values.
  bool is_so_already(const Move& move) const {
    return !move.wish.keys.empty() && describe_changes(module_, move.wish.keys).empty();
  }

  /// What a trial gains, a tight one less by its price. Where the run does not fit now, what runs at all comes before
  /// everything else, and of the rest counts what it saves.
  double worth_of(const Trial& trial) const {
    constexpr double runs_at_all = 1000;
    if (!trial.may_fit()) return (memory_of(now_) - memory_of(trial)) / memory_of(now_);
    const double gain = tokens_of(trial) / tokens_of(now_) / price_of(trial.estimate->fit.value_or(Fit::fits)) - 1;
    return now_.may_fit() ? gain : runs_at_all + gain;
  }

  /// Keeps what fits and is faster; where the run does not fit now, what fits, or at least needs less. `part`: what the
  /// better of two changes makes alone, which both together must exceed. Gives what it is worth; 0 for what is no
  /// advice.
  double try_wish(const Wish& wish, std::set<std::string_view> axes, double part, double handicap) {
    ++tried_;
    auto trial = trials_.run(wish);
    if (!trial || !trial->is_legal() || !trial->estimate || tokens_of(*trial) <= 0 || tokens_of(now_) <= 0) return 0;
    if (trial->analysis.run.batch.global != now_.analysis.run.batch.global) return 0;
    const bool is_faster = tokens_of(*trial) / tokens_of(now_) - 1 >= least_gain;
    const double worth = worth_of(*trial);
    if (now_.may_fit() ? !trial->may_fit() || !is_faster : worth <= 0) return 0;
    if (part > 0 && worth < part + least_gain) return 0;
    std::string what = describe_changes(module_, trial->changes);
    if (what.empty()) return 0;
    found_.push_back({*std::move(trial), std::move(what), std::move(axes), worth - handicap});
    return worth;
  }

  const Trials& trials_;
  const Trial& now_;
  const Module& module_;
  std::vector<Scored> found_;
  std::size_t tried_ = 0;
};

}  // namespace

void find_top_changes(const Trials& trials, const Trial& now, const Module& module, Advice& out) {
  Search(trials, now, module).run(out);
}

std::string describe_changes(const Module& module, const std::vector<KeyValue>& changes) {
  std::vector<std::string> out;
  for (const KeyValue& change : changes) {
    const Node* before = module.params != nullptr ? module.params->at_path(change.key) : nullptr;
    const std::string from = before != nullptr ? to_text(*before) : "unset";
    const std::string to = to_text(*change.value);
    if (from == to || (before == nullptr && change.value->is_null())) continue;
    out.push_back(fmt::format("{} {} -> {}", change.key, from, to));
  }
  return join(out, ", ");
}

std::string first_error(const Trials& trials, const Wish& wish) {
  const auto told = trials.run(wish, true);
  if (!told) return "this framework has no key for it";
  for (const Finding& finding : told->analysis.findings) {
    if (finding.severity == Severity::error) {
      return fmt::format("{} {}: {}", finding.rule->id, finding.rule->name, finding.message);
    }
  }
  return {};
}

}  // namespace primus_plan
