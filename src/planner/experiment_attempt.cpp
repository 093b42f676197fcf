#include "planner/experiment_attempt.h"

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/estimate/estimate.h"

namespace primus_plan {
namespace {

void add_findings(const Analysis& analysis, Attempt& out) {
  for (const Finding& finding : analysis.findings) {
    const bool error = finding.severity == Severity::error;
    if (finding.severity == Severity::note || out.verdict == Verdict::error) continue;
    if (!error && out.verdict != Verdict::ok) continue;
    out.verdict = error ? Verdict::error : Verdict::warning;
    out.message = finding.message;
  }
}

void add_estimate(const Analysis& analysis, const Hardware& hardware, Attempt& out) {
  if (analysis.workload == nullptr || !analysis.workload->unknown.empty()) return;
  const MemoryEstimate memory = estimate_memory(*analysis.workload, memory_device(&hardware));
  if (memory.stages.empty() || hardware.memory_bytes <= 0) return;
  out.bytes = memory.device.expected;
  out.fit = compare_with_hardware(memory, hardware.memory_bytes);
}

}  // namespace

Attempt try_out(const Making& making, const std::string& text) {
  const LoadResult loaded = making.loader.load_text("new.yaml", text, making.options);
  Attempt out;
  if (!loaded.errors.empty()) return {.verdict = Verdict::error, .message = loaded.errors.front().message};
  AnalyzeOptions how;
  how.with_workload = true;
  const Launch launch = sized_launch(making.task.gpus, making.task.gpus_per_node);
  for (const Experiment& experiment : loaded.experiments) {
    for (const Analysis& analysis : analyze(experiment, launch, making.loader.environment(), how)) {
      add_findings(analysis, out);
      add_estimate(analysis, making.request.hardware, out);
    }
  }
  return out;
}

std::optional<int> weight_of(const Attempt& attempt) {
  if (attempt.verdict == Verdict::error || attempt.fit == Fit::does_not_fit) return std::nullopt;
  return (attempt.fit == Fit::tight ? 2 : 0) + (attempt.verdict == Verdict::warning ? 1 : 0);
}

void Tried::add_need(double bytes) {
  if (bytes > 0 && (least_bytes == 0 || bytes < least_bytes)) least_bytes = bytes;
}

}  // namespace primus_plan
