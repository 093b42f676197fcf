#include "backends/megatron/rules/legal_values.h"

#include <algorithm>
#include <compare>
#include <functional>

#include "backends/common/say.h"
#include "backends/megatron/rules/rules.h"
#include "primus_plan/diagnostics/findings.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// Values tried on each side, and of a list: enough for the common factors of batches and degrees.
constexpr std::size_t most_tried = 32;
/// Far above any size of a run, far below where sums overflow.
constexpr Int largest_tried = Int{1} << 40;
/// Stages are kept one by one: a run with more of them takes long to derive again and again.
constexpr Int most_ranks_tried = 1 << 16;

/// How far a run is from starting. Without rank grids most rules are silent, which says nothing for it.
struct Badness {
  bool has_no_grid = false;
  std::size_t errors = 0;
  // clang-tidy 14 takes the 0 of the generated comparison for a pointer.
  auto operator<=>(const Badness&) const = default;  // NOLINT(modernize-use-nullptr)
};

bool is_better(const Badness& then, const Badness& now) {
  return then.has_no_grid <= now.has_no_grid && then.errors < now.errors;
}

Badness badness_of(const MegatronRun& run) {
  Findings findings(Findings::Detail::counts);
  for (const RuleList topic : all_rule_lists()) run_rules(topic, run, findings);
  return {.has_no_grid = run.dp() < 1 || run.degrees.expert_data < 1, .errors = findings.errors()};
}

/// How bad this run would be with other keys or elsewhere.
Badness badness_with(const MegatronRun& run, const MegatronConfig& config, const Launch& launch) {
  Rewrites rewrites(false);
  return badness_of(derive(config, run.parsed, launch, run.environment, run.module, rewrites));
}

/// How bad this run would be with another value of a key.
class Trial {
 public:
  Trial(const MegatronRun& run, NumberKey key) : run_(run), key_(key), config_(run.given) {}

  Badness operator()(Int value) {
    std::visit(
        [&](auto member) {
          auto& field = config_.*member;
          field.value = value;
          field.is_explicit = true;
          field.is_unreadable = false;
        },
        key_);
    return badness_with(run_, config_, run_.launch);
  }

 private:
  const MegatronRun& run_;
  NumberKey key_;
  MegatronConfig config_;
};

bool is_small(const MegatronRun& run) { return run.world() <= most_ranks_tried && run.pp() <= most_ranks_tried; }

using IsLegal = std::function<bool(Int value)>;

/// `first` or the first legal value behind it in strides of `stride`, as far as `last`; nothing without one.
std::optional<Int> first_legal(std::optional<Int> first, Int stride, Int last, const IsLegal& is_legal) {
  for (std::size_t tried = 0; first && tried < most_tried; ++tried) {
    if (stride > 0 ? *first > last : *first < last) break;
    if (is_legal(*first)) return first;
    *first += stride;
  }
  return std::nullopt;
}

/// The legal multiples of `step` next to `value`, `largest` at most.
std::vector<Int> legal_multiples(Int value, Int step, Int largest, const IsLegal& is_legal) {
  const Multiples next = nearest_multiples(value, step);
  std::vector<Int> out;
  if (const auto below = first_legal(next.below, -step, step, is_legal)) out.push_back(*below);
  if (const auto above = first_legal(next.above, step, largest, is_legal)) out.push_back(*above);
  return out;
}

}  // namespace

std::vector<Int> legal_among(const MegatronRun& run, NumberKey key, std::vector<Int> values) {
  if (values.empty() || !is_small(run) || values.size() > most_tried) return values;
  Trial trial(run, key);
  std::vector<Badness> tried;
  tried.reserve(values.size());
  for (const Int value : values) tried.push_back(trial(value));
  const Badness now = badness_of(run);
  const Badness best = std::ranges::min(tried);
  std::vector<Int> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_better(tried[i], now) || tried[i] == best) out.push_back(values[i]);
  }
  return out;
}

std::vector<Int> nearest_legal(const MegatronRun& run, NumberKey key, Int value, Int step, Int added) {
  const bool tries = is_small(run) && value < largest_tried && step < largest_tried;
  const Int sum = value < largest_tried ? value + added : value;
  std::vector<Int> out;
  if (tries) {
    out = legal_multiples(sum, step, largest_tried,
                          [&, trial = Trial(run, key), now = badness_of(run)](Int next) mutable {
                            return next > added && is_better(trial(next - added), now);
                          });
  }
  if (out.empty()) out = multiples_around(sum, step);
  for (Int& next : out) next -= added;
  std::erase_if(out, [](Int next) { return next < 1; });
  return out;
}

std::vector<Int> nearest_legal_worlds(const MegatronRun& run, Int smallest) {
  return legal_multiples(run.world(), smallest, most_ranks_tried, [&, now = badness_of(run)](Int world) {
    Launch launch = run.launch;
    launch.world_size = world;
    return is_better(badness_with(run, run.given, launch), now);
  });
}

}  // namespace primus_plan::megatron
