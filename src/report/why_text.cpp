#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "primus_plan/report/why.h"
#include "primus_plan/support/text.h"
#include "report/excerpt.h"
#include "report/paint.h"
#include "report/yaml_scalar.h"

namespace primus_plan {

namespace {

constexpr int longest_value = 60;

struct Step {
  std::string layer;
  std::string value;
  std::string place;
  std::string remark;
  bool wins = false;
};

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

Step describe(const Assignment& assignment, bool wins) {
  const Origin& own = assignment.value->origin;
  const Origin& origin = own ? own : assignment.key_origin;
  Step step{.layer = std::string(to_string(origin.layer)),
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
std::vector<Step> runtime_steps(const FoundKey& found) {
  std::vector<Step> steps;
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

std::vector<Step> all_steps(const FoundKey& found) {
  std::vector<Step> steps;
  if (found.entry != nullptr) {
    const auto ladder = weakest_first(*found.entry);
    for (const Assignment* assignment : ladder) steps.push_back(describe(*assignment, assignment == ladder.back()));
  }
  std::vector<Step> runtime = runtime_steps(found);
  if (!runtime.empty() && !steps.empty()) steps.back().wins = false;
  std::move(runtime.begin(), runtime.end(), std::back_inserter(steps));
  return steps;
}

std::size_t widest(const std::vector<Step>& steps, std::string Step::*member) {
  std::size_t width = 0;
  for (const Step& step : steps) width = std::max(width, display_width(step.*member));
  return width;
}

std::string padded(std::string text, std::size_t width) {
  text.append(width - std::min(width, display_width(text)), ' ');
  return text;
}

}  // namespace

std::string why_to_text(const FoundKey& found, const TextStyle& style) {
  const Paint paint(style.color);
  const std::vector<Step> steps = all_steps(found);
  const std::string value = steps.empty() ? std::string("null") : steps.back().value;
  std::string text = paint.bold(fmt::format("{} = {}", escape_controls(found.key), value));
  if (found.module != nullptr) {
    text += fmt::format("  ({}, {})", escape_controls(found.module->name), escape_controls(found.module->framework));
  }
  text += '\n';
  const std::size_t layer_width = widest(steps, &Step::layer);
  const std::size_t value_width = widest(steps, &Step::value);
  for (const Step& step : steps) {
    std::string line = fmt::format("  {}  {}", padded(step.layer, layer_width), padded(step.value, value_width));
    if (!step.place.empty()) line += "  " + escape_controls(step.place);
    if (!step.remark.empty()) line += fmt::format("  ({})", escape_controls(step.remark));
    line.erase(line.find_last_not_of(' ') + 1);
    text += (step.wins ? paint.bold(line) : paint.faint(line)) + '\n';
  }
  return text;
}

}  // namespace primus_plan
