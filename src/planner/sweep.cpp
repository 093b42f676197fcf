#include "primus_plan/planner/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/run/launch.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "support/whole_number.h"

namespace primus_plan {
namespace {

/// The values of A:B and A:B:STEP; nothing when the text is no range.
std::optional<std::vector<NodePtr>> range(std::string_view said, std::string_view values) {
  const std::size_t first = values.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = values.find(':', first + 1);
  const auto from = whole_number(values.substr(0, first));
  const auto to =
      whole_number(values.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
  const auto step = second == std::string_view::npos ? std::nullopt : whole_number(values.substr(second + 1));
  const bool adds = second != std::string_view::npos;
  if (!from || !to || (adds && !step)) {
    throw SweepError(fmt::format("{}: a range is A:B (doubling) or A:B:STEP (adding), in whole numbers", said));
  }
  if (*from < 1 || *to < *from || (adds && *step < 1)) {
    throw SweepError(
        fmt::format("{}: a range starts at 1 or above, and neither B below A nor a STEP below 1 "
                    "leads anywhere",
                    said));
  }
  const std::int64_t last = *to;
  const std::int64_t added = adds ? step.value_or(1) : 0;
  std::vector<NodePtr> out;
  for (std::int64_t value = *from; value <= last && out.size() <= most_sweep_points;) {
    out.push_back(make_integer(value));
    const std::int64_t jump = adds ? added : value;
    if (jump > last - value) break;
    value += jump;
  }
  return out;
}

std::vector<NodePtr> yaml_values(std::string_view said, std::string_view values, SweepAxis& axis) {
  axis.source = std::make_shared<const Source>("--over", fmt::format("[{}]", values));
  Remarks remarks;
  try {
    const NodePtr list = parse_yaml(*axis.source, Layer::command_line, {}, remarks);
    if (list->is_sequence() && !list->items.empty()) return list->items;
  } catch (const LoadError&) {
    throw SweepError(fmt::format("{}: the values are no YAML", said));
  }
  throw SweepError(fmt::format("{}: no values", said));
}

void require_sizes(std::string_view said, const SweepAxis& axis, bool is_launch) {
  for (const NodePtr& value : axis.values) {
    const bool is_size = value->kind == Kind::integer && value->integer >= 1;
    if (is_size && !(is_launch && value->integer > largest_launch)) continue;
    const std::string which =
        is_launch ? fmt::format("whole numbers from 1 to {}", largest_launch) : "positive whole numbers";
    throw SweepError(fmt::format("{}: {} takes {}, not {}", said, axis.name, which, to_text(*value)));
  }
}

Wish wish_of(const std::vector<SweepAxis>& axes, const std::vector<NodePtr>& values) {
  Wish out;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const ShortName* known = find_short_name(axes[i].name);
    if (known == nullptr) {
      out.keys.push_back({axes[i].name, values[i]});
    } else {
      ask_for(out, *known, values[i]->integer);
    }
  }
  return out;
}

/// Gives each kind of refusal its letter.
class Legend {
 public:
  char letter_of(const Trials& trials, const Wish& wish) {
    std::vector<const RuleInfo*> rules;
    std::string message = "this backend has no key for it";
    if (const auto told = trials.run(wish, true)) message = errors_of(told->analysis, rules);
    const auto [found, is_new] = known_.emplace(rules, reasons_.size());
    if (is_new) reasons_.push_back({.letter = next_letter(), .rules = rules, .message = std::move(message)});
    SweepReason& reason = reasons_[found->second];
    ++reason.points;
    return reason.letter;
  }
  std::vector<SweepReason> take() { return std::move(reasons_); }

 private:
  static std::string errors_of(const Analysis& analysis, std::vector<const RuleInfo*>& rules) {
    std::string first;
    for (const Finding& finding : analysis.findings) {
      if (finding.severity != Severity::error) continue;
      if (first.empty()) first = finding.message;
      if (std::ranges::find(rules, finding.rule) == rules.end()) rules.push_back(finding.rule);
    }
    std::ranges::sort(rules, {}, [](const RuleInfo* rule) { return rule->id; });
    return first;
  }

