#include "report/why_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "report/excerpt.h"
#include "report/yaml_scalar.h"

namespace primus_plan {

namespace {

constexpr int longest_value = 60;

std::string value_text(const Node& node) { return make_excerpt(yaml_flow(node), 0, 0, longest_value).line; }

/// "; $TP set" for each variable that took part.
std::string environment_text(const Node& node) {
  std::string text;
  for (const EnvironmentUse& use : node.environment) {
    if (!text.empty()) text += ", ";
    text += use.was_set ? fmt::format("${} is set", use.name) : fmt::format("${} is not set: its default", use.name);
  }
  return text;
}

/// The chain, weakest first. An assignment that lost (kept = false) is weaker than the one it met.
std::vector<const Assignment*> weakest_first(const Entry& entry) {
  std::vector<const Assignment*> newest_first;
  for (const Assignment* step = entry.history.get(); step != nullptr; step = step->previous.get())
    newest_first.push_back(step);
  std::vector<const Assignment*> ladder;
  for (auto step = newest_first.rbegin(); step != newest_first.rend(); ++step) {
    ladder.insert((*step)->kept || ladder.empty() ? ladder.end() : std::prev(ladder.end()), *step);
  }
  return ladder;
}

WhyStep describe(const Assignment& assignment, bool wins) {
  const Origin& own = assignment.value->origin;
  const Origin& origin = own ? own : assignment.key_origin;
  WhyStep step{.layer = std::string(to_string(origin.layer)),
               .value = value_text(*assignment.value),
               .place = origin ? to_string(origin) : std::string(),
               .remark = wins ? "" : (assignment.kept ? "overridden" : "lost: a stronger layer had set it"),
               .wins = wins};
  const std::string environment = environment_text(*assignment.value);
  if (!environment.empty()) step.remark += (step.remark.empty() ? "" : "; ") + environment;
  return step;
}

const Node* effective_value(const FoundKey& found) {
  if (found.analysis == nullptr) return nullptr;
  for (const auto& [key, value] : found.analysis->effective) {
    if (key == found.key) return value.get();
  }
  return nullptr;
}

/// What the runtime does with the value; nothing when it takes it as it is or is not known to change it.
std::vector<WhyStep> runtime_steps(const FoundKey& found) {
  std::vector<WhyStep> steps;
  if (found.analysis == nullptr) return steps;
  for (const Rewrite& rewrite : found.analysis->rewrites) {
    if (rewrite.key == found.key) steps.push_back({"runtime", rewrite.to, "", rewrite.because, true});
  }
  const Node* effective = effective_value(found);
  const bool told =
      !steps.empty() || effective == nullptr || (found.entry != nullptr && same_value(*effective, *found.entry->value));
  if (!told)
    steps.push_back(
        {"runtime", value_text(*effective), "", found.entry == nullptr ? "nobody sets it" : "derived", true});
  return steps;
}

}  // namespace

std::vector<WhyStep> why_steps(const FoundKey& found) {
  std::vector<WhyStep> steps;
  if (found.entry != nullptr) {
    const auto ladder = weakest_first(*found.entry);
    for (const Assignment* assignment : ladder) steps.push_back(describe(*assignment, assignment == ladder.back()));
  }
  std::vector<WhyStep> runtime = runtime_steps(found);
  if (!runtime.empty() && !steps.empty()) steps.back().wins = false;
  std::move(runtime.begin(), runtime.end(), std::back_inserter(steps));
  return steps;
}

}  // namespace primus_plan
