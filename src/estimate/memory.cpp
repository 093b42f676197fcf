#include "primus_plan/estimate/memory.h"

#include <algorithm>

#include "estimate/chunk_activations.h"
#include "estimate/memory_constants.h"
#include "estimate/states.h"
#include "estimate/transients.h"
#include "primus_plan/estimate/calibration.h"

namespace primus_plan {
namespace {

namespace constants = memory_constants;

/// Gradients of XLA beyond the room that the backward pass has left. All of them are there before the update, which is
/// scaled by their norm, when activations are gone; between passes they are carried from one to the next, while the
/// pass makes its own. Source: MaxText's train.py:train_step and gradient_accumulation.py (init_grad).
double xla_gradients(const Workload& w, const StageMemory& stage) {
  const double whole = stage[MemoryPart::gradients];
  const double left = stage[MemoryPart::activations] + stage[MemoryPart::logits] + stage[MemoryPart::transients];
  return (carries_gradients(w) ? whole : 0) + std::max(0.0, whole - left);
}

StageMemory stage_memory(const Workload& w, const ActivationContext& c, const LayerTable& table, std::size_t rank,
                         const MemoryDevice& device) {
  StageMemory out;
  add_states(out, w, rank, rank_parameters(w, rank));
  double made_again = 0;
  double one_of_each = 0;
  double kept = 0;
  double on_its_way = 0;
  const std::vector<StageChunk>& chunks = w.run.stages[rank];
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const ChunkActivations a = chunk_activations(w, c, chunks[i], table);
    kept += a.kept * micro_batches_in_flight(w, rank, i);
    one_of_each += a.kept;
    made_again = std::max(made_again, a.made_again);
    on_its_way = std::max({on_its_way, a.made_again, a.largest});
  }
  out.in_flight = one_of_each > 0 ? kept / one_of_each : 0;
  // Idle iterations of a scanned pipeline keep as much as a micro-batch, and are none.
  const std::int64_t in_step = w.run.batch.micro_batches_between_flushes();
  if (w.runtime == Runtime::xla && in_step > 0) out.in_flight = std::min(out.in_flight, static_cast<double>(in_step));
  // What goes to host memory leaves the GPU but for the layer that is on its way.
  const double away = w.recompute.offloaded * kept;
  kept -= std::max(0.0, away - on_its_way);
  out[MemoryPart::activations] = c.tokens * kept;
  add_transients(out, w, c, rank, c.tokens * made_again);
  if (w.runtime == Runtime::xla) out[MemoryPart::gradients] = xla_gradients(w, out);
  out[MemoryPart::communication] = communication_buffers(w, c, rank);
  out[MemoryPart::reserve] =
      w.runtime == Runtime::xla ? 0 : constants::reserve_of(device.amd).expected * out.allocated();
  out[MemoryPart::runtime] = constants::context.expected;
  if (uses_rccl_all_to_all(w, device)) out[MemoryPart::runtime] += constants::amd_all_to_all.expected;
  return out;
}

constants::Spread spread_of(const Workload& w, MemoryPart part) {
  const bool fsdp = w.sharding.state == StateSharding::weights;
  switch (part) {
    case MemoryPart::weights:
      if (w.precision.cached_fp8_weights) return constants::cached_fp8_weights;
      [[fallthrough]];
    case MemoryPart::gathered_weights:
    case MemoryPart::gradients:
    case MemoryPart::unsharded_gradients:
    case MemoryPart::optimizer:
      return fsdp ? constants::fsdp_states : constants::states;
    case MemoryPart::placeholder_gradients:
      return constants::placeholders;
    case MemoryPart::activations: {
      const bool policy = w.runtime == Runtime::xla || w.recompute.kept_share < 1 || w.kernels.compiled;
      const bool known = w.kernels.transformer_engine && (w.run.degrees.tensor == 1 || w.sequence_parallel);
      constants::Spread s = policy  ? constants::policy_activations
                            : known ? constants::activations
                                    : constants::unfused_activations;
      if (w.model.experts > 0 && !w.kernels.all_experts_same_load) {
        s.above +=
            expert_load(w.model, constants::imbalance.high) / expert_load(w.model, constants::imbalance.expected) - 1;
      }
      return s;
    }
    case MemoryPart::logits:
      return w.kernels.fused_loss                                         ? constants::fused_logits
             : w.runtime == Runtime::xla || !w.kernels.transformer_engine ? constants::eager_logits
                                                                          : constants::logits;
    case MemoryPart::transients:
    case MemoryPart::communication:
      return constants::transients;
    case MemoryPart::reserve:
    case MemoryPart::runtime:
      break;
  }
  return {};
}

void set_ranges(MemoryEstimate& out, const Workload& w, const MemoryDevice& device) {
  const StageMemory& stage = out.stages[out.fullest];
  MemoryRange& a = out.allocated;
  a.expected = stage.allocated();
  a.low = a.high = a.expected;
  for (std::size_t i = 0; i < memory_parts; ++i) {
    const constants::Spread s = spread_of(w, static_cast<MemoryPart>(i));
    a.low -= s.below * stage.parts[i];
    a.high += s.above * stage.parts[i];
  }
  a.high += deep_ep_buffers(w, activation_context(w));
  const bool planned = w.runtime == Runtime::xla;
  out.reserved = {a.low * (1 + constants::reserve_of(device.amd).low), stage.reserved(),
                  a.high * (1 + (planned ? 0 : constants::reserve_of(device.amd).high))};
  out.device = {out.reserved.low + constants::context.low, stage.device(), out.reserved.high + constants::context.high};
  if (uses_rccl_all_to_all(w, device)) {
    out.device.low += constants::amd_all_to_all.low;
    out.device.high += constants::amd_all_to_all.high;
  }
}

constexpr std::array<std::string_view, memory_parts> names = {
    "weights",    "gathered weights",      "gradients",         "unsharded gradients",
    "optimizer",  "placeholder gradients", "activations",       "logits and loss",
    "transients", "communication",         "allocator reserve", "device context and libraries"};

}  // namespace

