#pragma once

#include <string_view>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// Leaves the ranks out of the estimates where the degrees do not fill the devices, and lists them as what is not
/// known: no rank's share of the model can be told, let alone whether it fits.
inline void leave_out_unresolved_degrees(Workload& workload) {
  if (workload.run.degrees.data > 0) return;
  workload.run.stages.clear();
  workload.unknown.emplace_back("the parallel degrees");
}

/// Leaves sizes below 1, which no run has, out of the estimates, and lists their keys as what is not known: as factors
/// they would make bytes and FLOPs of less than nothing.
inline void leave_out_impossible_batch(Workload& workload, std::string_view micro_key, std::string_view sequence_key) {
  Batch& batch = workload.run.batch;
  if (batch.micro < 1) {
    batch.micro = 0;
    workload.unknown.push_back(micro_key);
  }
  if (batch.sequence_length < 1) {
    batch.sequence_length = 0;
    workload.unknown.push_back(sequence_key);
  }
}

}  // namespace primus_plan
