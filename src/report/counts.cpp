#include "report/counts.h"

#include <cstdint>

#include "primus_plan/support/number.h"

namespace primus_plan {

std::string counts_to_text(const Summary& summary) {
  std::string text;
  const auto add = [&text](std::size_t count, std::string_view noun) {
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(static_cast<std::int64_t>(count), noun);
  };
  add(summary.errors, "error");
  add(summary.warnings, "warning");
  add(summary.notes, "note");
  return text;
}

}  // namespace primus_plan
