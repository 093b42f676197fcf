#include "report/counts.h"

#include <fmt/core.h>

namespace primus_plan {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string counts_to_text(const Summary& summary) {
  std::string text;
  const auto add = [&text](std::size_t count, std::string_view noun) {
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(count, noun);
  };
  add(summary.errors, "error");
  add(summary.warnings, "warning");
  add(summary.notes, "note");
  return text;
}

}  // namespace primus_plan
