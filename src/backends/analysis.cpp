#include "primus_plan/backends/analysis.h"

namespace primus_plan {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::warning:
      return "warning";
    case Verdict::error:
      return "error";
    case Verdict::not_checked:
      return "not-checked";
  }
  return "ok";
}

}  // namespace primus_plan
