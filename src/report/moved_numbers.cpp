#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "primus_plan/planner/compare.h"
#include "primus_plan/report/what_if.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

namespace {

/// How an estimate is told.
struct EstimateWords {
  std::string_view name;   ///< as in a comparison
  std::string_view label;  ///< as people read it
  std::string_view unit;
  int decimals = 0;
  bool relative = false;  ///< the difference is a share of what it was
  Trend when_more = Trend::neutral;
};
constexpr std::array<EstimateWords, 6> words{{
    {"parameters", "parameters", "10^9", 2, false, Trend::neutral},
    {"memory of the fullest GPU", "memory", "GiB", 1, false, Trend::worse},
    {"step", "step", "s", 2, true, Trend::worse},
    {"throughput", "tokens/s/GPU", "", 0, true, Trend::better},
    {"MFU", "MFU", "%", 1, false, Trend::better},
    {"pipeline bubble", "bubble", "%", 1, false, Trend::worse},
}};

std::string count(std::int64_t value) { return value > 0 ? with_commas(value) : "?"; }

std::string real(double value, int decimals) {
  if (decimals == 0) return with_commas(std::llround(value));
  return fmt::format("{:.{}f}", value, decimals);
}

/// A side without the estimate has no number; one with it may be 0.
MovedNumber moved(const EstimateDifference& row, const EstimateWords& how) {
  MovedNumber out{.name = how.label,
                  .unit = how.unit,
                  .before = row.before ? real(*row.before, how.decimals) : "?",
                  .after = row.after ? real(*row.after, how.decimals) : "?",
                  .difference = {}};
  out.moved = out.before != out.after;
  if (!row.before || !row.after || !out.moved) return out;
  const double difference = *row.after - *row.before;
  if (how.relative && *row.before > 0) {
    out.difference = fmt::format("{:+.1f} %", 100 * difference / *row.before);
  } else {
    const std::string_view unit = how.unit == "%" ? "points" : how.unit;
    out.difference = fmt::format("{:+.{}f}{}{}", difference, how.decimals, unit.empty() ? "" : " ", unit);
  }
  if (how.when_more == Trend::neutral) return out;
  const bool better = (difference > 0) == (how.when_more == Trend::better);
  out.trend = better ? Trend::better : Trend::worse;
  return out;
}

/// Shares of two peaks (bf16's and fp8's, say) are no measure of each other.
bool has_other_peak(const Change& change) {
  return change.before_estimate != nullptr && change.after_estimate != nullptr &&
         change.before_estimate->peak_flops != change.after_estimate->peak_flops;
}

}  // namespace

std::vector<MovedNumber> moved_numbers(const Change& change) {
  std::vector<MovedNumber> out;
  for (const RunNumber& row : run_numbers()) {
    const std::int64_t before = row.value(change.before.run);
    const std::int64_t after = row.value(change.after.run);
    if (before == after && !row.always) continue;
    out.push_back({.name = row.name,
                   .unit = {},
                   .before = count(before),
                   .after = count(after),
                   .difference = {},
                   .trend = Trend::neutral,
                   .moved = before != after});
  }
  for (const EstimateDifference& row :
       estimate_differences(change.before, change.before_estimate, change.after, change.after_estimate)) {
    const auto how = std::ranges::find(words, row.name, &EstimateWords::name);
    if (how == words.end()) continue;
    MovedNumber number = moved(row, *how);
    if (row.name == "MFU" && has_other_peak(change)) {
      number.name = "MFU, other peak";
      number.trend = Trend::neutral;
    }
    if (number.moved || how->when_more != Trend::neutral) out.push_back(std::move(number));
  }
  return out;
}

}  // namespace primus_plan
