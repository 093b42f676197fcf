#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include "primus_plan/planner/short_names.h"
#include "primus_plan/planner/sweep.h"
#include "primus_plan/report/explain_key.h"
#include "primus_plan/report/sweep.h"
#include "primus_plan/support/text.h"
#include "report/paint.h"
#include "report/table.h"
#include "report/wrap.h"
#include "session/command.h"
#include "session/draw.h"

namespace primus_plan::session {

namespace {

/// A sweep with the run it began at.
struct Tried {
  EvaluationPtr run;
  Sweep sweep;
  bool was_stopped = false;
};

/// Refuses a value that is given twice.
void require_distinct(const SweepAxis& axis) {
  std::set<std::string> seen;
  for (const NodePtr& value : axis.values) {
    const std::string text = to_text(*value);
    if (!seen.insert(text).second) throw Refusal(fmt::format("try {}: {} is given twice", axis.name, text));
  }
}

std::vector<SweepAxis> read_axes(const Session& session, const Line& line) {
  std::vector<SweepAxis> axes;
  for (std::size_t i = 1; i < line.count(); ++i) {
    SweepAxis axis = parse_sweep_axis(line[i], "try");
    require_distinct(axis);
    const std::string fault = fault_of_axis_name(axis.name);
    if (!fault.empty() && session.now()->module().params->at_path(axis.name) == nullptr)
      throw Refusal(fmt::format("try {}: {}", axis.name, fault));
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::string fit_text(const Trial& trial) {
  if (!trial.estimate || !trial.estimate->fit) return "?";
  return *trial.estimate->fit == Fit::fits ? "yes" : *trial.estimate->fit == Fit::tight ? "tight" : "no";
}

/// Speed against the run as it is now.
std::string against(double now, double speed) {
  return now > 0 && speed > 0 ? fmt::format("{:+.1f} %", 100 * (speed / now - 1)) : std::string();
}

std::vector<std::string> row(const SweepPoint& point, double now) {
  std::vector<std::string> out;
  for (const NodePtr& value : point.values) out.push_back(escape_controls(to_text(*value)));
  if (point.letter != 0) {
    out.emplace_back(1, point.letter);
    return out;
  }
  const Trial& trial = point.trial;
  const double speed = trial.estimate ? trial.estimate->step.tokens_per_second_per_gpu : 0;
  const double bytes = trial.estimate ? trial.estimate->memory.device.expected : 0;
  out.insert(out.end(),
             {"", count_text(trial.analysis.run.degrees.data), count_text(trial.analysis.run.batch.accumulation_steps),
              bytes > 0 ? fmt::format("{:.0f}", bytes / gib) : "?", fit_text(trial),
              speed > 0 ? count_text(speed) : "?", against(now, speed)});
  return out;
}

/// The narrow one has numbers for long names, which are told above it, and short headings.
std::string table_text(const Tried& tried, const Paint& paint, bool narrow) {
  constexpr std::size_t long_name = 8;
  const std::array<const char*, 7> usual{"", "DP", "accum", "GiB", "fits", "tok/s/GPU", "against now"};
  const std::array<const char*, 7> small{"", "DP", "acc", "GiB", "fits", "tok/s", "change"};
  std::string names;
  std::vector<std::string> header;
  for (const SweepAxis& axis : tried.sweep.axes) {
    header.push_back(escape_controls(axis.name));
    if (!narrow || axis.name.size() <= long_name) continue;
    const std::string number = fmt::format("({})", header.size());
    names += fmt::format("  {} {}\n", number, header.back());
    header.back() = number;
  }
  for (const char* name : narrow ? small : usual) header.emplace_back(name);
  Table table(std::move(header));
  const double now = tried.run->fits() ? tried.run->estimate->step.tokens_per_second_per_gpu : 0;
  for (const SweepPoint& point : tried.sweep.points) table.add(row(point, now));
  return names + table.text(paint);
}

bool is_wider(const std::string& text, int columns) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (display_width(line) > static_cast<std::size_t>(columns)) return true;
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return false;
}

std::string tried_to_text(const Tried& tried, const TextStyle& style) {
  const bool narrow = style.wraps && is_wider(table_text(tried, Paint(false), false), style.width);
  std::string text = table_text(tried, Paint(style.color), narrow);
  for (const SweepReason& reason : tried.sweep.legend) {
    std::vector<std::string> rules;
    for (const RuleInfo* rule : reason.rules) rules.emplace_back(rule->id);
    text += wrapped(fmt::format("  {}  illegal: {}{}", reason.letter, escape_controls(reason.message),
                                rules.empty() ? "" : fmt::format(" [{}]", join(rules, ", "))),
                    5, style) +
            "\n";
  }
  if (tried.was_stopped) text += "  stopped; these are the first ones\n";
  return text;
}

}  // namespace

Result run_try(Session& session, const Line& line) {
  std::vector<SweepAxis> axes = read_axes(session, line);
  auto tried = std::make_shared<Tried>();
  tried->run = session.now();
  Result out;
  out.was_stopped = search_with(session.host(), "point", [&](const PlanControl& control) {
    tried->sweep = run_sweep(trials_from(session.subject(), *tried->run), std::move(axes), control);
  });
  tried->was_stopped = out.was_stopped && !tried->sweep.complete;
  out.text = [tried](const TextStyle& style) { return tried_to_text(*tried, style); };
  out.json = [tried] { return sweep_to_json({tried->run->analysis(), tried->sweep, tried->run->part.from}); };
  return out;
}

}  // namespace primus_plan::session
