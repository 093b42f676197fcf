#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/estimate/pipeline.h"
#include "primus_plan/run/hardware.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

/// What the time of a step goes into.
enum class TimePart : std::uint8_t {
  matrices,          ///< matrix products of attention and dense feed-forward blocks
  experts,           ///< matrix products of the experts
  attention,         ///< the attention core, or another mixer's
  elementwise,       ///< norms, activations, residuals: bytes through memory
  logits,            ///< output layer and loss
  launch,            ///< the GPU waits for the host: kernel launches, expert dispatch
  recompute,         ///< forward passes made again
  tensor_exchange,   ///< tensor parallel communication that nothing hides
  context_exchange,  ///< context parallel communication that nothing hides
  expert_exchange,   ///< dispatch and combine of experts that nothing hides
  pipeline,          ///< waiting for other stages: the bubble
  data_exchange,     ///< gradients and sharded weights that nothing hides
  optimizer,
  fixed,  ///< once a step: data, logging, gradient norm
};
inline constexpr std::size_t time_parts = 14;

/// "matrix products", "expert exchange", …
std::string_view to_string(TimePart part);

using PartSeconds = std::array<double, time_parts>;

/// How long one step takes.
struct StepEstimate {
  double seconds = 0;  ///< of one step; 0 when the workload lacks what the estimate needs
  double low_seconds = 0;
  double high_seconds = 0;  ///< four of five published runs lie in the interval
  double tokens_per_second_per_gpu = 0;
  double flops_per_second_per_gpu = 0;          ///< the common count of estimate/flops.h
  double counted_flops_per_second_per_gpu = 0;  ///< as the framework's log counts them; 0 where it cannot
  double mfu = 0;                               ///< common count, of the part's dense peak for the format of the GEMMs
  double bubble_share = 0;                      ///< of the step, in which a pipeline rank waits for others
  PartSeconds parts{};                          ///< seconds on the rank that decides; they add up to `seconds`
  TimePart bottleneck = TimePart::matrices;     ///< the largest part that is no matrix product
};

/// Facts that users or earlier measurements put beside the model. See calibration.h.
struct StepOptions {
  bool simulate = false;     ///< play the schedule micro-batch by micro-batch; the closed form otherwise
  double compute_scale = 1;  ///< of all computing rates, times that of the part's calibration
};

/// Seconds of one step from the workload's shape and the part's rates. Pure; without simulation about a microsecond
/// and no allocation. Source of the form: kernels by floating point operations, bytes and launches, collectives by
/// bytes and links (Calculon, arXiv 2310.03763; SimuMax); constants in src/estimate/time_constants.h.
StepEstimate estimate_step(const Workload& workload, const Hardware& hardware, const StepOptions& options = {});

/// The seconds of each pipeline rank's chunks, for the simulation and for reports: [rank][chunk].
PipelineCosts pipeline_costs(const Workload& workload, const Hardware& hardware, const StepOptions& options = {});

/// "fp8", "mxfp8" (a scale for 32 numbers), "bf16" …: what matrix products are computed in.
std::string_view name_of(const Precision& precision);

/// Why a part has no rate for such matrix products: "A100-80GB does not compute in fp8". Empty where it has one.
std::string trouble_with_format(const Precision& precision, const Hardware& hardware);

/// Why there is no step time, as a sentence without its end; empty where there is one.
std::string reason_without_step(const Workload& workload, const Hardware& hardware);

/// What a step time leaves out, a sentence each: work of the host that is not timed, formats whose rate depends on the
/// software.
std::vector<std::string> step_remarks(const Workload& workload);

/// "After matrix products (58%) most time goes into pipeline bubble (18%): 8 pipeline stages share 16 micro-batches.":
/// the bottleneck in one sentence with its numbers. Empty when nothing was estimated.
std::string bottleneck_sentence(const StepEstimate& estimate, const Workload& workload);

}  // namespace primus_plan