  char next_letter() const {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return reasons_.size() < letters.size() ? letters[reasons_.size()] : '*';
  }

  std::map<std::vector<const RuleInfo*>, std::size_t> known_;
  std::vector<SweepReason> reasons_;
};

void require_sane(const std::vector<SweepAxis>& axes) {
  std::int64_t points = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    points = saturating_multiply(points, static_cast<std::int64_t>(axes[i].values.size()));
    for (std::size_t other = 0; other < i; ++other) {
      if (axes[other].name == axes[i].name) throw SweepError(fmt::format("{} is given twice", axes[i].name));
    }
  }
  if (points > static_cast<std::int64_t>(most_sweep_points)) {
    throw SweepError(fmt::format("{} points are more than the {} of one sweep", with_commas(points),
                                 with_commas(static_cast<std::int64_t>(most_sweep_points))));
  }
}

/// Notes of a point that no point before has.
void add_notes(const Workload& workload, Sweep& out) {
  const auto add = [&out](std::string note) {
    if (std::ranges::find(out.notes, note) == out.notes.end()) out.notes.push_back(std::move(note));
  };
  if (out.hardware == nullptr || workload.model.kinds.empty()) return;
  const std::string reason = reason_without_step(workload, *out.hardware);
  if (!reason.empty()) return add("step time unknown: " + reason);
  for (std::string& remark : step_remarks(workload)) add(std::move(remark));
}

}  // namespace

SweepAxis parse_sweep_axis(const std::string& text, std::string_view command) {
  const std::string said = fmt::format("{} {}", command, text);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw SweepError(fmt::format("{}: expected NAME=VALUES, as in tp=1,2,4 or world=8:1024", said));
  }
  SweepAxis axis{.name = text.substr(0, equals), .values = {}, .source = nullptr};
  const std::string_view values = std::string_view(text).substr(equals + 1);
  auto numbers = range(said, values);
  axis.values = numbers ? *std::move(numbers) : yaml_values(said, values, axis);
  if (const ShortName* known = find_short_name(axis.name)) {
    axis.name = known->name;
    require_sizes(said, axis, known->key == nullptr);
  }
  return axis;
}

Sweep run_sweep(const Trials& trials, std::vector<SweepAxis> axes, const PlanControl& control) {
  require_sane(axes);
  Sweep out{
      .axes = std::move(axes), .points = {}, .legend = {}, .hardware = trials.hardware(), .unknown = {}, .notes = {}};
  Legend legend;
  std::vector<std::size_t> at(out.axes.size(), 0);
  std::size_t points = 1;
  for (const SweepAxis& axis : out.axes) points *= axis.values.size();
  while (true) {
    if (control.progress) control.progress(out.points.size(), points);
    if (control.stop && control.stop()) {
      out.complete = false;
      break;
    }
    SweepPoint point;
    for (std::size_t i = 0; i < at.size(); ++i) point.values.push_back(out.axes[i].values[at[i]]);
    const Wish wish = wish_of(out.axes, point.values);
    auto trial = trials.run(wish);
    if (!trial || !trial->is_legal()) point.letter = legend.letter_of(trials, wish);
    if (trial) {
      point.trial = *std::move(trial);
      const auto& workload = point.trial.analysis.workload;
      if (workload != nullptr && point.letter == 0) {
        if (out.unknown.empty()) out.unknown = workload->unknown;
        add_notes(*workload, out);
      }
    }
    out.points.push_back(std::move(point));
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == out.axes[axis - 1].values.size()) at[--axis] = 0;
    if (axis == 0) break;
  }
  out.legend = legend.take();
  return out;
}

}  // namespace primus_plan
