#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "primus_plan/report/plan.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/paint.h"
#include "report/table.h"
#include "report/text_parts.h"
#include "report/wrap.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_rules = 6;
constexpr std::size_t most_neighbours = 24;

std::string number(std::size_t value) { return with_commas(static_cast<std::int64_t>(value)); }

std::string worlds_text(const PlanRequest& request) {
  std::vector<std::string> words;
  words.reserve(request.worlds.size());
  for (const std::int64_t world : request.worlds) words.push_back(fmt::format("{}", world));
  return join(words, ", ");
}

std::string head(const PlanReport& report, const Paint& paint) {
  const PlanRequest& request = report.request;
  const PlanResult& result = report.result;
  std::string out =
      fmt::format("{} on {} x {} ({:.0f} GiB, {} a node), {}\n", paint.bold(escape_controls(report.subject)),
                  worlds_text(request), escape_controls(request.hardware.name), request.hardware.memory_bytes / gib,
                  request.task.gpus_per_node, report.framework);
  out += fmt::format(
      "  batch     {} of {} = {} tokens a step ({})\n", counted(request.task.global_batch, "sample"),
      counted(request.task.sequence_length, "token"),
      human_count(static_cast<double>(request.task.global_batch) * static_cast<double>(request.task.sequence_length)),
      report.batch_source);
  out += fmt::format("  hardware  {} ({})\n", request.hardware.name, report.hardware_source);
  const std::size_t too_large = result.rejections.too_large;
  out += fmt::format("  searched  {}{}: {} judged ({} against a rule, {} too large, {} fit, in {}), {} not judged\n",
                     counted(static_cast<std::int64_t>(result.space), "candidate"),
                     result.complete ? "" : paint.severity(Severity::warning, ", stopped before the end"),
                     number(result.judged), number(result.judged - too_large - result.points.size()), number(too_large),
                     number(result.points.size()), counted(static_cast<std::int64_t>(result.layouts), "layout"),
                     number(result.space - result.judged));
  for (const std::string& note : result.notes) out += fmt::format("  note      {}\n", note);
  return out;
}

using enum Table::Side;

std::string memory_text(const PlanPoint& point) {
  return fmt::format("{:.0f} ({:.0f}-{:.0f}){}", point.memory.expected / gib, point.memory.low / gib,
                     point.memory.high / gib, point.fit == Fit::tight ? " tight" : "");
}

/// Tokens/s of a GPU.
std::string rate_text(const PlanPoint& point) { return with_commas(std::llround(point.tokens_per_second_per_gpu)); }

std::string warnings_text(const ProposedPlan& plan) {
  const auto warnings = static_cast<std::int64_t>(plan.warnings);
  return warnings == 0 ? std::string() : fmt::format(" ({})", counted(warnings, "warning"));
}

bool several_worlds(const PlanReport& report) { return report.request.worlds.size() > 1; }

std::vector<std::string> plan_row(const ProposedPlan& plan, const std::string& name, const PlanReport& report) {
  const PlanPoint& point = plan.point;
  std::vector<std::string> row{name};
  if (several_worlds(report)) row.push_back(fmt::format("{}", point.candidate.world_size));
  row.insert(row.end(),
             {layout_text(point.candidate), fmt::format("{}", plan.run.degrees.data),
              with_commas(plan.run.batch.accumulation_steps), memory_text(point), rate_text(point),
              fmt::format("{:.1f} %", 100 * plan.estimate.counted_mfu()), seconds_text(point.seconds),
              fmt::format("{:.1f} %", 100 * point.bubble_share), plan.crossing.empty() ? "-" : join(plan.crossing, " "),
              plan_settings_text(plan, report) + warnings_text(plan)});
  return row;
}

std::string plan_table(const std::vector<ProposedPlan>& plans, const PlanReport& report, bool numbered,
                       const TextStyle& style) {
  std::vector<Table::Side> sides{right};
  std::vector<std::string> names{"#"};
  if (several_worlds(report)) {
    sides.push_back(right);
    names.emplace_back("GPUs");
  }
  for (const Table::Side side : {left, right, right, left, right, right, right, right, left, left})
    sides.push_back(side);
  for (const char* name :
       {"layout", "DP", "accum", "GiB a GPU", "tokens/s/GPU", "MFU", "step", "bubble", "across nodes", "settings"}) {
    names.emplace_back(name);
  }
  Table table(std::move(names), std::move(sides));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    table.add(plan_row(plans[i], numbered ? fmt::format("{}", i + 1) : "", report));
  }
  return table.text(Paint(style.color), style);
}

std::string reasons(const PlanResult& result) {
  if (!result.runner_up) return "  no other layout is legal and fits\n";
  std::string out;
  for (const std::string& sentence : compare_plans(result.plans.front(), *result.runner_up))
    out += "  " + sentence + "\n";
  return out;
}

std::string sensitivity(const PlanResult& result, const TextStyle& style) {
  Table table({left, left, left, left});
  const PlanPoint& winner = result.plans.front().point;
  const auto value = [&](PlanAxis axis, std::int64_t of) {
    const bool least = result.always_recomputes && axis == PlanAxis::recompute;
    return least && of == static_cast<std::int64_t>(RecomputeLevel::none) ? "least" : value_text(axis, of);
  };
  std::size_t rows = 0;
  for (const Neighbour& step : result.sensitivity) {
    if (rows++ == most_neighbours) break;
    const std::string name =
        fmt::format("{} {} -> {}", label_of(step.axis), value(step.axis, step.from), value(step.axis, step.to));
    if (step.rejected_by != nullptr) {
      table.add({name, "illegal", std::string(step.rejected_by->id), std::string(step.rejected_by->name)});
      continue;
    }
    const double memory = (step.point.memory.expected - winner.memory.expected) / gib;
    const std::string space = fmt::format("{:+.1f} GiB", memory);
    if (step.point.fit == Fit::does_not_fit) {
      table.add({name, "does not fit", space, ""});
      continue;
    }
    const double faster = step.point.tokens_per_second_per_gpu / winner.tokens_per_second_per_gpu - 1;
    table.add(
        {name, fmt::format("{:+.1f} % tokens/s", 100 * faster), space, step.point.fit == Fit::tight ? "tight" : ""});
  }
  return table.text(Paint(style.color), style);
}

