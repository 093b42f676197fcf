#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/run/workload.h"

namespace primus_plan {

/// What memory of one GPU is for.
enum class MemoryPart : std::uint8_t {
  weights,                ///< the rank's own share
  gathered_weights,       ///< whole copies that FSDP makes of weights it has shared out
  gradients,              ///< the rank's own share
  unsharded_gradients,    ///< whole gradients that FSDP has yet to reduce
  optimizer,              ///< main weights and moments
  placeholder_gradients,  ///< one for each shape of weight (Transformer Engine with fused gradient accumulation)
  activations,            ///< saved for the backward pass, all micro-batches in flight
  logits,                 ///< output of the last layer and the loss
  transients,             ///< what one layer or the output layer needs while it runs
  communication,          ///< buffers of collectives inside the allocator's memory
  reserve,                ///< what the caching allocator holds and does not use
  runtime,                ///< device context, RCCL or NCCL, all-to-all buffers: outside the allocator
};
inline constexpr std::size_t memory_parts = 12;

/// "weights", "gathered weights" …
std::string_view to_string(MemoryPart part);
/// The part of that name, with _ or - for a space; also "logits", "reserve", "runtime". Nothing for other words.
std::optional<MemoryPart> find_memory_part(std::string_view name);

/// Bytes of one GPU of a pipeline stage at its fullest.
struct StageMemory {
  std::array<double, memory_parts> parts{};
  double in_flight = 0;  ///< micro-batches whose activations are held at once, as whole stages

  double operator[](MemoryPart part) const { return parts[static_cast<std::size_t>(part)]; }
  double& operator[](MemoryPart part) { return parts[static_cast<std::size_t>(part)]; }
  double allocated() const;  ///< without reserve and runtime: what torch.cuda.max_memory_allocated gives
  double reserved() const;   ///< what torch.cuda.max_memory_reserved gives
  double device() const;     ///< everything: what rocm-smi or nvidia-smi shows
};

/// An expected value and the interval that most runs lie in, in bytes.
struct MemoryRange {
  double low = 0;
  double expected = 0;
  double high = 0;
};

struct MemoryEstimate {
  std::vector<StageMemory> stages;  ///< by pipeline rank; empty when the layers cannot be placed
  std::size_t fullest = 0;          ///< index of the stage that needs most
  MemoryRange allocated;            ///< of the fullest stage
  MemoryRange reserved;
  MemoryRange device;
};

/// What of the machine memory depends on.
struct MemoryDevice {
  /// AMD GPUs: RCCL's all-to-all among experts takes about 16 GiB beside the allocator, which DeepEP avoids; Primus's
  /// launcher lets the allocator's segments grow, which wastes less.
  bool amd = true;
  double extra_bytes = 0;  ///< on top of every rank's memory, as a calibration says; may be negative
};

/// Memory of every pipeline stage. Cheap: no text, one allocation. Numbers that are missing count as 0: look at
/// Workload::unknown first.
MemoryEstimate estimate_memory(const Workload& workload, const MemoryDevice& device = {});

/// Micro-batches whose activations chunk `chunk` of pipeline rank `rank` holds at once at the fullest moment.
double micro_batches_in_flight(const Workload& workload, std::size_t rank, std::size_t chunk);

/// How an estimate compares with the memory that a framework sees on the GPU.
enum class Fit : std::uint8_t {
  fits,          ///< at most 0.94 of it
  tight,         ///< at most all of it
  does_not_fit,  ///< more
};
/// "fits", "is tight", "does not fit": for a sentence.
std::string_view to_string(Fit fit);
/// "fits", "tight", "does-not-fit": for machines, in JSON and CSV.
std::string_view word_of(Fit fit);
/// `seen_bytes`: what the framework sees of the GPU's memory, more than 0.
Fit compare_with_hardware(const MemoryEstimate& estimate, double seen_bytes);

/// A number that a formula takes.
struct MemoryInput {
  std::string name;
  std::string value;
  RunKey key;  ///< the user's key that it comes from; no name when it follows from several or from none
};

/// How a part of a stage's memory comes about.
struct MemoryFormula {
  MemoryPart part = MemoryPart::weights;
  double bytes = 0;
  std::string formula;  ///< in names
  std::vector<MemoryInput> inputs;
};

/// The parts of a stage that are not 0, each with its formula. `stage`: index into estimate.stages.
std::vector<MemoryFormula> unfold_memory(const Workload& workload, const MemoryEstimate& estimate, std::size_t stage,
                                         const MemoryDevice& device = {});

/// What the estimate takes for granted, a sentence each, the weightiest first.
std::vector<std::string> memory_assumptions(const Workload& workload, const MemoryEstimate& estimate,
                                            const MemoryDevice& device = {});

}  // namespace primus_plan
