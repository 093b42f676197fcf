#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/report/why.h"
#include "primus_plan/support/text.h"
#include "report/paint.h"
#include "report/text_parts.h"
#include "report/why_steps.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

std::size_t widest(const std::vector<WhyStep>& steps, std::string WhyStep::*member) {
  std::size_t width = 0;
  for (const WhyStep& step : steps) width = std::max(width, display_width(step.*member));
  return width;
}

}  // namespace

std::string why_to_text(const FoundKey& found, const TextStyle& style) {
  const Paint paint(style.color);
  const std::vector<WhyStep> steps = why_steps(found);
  const std::string value = steps.empty() ? std::string("null") : steps.back().value;
  std::string text = paint.bold(fmt::format("{} = {}", escape_controls(found.key), value));
  if (found.module != nullptr) {
    text += fmt::format("  ({}, {})", escape_controls(found.module->name), escape_controls(found.module->framework));
  }
  text += '\n';
  const std::size_t layer_width = widest(steps, &WhyStep::layer);
  const std::size_t value_width = widest(steps, &WhyStep::value);
  for (const WhyStep& step : steps) {
    std::string line = fmt::format("  {}  {}", padded(step.layer, layer_width), padded(step.value, value_width));
    if (!step.place.empty()) line += "  " + escape_controls(step.place);
    if (!step.remark.empty()) line += fmt::format("  ({})", escape_controls(step.remark));
    line.erase(line.find_last_not_of(' ') + 1);
    text += (step.wins ? paint.bold(line) : paint.faint(line)) + '\n';
  }
  return wrapped_lines(text, style);
}

}  // namespace primus_plan