std::string_view to_string(MemoryPart part) { return names[static_cast<std::size_t>(part)]; }

std::optional<MemoryPart> find_memory_part(std::string_view name) {
  const auto same = [](char a, char b) { return a == b || (a == ' ' && (b == '_' || b == '-')); };
  for (std::size_t i = 0; i < memory_parts; ++i) {
    if (std::equal(names[i].begin(), names[i].end(), name.begin(), name.end(), same)) return static_cast<MemoryPart>(i);
  }
  if (name == "logits" || name == "loss") return MemoryPart::logits;
  if (name == "reserve") return MemoryPart::reserve;
  return name == "runtime" ? std::optional(MemoryPart::runtime) : std::nullopt;
}

double StageMemory::allocated() const {
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(MemoryPart::reserve); ++i) sum += parts[i];
  return sum;
}
double StageMemory::reserved() const { return allocated() + (*this)[MemoryPart::reserve]; }
double StageMemory::device() const { return reserved() + (*this)[MemoryPart::runtime]; }

MemoryEstimate estimate_memory(const Workload& workload, const MemoryDevice& device) {
  MemoryEstimate out;
  const std::size_t ranks = workload.run.stages.size();
  if (ranks == 0) return out;
  const ActivationContext c = activation_context(workload);
  const LayerTable table = layer_table(workload, c);
  out.stages.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    out.stages.push_back(stage_memory(workload, c, table, rank, device));
    if (out.stages[rank].device() > out.stages[out.fullest].device()) out.fullest = rank;
  }
  set_ranges(out, workload, device);
  if (device.extra_bytes != 0) add_memory(out, device.extra_bytes);
  return out;
}

std::string_view to_string(Fit fit) {
  constexpr std::array<std::string_view, 3> words = {"fits", "is tight", "does not fit"};
  return words[static_cast<std::size_t>(fit)];
}

std::string_view word_of(Fit fit) {
  constexpr std::array<std::string_view, 3> words = {"fits", "tight", "does-not-fit"};
  return words[static_cast<std::size_t>(fit)];
}

Fit compare_with_hardware(const MemoryEstimate& estimate, double seen_bytes) {
  if (estimate.device.expected <= constants::fits_share * seen_bytes) return Fit::fits;
  return estimate.device.expected <= seen_bytes ? Fit::tight : Fit::does_not_fit;
}

}  // namespace primus_plan
