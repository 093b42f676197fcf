#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "primus_plan/report/plan.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::size_t most_parts = 3;

/// A part in which two plans differ, positive where the other has more.
struct PartDifference {
  std::string_view name;
  double by = 0;
};

std::vector<PartDifference> largest(std::vector<PartDifference> parts, double least, bool positive) {
  std::erase_if(parts, [&](const PartDifference& part) { return positive ? part.by < least : part.by > -least; });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const PartDifference& a, const PartDifference& b) { return std::abs(a.by) > std::abs(b.by); });
  if (parts.size() > most_parts) parts.resize(most_parts);
  return parts;
}

/// GPU-seconds of a token by part, in shares of the winner's whole.
std::vector<PartDifference> time_differences(const ProposedPlan& winner, const ProposedPlan& other) {
  const auto cost = [](const ProposedPlan& plan) {
    const double tokens = static_cast<double>(std::max<std::int64_t>(plan.run.batch.tokens_per_step(), 1));
    return static_cast<double>(plan.point.candidate.world_size) / tokens;
  };
  const double whole = winner.estimate.step.seconds * cost(winner);
  std::vector<PartDifference> out;
  for (std::size_t i = 0; i < time_parts && whole > 0; ++i) {
    const double by = other.estimate.step.parts[i] * cost(other) - winner.estimate.step.parts[i] * cost(winner);
    out.push_back({to_string(static_cast<TimePart>(i)), by / whole});
  }
  return out;
}

std::vector<PartDifference> memory_differences(const ProposedPlan& winner, const ProposedPlan& other) {
  const auto fullest = [](const ProposedPlan& plan) {
    const MemoryEstimate& memory = plan.estimate.memory;
    return memory.stages.empty() ? StageMemory{} : memory.stages[memory.fullest];
  };
  const StageMemory a = fullest(winner);
  const StageMemory b = fullest(other);
  std::vector<PartDifference> out;
  for (std::size_t i = 0; i < memory_parts; ++i) {
    const auto part = static_cast<MemoryPart>(i);
    out.push_back({to_string(part), (b[part] - a[part]) / gib});
  }
  return out;
}

template <class Format>
std::string listed(const std::vector<PartDifference>& parts, Format&& format) {
  std::vector<std::string> words;
  words.reserve(parts.size());
  for (const PartDifference& part : parts) words.push_back(format(part));
  return join(words, ", ");
}

}  // namespace

namespace {

/// "plan 2 (PP 4)".
std::string named(const ProposedPlan& plan, int number) {
  return fmt::format("plan {} ({})", number, layout_text(plan.point.candidate));
}

}  // namespace

std::vector<std::string> compare_plans(const ProposedPlan& winner, const ProposedPlan& other) {
  std::vector<std::string> out;
  const double faster = winner.point.tokens_per_second_per_gpu / other.point.tokens_per_second_per_gpu - 1;
  const auto share = [](const PartDifference& part) {
    return fmt::format("{} {:.1f} %", part.name, 100 * std::abs(part.by));
  };
  constexpr double least_share = 0.002;
  const auto times = time_differences(winner, other);
  const auto lost = largest(times, least_share, true);
  const auto gained = largest(times, least_share, false);
  std::string sentence = fmt::format("{} is {:.1f} % {} than {}", named(winner, 1), 100 * std::abs(faster),
                                     faster < 0 ? "slower" : "faster", named(other, 2));
  if (!lost.empty()) sentence += fmt::format("; less time in {}", listed(lost, share));
  if (!gained.empty()) sentence += fmt::format("{} more in {}", lost.empty() ? ";" : ", but", listed(gained, share));
  out.push_back(std::move(sentence) + " (of its step)");
  const double more = (other.point.memory.expected - winner.point.memory.expected) / gib;
  const auto memory = memory_differences(winner, other);
  const auto parts = largest(memory, 0.5, more > 0);
  std::string memory_text = fmt::format("{} needs {:.1f} GiB {} on its fullest GPU", named(other, 2), std::abs(more),
                                        more > 0 ? "more" : "less");
  if (!parts.empty()) {
    memory_text +=
        ": " + listed(parts, [](const PartDifference& part) { return fmt::format("{} {:+.1f}", part.name, part.by); });
  }
  out.push_back(std::move(memory_text));
  return out;
}

