#include <algorithm>
#include <cmath>

#include "estimate/pipeline_orders.h"
#include "estimate/transients.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Forward passes of chunk `chunk` before the first backward pass of an interleaved pipeline, where the ranks take a
/// group of micro-batches through a chunk before they go on to the next: see interleaved_group.
double interleaved(std::int64_t p, std::int64_t v, std::int64_t rank, std::int64_t chunk, std::int64_t micro_batches) {
  const std::int64_t group = interleaved_group(p, micro_batches);
  const std::int64_t before_first = saturating_multiply(v - 1, group) + 2 * (p - rank - 1) + 1;
  const std::int64_t warm_up = std::min(before_first, saturating_multiply(micro_batches, v));
  const std::int64_t blocks = warm_up / group;
  const std::int64_t whole = blocks / v + (chunk < blocks % v ? 1 : 0);
  const std::int64_t begun = chunk == blocks % v ? warm_up % group : 0;
  return as_double(whole * group + begun);
}

/// JAX's loop over the pipeline is differentiated once it has run to its end: every micro-batch is in flight, and the
/// iterations that fill and drain the pipeline keep as much as the others (micro-batches x repeats + stages - 1 of
/// them: MaxText/layers/pipeline.py, __call__). Layers that every rank has lie outside it, where the stages share the
/// batch.
double scanned(const Workload& workload, const StageChunk& chunk, double micro_batches) {
  const double p = as_double(static_cast<std::int64_t>(workload.run.stages.size()));
  if (lies_outside_pipeline(workload, chunk)) return std::max(1.0, micro_batches / p);
  return micro_batches + (p - 1) / as_double(std::max<std::int64_t>(1, workload.run.degrees.virtual_pipeline));
}

}  // namespace

double micro_batches_in_flight(const Workload& workload, std::size_t rank, std::size_t chunk) {
  const RunDescription& run = workload.run;
  const std::int64_t p = std::max<std::int64_t>(1, static_cast<std::int64_t>(run.stages.size()));
  const std::int64_t i = static_cast<std::int64_t>(rank);
  const std::int64_t in_step = run.batch.micro_batches_between_flushes();
  const std::int64_t m = in_step > 0 ? in_step : 4 * p;
  const double pd = as_double(p);
  if (is_scanned_pipeline(workload)) return scanned(workload, run.stages[rank][chunk], as_double(m));
  double n = 1;
  switch (p == 1 ? ScheduleKind::none : workload.schedule) {
    case ScheduleKind::none:
      return 1;
    case ScheduleKind::gpipe:
    case ScheduleKind::circular:
      n = as_double(m);
      break;
    case ScheduleKind::one_f_one_b:
      n = as_double(p - i);
      break;
    // Weight gradients that are put off keep what they read: (p - i) micro-batches whole and i that only wait for them.
    case ScheduleKind::zero_bubble_1:
      n = pd;
      break;
    case ScheduleKind::interleaved: {
      const auto v = std::max<std::int64_t>(1, static_cast<std::int64_t>(run.stages[rank].size()));
      n = interleaved(p, v, i, static_cast<std::int64_t>(chunk), m);
      break;
    }
    // Qi et al., Zero Bubble Pipeline Parallelism (ZB-H2) and Pipeline Parallelism with Controllable Memory (V-shapes);
    // DualPipe: the DeepSeek-V3 report, table 2.
    case ScheduleKind::zero_bubble_2:
      n = 2 * pd - 1;
      break;
    case ScheduleKind::v_zero_bubble:
      n = pd;
      break;
    case ScheduleKind::v_half:
      n = pd / 2 + 1;
      break;
    case ScheduleKind::v_min:
      n = pd / 3 + 1;
      break;
    case ScheduleKind::dual_pipe_v:
      n = pd + 1;
      break;
  }
  return std::max(1.0, std::min(n, as_double(m)));
}

}  // namespace primus_plan
