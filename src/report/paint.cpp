#include "report/paint.h"

#include <fmt/core.h>

namespace primus_plan {

std::string_view Paint::code(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "1;31";
    case Severity::warning:
      return "1;33";
    case Severity::note:
      break;
  }
  return "1;36";
}

std::string Paint::wrap(std::string_view code, std::string_view text) const {
  if (!color_ || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace primus_plan