namespace {

std::string nearest_text(const PlanReport& report) {
  const NearestPlan& nearest = report.result.nearest;
  if (!nearest.found) return {};
  std::string out = fmt::format("\na size that works: {}", counted(nearest.world_size, "GPU"));
  if (nearest.global_batch != report.request.task.global_batch)
    out += fmt::format(" with --global-batch {}", nearest.global_batch);
  return out + fmt::format(" ({}, {}: {:.0f} GiB a GPU)", layout_text(nearest.point.candidate),
                           settings_text(nearest.point.candidate, report.result.always_recomputes),
                           nearest.point.memory.expected / gib);
}

std::string reason_text(const PlanReport& report) {
  const PlanResult& result = report.result;
  const PlanRequest& request = report.request;
  if (!result.trouble.empty()) return result.trouble;
  std::string worlds = counted(request.worlds.empty() ? 0 : request.worlds.back(), "GPU");
  std::string out = fmt::format("no plan for {} on {} of {}", escape_controls(report.subject), worlds,
                                escape_controls(request.hardware.name));
  if (result.space == 0) return out + ": the axes that were given leave nothing to try";
  if (result.has_least_memory) {
    const PlanPoint& least = result.least_memory;
    const double have = request.hardware.memory_bytes;
    out += fmt::format(": the least that a legal plan needs is {:.0f} GiB on a GPU of {:.0f} ({}, {})",
                       least.memory.expected / gib, have / gib, layout_text(least.candidate),
                       settings_text(least.candidate, result.always_recomputes));
    return out;
  }
  const auto most =
      std::ranges::max_element(result.rejections.by_rule, {}, [](const auto& entry) { return entry.second; });
  if (most != result.rejections.by_rule.end()) {
    out += fmt::format(": all {} candidates are refused, most by {} {} ({})",
                       with_commas(static_cast<std::int64_t>(result.judged)), most->first->id, most->first->name,
                       most->first->summary);
  }
  return out;
}

}  // namespace

std::string explain_no_plan(const PlanReport& report) {
  const PlanResult& result = report.result;
  if (!result.complete && result.trouble.empty()) {
    return fmt::format(
        "no plan so far: the search was stopped when {} of {} candidates were judged, and none of these is legal and "
        "fits",
        with_commas(static_cast<std::int64_t>(result.judged)), with_commas(static_cast<std::int64_t>(result.space)));
  }
  return one_is_singular(reason_text(report) + nearest_text(report));
}

std::string plan_settings_text(const ProposedPlan& plan, const PlanReport& report) {
  return settings_text(plan.point.candidate, report.result.always_recomputes) +
         (report.is_file && plan.is_present ? ": the file as it is" : "");
}

std::string overrides_block(const CandidateOverrides& overrides, std::size_t indentation) {
  std::string out;
  const std::string indent(indentation, ' ');
  std::vector<std::string> done;
  for (const auto& [key, value] : overrides) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) {
      out += fmt::format("{}{}: {}\n", indent, key, value);
      continue;
    }
    const std::string section = key.substr(0, dot);
    if (std::ranges::find(done, section) != done.end()) continue;
    done.push_back(section);
    CandidateOverrides inner;
    for (const auto& [other, other_value] : overrides) {
      if (other.starts_with(section + ".")) inner.emplace_back(other.substr(dot + 1), other_value);
    }
    out += fmt::format("{}{}:\n{}", indent, section, overrides_block(inner, indentation + 2));
  }
  return out;
}

}  // namespace primus_plan
