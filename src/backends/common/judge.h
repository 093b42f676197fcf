#pragma once

#include <span>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/backends/candidates.h"
#include "primus_plan/diagnostics/findings.h"
#include "primus_plan/run/rewrite.h"

namespace primus_plan {

/// The rules of one topic.
template <class Run>
using RulesOf = std::span<const Rule<Run>>;

/// Every rule of some topics, in their order.
template <class Run>
std::vector<const RuleInfo*> rule_infos(std::span<const RulesOf<Run>> topics) {
  std::vector<const RuleInfo*> out;
  for (const RulesOf<Run>& topic : topics) {
    for (const Rule<Run>& rule : topic) out.push_back(&rule.info);
  }
  return out;
}

/// What a derived run comes to: every rule asked, and the run described by the backend's own describe() and
/// effective_values(). `rewrites` are those of the derivation.
template <class Run>
Analysis judge(const Run& run, std::span<const RulesOf<Run>> topics, Rewrites& rewrites,
               const AnalyzeOptions& options) {
  Findings findings(options.with_text ? Findings::Detail::text : Findings::Detail::counts);
  for (const RulesOf<Run>& topic : topics) run_rules(topic, run, findings);

  Analysis out;
  out.run = describe(run);
  out.errors = findings.errors();
  out.warnings = findings.warnings();
  if (options.with_text) {
    out.effective = effective_values(run);
    out.rewrites = rewrites.take();
    out.findings = findings.take();
  }
  return out;
}

/// The same without text, for candidates: topics after the first error are left out.
template <class Run>
CandidateVerdict judge_counts(const Run& run, std::span<const RulesOf<Run>> topics) {
  Findings findings(Findings::Detail::counts);
  for (const RulesOf<Run>& topic : topics) {
    run_rules(topic, run, findings);
    if (findings.errors() > 0) break;
  }
  return {findings.errors(), findings.warnings(), findings.first_error()};
}

}  // namespace primus_plan
