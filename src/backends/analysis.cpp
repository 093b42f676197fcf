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

void recount(Analysis& analysis) {
  analysis.errors = 0;
  analysis.warnings = 0;
  for (const Finding& finding : analysis.findings) {
    if (finding.severity == Severity::error) ++analysis.errors;
    if (finding.severity == Severity::warning) ++analysis.warnings;
  }
  if (analysis.errors > 0) {
    analysis.verdict = Verdict::error;
  } else if (!analysis.is_judged) {
    analysis.verdict = Verdict::not_checked;
  } else {
    analysis.verdict = analysis.warnings > 0 ? Verdict::warning : Verdict::ok;
  }
}

}  // namespace primus_plan