std::string rejections(const PlanResult& result, const TextStyle& style) {
  std::vector<std::pair<const RuleInfo*, std::size_t>> rules(result.rejections.by_rule.begin(),
                                                             result.rejections.by_rule.end());
  std::sort(rules.begin(), rules.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first->id < b.first->id;
  });
  Table table({right, left, left});
  for (std::size_t i = 0; i < std::min(rules.size(), most_rules); ++i) {
    table.add({number(rules[i].second), std::string(rules[i].first->id), std::string(rules[i].first->summary)});
  }
  std::size_t others = 0;
  for (std::size_t i = most_rules; i < rules.size(); ++i) others += rules[i].second;
  if (others > 0) table.add({number(others), "", fmt::format("by {} other rules", rules.size() - most_rules)});
  const Rejections& all = result.rejections;
  if (all.too_large > 0) table.add({number(all.too_large), "", "legal, but more memory than there is"});
  if (all.unjudged > 0)
    table.add({number(all.unjudged), "", "not judged: they need no less than one that does not fit"});
  const std::size_t unseen = result.space - result.judged - all.unjudged;
  if (unseen > 0) table.add({number(unseen), "", "not judged: the search was stopped before"});
  return table.text(Paint(style.color), style);
}

std::string confidence(const PlanResult& result) {
  const PlanPoint& winner = result.plans.front().point;
  const double below = 100 * (1 - winner.low_seconds / winner.seconds);
  const double above = 100 * (winner.high_seconds / winner.seconds - 1);
  std::string out =
      fmt::format("  the step of the first plan lies between -{:.0f} % and +{:.0f} % in four of five published runs; ",
                  below, above);
  if (result.indistinguishable == 0) {
    out += "no other layout comes that near\n";
  } else {
    out += fmt::format("{} of {} other layouts come that near: measure the first few\n",
                       number(result.indistinguishable), number(result.layouts - 1));
  }
  return out;
}

/// "; the first plan makes +29.2 %", against the file as it is.
std::string first_against(const PlanReport& report, const PresentPlan& now) {
  if (report.result.plans.empty() || now.point.tokens_per_second_per_gpu <= 0) return {};
  const ProposedPlan& first = report.result.plans.front();
  if (first.is_present) return "; the first plan is just that";
  const std::int64_t world = first.point.candidate.world_size;
  const std::string where =
      world == now.run.launch.world_size ? "" : fmt::format(" a GPU, on {}", counted(world, "GPU"));
  constexpr double least_shown = 0.05;  // percent
  const double faster = 100 * (first.point.tokens_per_second_per_gpu / now.point.tokens_per_second_per_gpu - 1);
  if (std::abs(faster) < least_shown) return "; the first plan is as fast" + where;
  return fmt::format("; the first plan makes {:+.1f} %{}", faster, where);
}

std::string present(const PlanReport& report) {
  const PresentPlan& now = report.result.present;
  if (!report.is_file) return {};
  const std::string what = fmt::format("  the file as it is, on {}", counted(now.run.launch.world_size, "GPU"));
  if (!now.is_legal) return what + ": illegal (primus-plan check says why)\n";
  if (!now.is_estimated) return {};
  if (now.point.fit == Fit::does_not_fit)
    return what + fmt::format(": {:.0f} GiB a GPU, which does not fit\n", now.point.memory.expected / gib);
  if (!now.no_seconds.empty())
    return what + fmt::format(": {} GiB a GPU, step time unknown: {}\n", memory_text(now.point), now.no_seconds);
  const std::string out = what + fmt::format(": {} tokens/s/GPU, {} GiB a GPU, a step of {}", rate_text(now.point),
                                             memory_text(now.point), seconds_text(now.point.seconds));
  const Batch& own = now.run.batch;
  const PlanTask& task = report.request.task;
  if (own.global != task.global_batch || own.sequence_length != task.sequence_length) {
    return out + fmt::format(", with its own batch of {} of {}\n", counted(own.global, "sample"),
                             counted(own.sequence_length, "token"));
  }
  return out + first_against(report, now) + "\n";
}

}  // namespace

std::string plan_to_text(const PlanReport& report, const TextStyle& style) {
  const Paint paint(style.color);
  const PlanResult& result = report.result;
  if (result.points.empty()) {
    std::string out = wrapped_lines(explain_no_plan(report), style) + "\n";
    if (result.judged > 0) out += "\n" + paint.bold("turned down") + "\n" + rejections(result, style);
    return out;
  }
  std::string out = wrapped_lines(head(report, paint) + present(report), style) + "\n";
  out += plan_table(result.plans, report, true, style);
  if (style.quiet) return out;
  out += "\n" + paint.bold("why the first") + "\n" + wrapped_lines(reasons(result), style);
  out += "\n" + paint.bold("memory against throughput (Pareto front)") + "\n" +
         plan_table(result.front, report, false, style);
  out += "\n" + paint.bold("one step from the first") + "\n" + sensitivity(result, style);
  out += "\n" + paint.bold("turned down") + "\n" + rejections(result, style);
  out += "\n" + paint.bold("confidence") + "\n" + wrapped_lines(confidence(result), style);
  return out;
}

}  // namespace primus_plan
