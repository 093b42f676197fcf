#include "backends/verdict.h"

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

Verdict verdict_of(const Analysis& analysis) {
  if (analysis.errors > 0) return Verdict::error;
  if (!analysis.is_judged) return Verdict::not_checked;
  return analysis.warnings > 0 ? Verdict::warning : Verdict::ok;
}

void recount(Analysis& analysis) {
  analysis.errors = 0;
  analysis.warnings = 0;
  for (const Finding& finding : analysis.findings) {
    if (finding.severity == Severity::error) ++analysis.errors;
    if (finding.severity == Severity::warning) ++analysis.warnings;
  }
  analysis.verdict = verdict_of(analysis);
}

}  // namespace primus_plan
