#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace primus_plan::megatron {

/// Arguments of init_num_microbatches_calculator (megatron/core/num_microbatches_calculator.py).
struct MicrobatchInput {
  std::int64_t global = 1;  ///< global_batch_size
  std::int64_t micro = 1;   ///< micro_batch_size
  std::int64_t data = 1;    ///< data-parallel size
  bool decrease = false;    ///< decrease_batch_size_if_needed
  /// rampup_batch_size: start, increment, samples. Absent: constant batch.
  std::optional<std::vector<std::int64_t>> ramp_up{};
};

/// Why the calculator cannot be built or updated, in the order in which Megatron would notice.
struct MicrobatchFault {
  enum class Kind : std::uint8_t {
    unit_is_zero,             ///< micro x data is 0 (constant batch: division by zero)
    not_divisible,            ///< batch a is no multiple of micro x data = b
    no_microbatch,            ///< a micro-batches, below 1; micro x data = b
    ramp_length,              ///< rampup_batch_size has a entries instead of 3
    global_not_positive,      ///< global = a
    start_not_positive,       ///< start = a
    increment_not_positive,   ///< increment = a
    samples_negative,         ///< samples = a
    unit_not_positive,        ///< micro x data = a
    start_above_global,       ///< start a, global b
    increment_not_divisible,  ///< global - start = a, increment b
    no_increment,             ///< start = global = a: division by zero
    no_samples,               ///< samples = 0: division by zero
    above_global,             ///< the ramp reached a, above global b
  };
  Kind kind{};
  std::int64_t a = 0;
  std::int64_t b = 0;
};

/// What the calculator answers. `running` is what a step really takes; it differs from `global` only with `decrease`.
struct Microbatches {
  std::int64_t count = 0;    ///< num_microbatches: gradient accumulation steps
  std::int64_t global = 0;   ///< current global batch size
  std::int64_t running = 0;  ///< current running global batch size
};

/// The calculator's answer, or the fault that stops it.
struct MicrobatchResult {
  Microbatches value;
  std::optional<MicrobatchFault> fault;
};

/// The state right after construction. With a ramp, neither divisibility nor a first micro-batch is checked yet.
MicrobatchResult start_microbatches(const MicrobatchInput& input);

/// The state after update(consumed_samples, consistency_check=True), as every training step calls it. Faults of the
/// construction come first. Samples per increment are a double, as in Python.
MicrobatchResult microbatches_at(const MicrobatchInput& input, std::int64_t consumed_samples);

/// One size of the ramp, as training meets it.
struct RampStep {
  std::int64_t first_sample = 0;  ///< samples consumed when this size is first used
  Microbatches batch;
  std::int64_t iterations = 0;  ///< steps of this size; 0: to the end of training, or the run stops here
  bool divisible = true;        ///< false: the run stops when this size comes
};

/// The sizes that training really uses, in order; sizes that a large step jumps over are left out. Ends with the full
/// size, with a size that is not divisible, with one of 0 micro-batches, which never ends, or after `limit` sizes.
/// Empty without a ramp or with a fault of the construction.
std::vector<RampStep> ramp_steps(const MicrobatchInput& input, std::size_t limit = 10'000);

}  // namespace primus_plan::megatron
