#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/report/why.h"
#include "primus_plan/support/text.h"
#include "report/paint.h"
#include "report/text_parts.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

/// "tensor_model_parallel_size, exp.yaml:12:34", or where there is no file the layer.
std::string key_text(const RunKey& key) {
  if (key.name == nullptr) return {};
  return fmt::format("{}, {}", key.name, to_string(key.origin));
}

}  // namespace

std::string why_to_text(const UnfoldedNumber& number, const Analysis& analysis, const TextStyle& style) {
  const Paint paint(style.color);
  std::string out = paint.bold(fmt::format("{} = {}", number.name, number.value)) +
                    fmt::format("  ({}, {})\n", escape_controls(analysis.module), escape_controls(analysis.framework));
  out += fmt::format("  = {}\n", number.formula);
  std::size_t names = 0;
  std::size_t values = 0;
  for (const MemoryInput& input : number.inputs) {
    names = std::max(names, display_width(input.name));
    values = std::max(values, display_width(input.value));
  }
  for (const MemoryInput& input : number.inputs) {
    const std::string key = escape_controls(key_text(input.key));
    std::string line = fmt::format("  {}  {}", padded(input.name, names), padded(input.value, values));
    if (!key.empty()) line += "  " + paint.faint(key);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return wrapped_lines(out, style);
}

}  // namespace primus_plan
