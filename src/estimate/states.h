#pragma once

#include "primus_plan/estimate/memory.h"
#include "primus_plan/estimate/parameters.h"

namespace primus_plan {

/// Bytes of a number.
double bytes_of(NumberFormat format);

/// Bytes that each parameter of a group takes on one rank, once the data-parallel ranks have shared out the state.
struct StateBytes {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
};
/// `shards`: ranks that share the state of the group. Gradients of a framework without buffers of their own for them
/// live as long as the step's backward pass, at the same size.
StateBytes state_bytes(const Workload& workload, double shards);

/// Fills weights, gradients (all that the step makes), optimizer, gathered weights, unsharded gradients and placeholder
/// gradients of a stage.
void add_states(StageMemory& out, const Workload& workload, std::size_t rank, const Parameters& parameters);

/// XLA accumulates gradients over several passes, so that a whole set of them is there beside each pass.
bool carries_gradients(const Workload& workload);

/// Bytes of a gathered weight: in the format that it is computed with, fp8 and fp4 being made of 16 bits.
double gathered_bytes(const Workload& workload);
/// Units that FSDP has whole at once; XLA frees one before it gathers the next.
double gathered_units(const Workload& workload);

/// Parameters of the largest layer of a stage, which FSDP gathers at once and weights in host memory are copied by; 0
/// without either.
double largest_unit(const Workload& workload, std::size_t rank);

}  // namespace primus_plan
