#include "estimate/memory_constants.h"
#include "primus_plan/estimate/measured.h"

namespace primus_plan {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// States of a stage from the middle of the pipeline, between the smallest and the largest.
MemoryRange states_of_layers(const MemoryEstimate& estimate) {
  MemoryRange out;
  for (std::size_t i = 0; i < estimate.stages.size(); ++i) {
    const StageMemory& s = estimate.stages[i];
    const double bytes = s[MemoryPart::weights] + s[MemoryPart::gradients] + s[MemoryPart::optimizer];
    if (i == 0 || bytes < out.low) out.low = bytes;
    if (i == 0 || bytes > out.high) out.high = bytes;
    if (i == estimate.stages.size() / 2) out.expected = bytes;
  }
  out.low *= 1 - memory_constants::states.below;
  out.high *= 1 + memory_constants::states.above;
  return out;
}

/// Activations of the first stage, without the output of the embedding.
MemoryRange activations_of_layers(Workload workload) {
  for (std::vector<StageChunk>& chunks : workload.run.stages) {
    for (StageChunk& chunk : chunks) chunk.embedding = false;
  }
  const double bytes = estimate_memory(workload).stages[0][MemoryPart::activations];
  return {0.9 * bytes, bytes, 1.1 * bytes};
}

}  // namespace

std::optional<MemoryRange> estimate_of_row(const MeasuredRow& row, const Workload& workload) {
  if (row.memory_gib <= 0 || !workload.unknown.empty()) return std::nullopt;
  const MemoryEstimate estimate = estimate_memory(workload, {.amd = row.gpu.starts_with("MI")});
  if (estimate.stages.empty()) return std::nullopt;
  const std::string_view kind = row.memory_kind;
  if (has(kind, "activations only")) return activations_of_layers(workload);
  if (has(kind, "params+grads")) return states_of_layers(estimate);
  if (has(kind, "allocated") || has(kind, "planned")) return estimate.allocated;
  if (has(kind, "reserved")) return estimate.reserved;
  return estimate.device;
}

}  // namespace primus_plan
