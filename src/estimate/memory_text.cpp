#include <fmt/core.h>

#include <cmath>

#include "estimate/activations.h"
#include "estimate/memory_constants.h"
#include "estimate/states.h"
#include "estimate/transients.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

using Inputs = std::vector<std::pair<std::string, std::string>>;

constexpr std::array<std::string_view, mixers> mixer_words = {"attention", "latent attention", "gated delta",
                                                              "mamba",     "convolution",      ""};
constexpr std::array<std::string_view, feed_forwards> feed_forward_words = {"dense", "experts", ""};

std::string layer_name(const LayerKind& kind) {
  const std::string_view mixer = mixer_words[static_cast<std::size_t>(kind.mixer)];
  const std::string_view ffn = feed_forward_words[static_cast<std::size_t>(kind.feed_forward)];
  const std::string_view between = mixer.empty() || ffn.empty() ? "" : " + ";
  return fmt::format("{}{}{}", mixer, between, ffn);
}

std::string whole(double n) { return with_commas(std::llround(n)); }
std::string fraction(double n) { return fmt::format("{:.4g}", n); }

/// What all unfoldings of a stage need.
struct Unfolding {
  const Workload& w;
  const MemoryEstimate& estimate;
  std::size_t rank;
  Parameters parameters;
  StateBytes dense;
  StateBytes expert;
  ActivationContext context;
};

void state_inputs(const Unfolding& u, double StateBytes::*bytes, Inputs& out) {
  out.emplace_back("parameters of the stage on one rank", whole(u.parameters.dense()));
  out.emplace_back("bytes of each after sharing", fraction(u.dense.*bytes));
  if (u.parameters.expert() > 0) {
    out.emplace_back("parameters of its experts", whole(u.parameters.expert()));
    out.emplace_back("bytes of each of them", fraction(u.expert.*bytes));
  }
  if (u.w.sharding.state == StateSharding::none) return;
  out.emplace_back("ranks that share", whole(static_cast<double>(u.w.sharding.dense_shards)));
  if (u.parameters.expert() > 0) {
    out.emplace_back("ranks that share the experts", whole(static_cast<double>(u.w.sharding.expert_shards)));
  }
}

std::string state_formula(const Unfolding& u) {
  return u.parameters.expert() > 0 ? "parameters x bytes + expert parameters x bytes" : "parameters x bytes";
}

std::string activation_formula(const Unfolding& u, Inputs& out) {
  out.emplace_back("tokens of a micro-batch on a rank (micro-batch x sequence / CP)", whole(u.context.tokens));
  for (std::size_t i = 0; i < u.w.run.stages[u.rank].size(); ++i) {
    const StageChunk& chunk = u.w.run.stages[u.rank][i];
    const bool several = u.w.run.stages[u.rank].size() > 1;
    const std::string where = several ? fmt::format(" of chunk {}", i) : "";
    out.emplace_back("micro-batches in flight" + where, fraction(micro_batches_in_flight(u.w, u.rank, i)));
    std::array<double, layer_sorts> layers{};
    for_layers(u.w.model, chunk.first_layer, chunk.layers, [&](const LayerKind& kind, std::int64_t count) {
      layers[sort_of(kind.mixer, kind.feed_forward)] += static_cast<double>(count);
    });
    for (std::size_t sort = 0; sort < layer_sorts; ++sort) {
      if (layers[sort] == 0) continue;
      const LayerKind kind{.mixer = static_cast<Mixer>(sort / feed_forwards),
                           .feed_forward = static_cast<FeedForward>(sort % feed_forwards)};
      const LayerActivations a = layer_activations(u.w, u.context, kind.mixer, kind.feed_forward);
      const bool full = u.w.recompute.granularity == RecomputeGranularity::full;
      out.emplace_back(fmt::format("{} layers{}", layer_name(kind), where), whole(layers[sort]));
      out.emplace_back(fmt::format("bytes a token of {}, nothing recomputed", layer_name(kind)), whole(a.full));
      if (full || a.kept < a.full) {
        out.emplace_back(fmt::format("bytes a token of {} that recompute keeps", layer_name(kind)),
                         whole(full ? a.input : a.kept));
      }
    }
  }
  return "tokens x sum over layers of bytes a token x micro-batches in flight";
}

std::string logits_formula(const Unfolding& u, Inputs& out) {
  const Kernels& k = u.w.kernels;
  out.emplace_back("tokens of a micro-batch on a rank", whole(u.context.tokens));
  out.emplace_back("padded vocabulary", whole(static_cast<double>(u.w.model.padded_vocabulary)));
  out.emplace_back("tensor parallel", whole(u.context.tensor));
  out.emplace_back("bytes of a logit with its copies", fraction(k.fused_loss ? 2 : k.logit_bytes));
  if (k.loss_chunks > 1) out.emplace_back("pieces of the loss", whole(static_cast<double>(k.loss_chunks)));
  return k.loss_chunks > 1 ? "tokens x padded vocabulary / TP x bytes / pieces"
                           : "tokens x padded vocabulary / TP x bytes";
}

std::string gathered_formula(const Unfolding& u, Inputs& out) {
  out.emplace_back("parameters of the stage on one rank", whole(u.parameters.total()));
  if (u.w.sharding.keeps_gathered_weights) return "parameters x 2 bytes: nothing is shared out again";
  out.emplace_back("parameters of the largest unit", whole(largest_unit(u.w, u.rank)));
  out.emplace_back("units that are whole at once", fraction(u.w.sharding.gathered_units));
  if (!u.w.sharding.gathers_root) return "units x largest unit x 2 bytes";
  out.emplace_back("parameters of the ends, whole all the time",
                   whole(u.parameters[ParameterPart::embedding] + u.parameters[ParameterPart::output]));
  return "(units x largest unit + ends) x 2 bytes";
}

std::string formula_of(const Unfolding& u, MemoryPart part, const MemoryDevice& device, Inputs& out) {
  switch (part) {
    case MemoryPart::weights:
      state_inputs(u, &StateBytes::weights, out);
      if (u.w.precision.cached_fp8_weights || u.w.precision.weights == NumberFormat::fp8) {
        out.emplace_back("weights of matrices, which fp8 copies or replaces", whole(u.parameters.matrices()));
      }
      return state_formula(u);
    case MemoryPart::gradients:
      state_inputs(u, &StateBytes::gradients, out);
      return state_formula(u);
    case MemoryPart::optimizer:
      state_inputs(u, &StateBytes::optimizer, out);
      return state_formula(u);
    case MemoryPart::gathered_weights:
      return gathered_formula(u, out);
    case MemoryPart::unsharded_gradients:
      out.emplace_back("parameters of the output layer", whole(u.parameters[ParameterPart::output]));
      out.emplace_back("parameters of the stage on one rank", whole(u.parameters.total()));
      return u.w.sharding.keeps_gathered_weights ? "parameters x 4 bytes, added up over micro-batches"
                                                 : "parameters of the output layer x 2 bytes";
    case MemoryPart::placeholder_gradients:
      return "2 bytes for one weight of each shape (Transformer Engine with fused gradient accumulation)";
    case MemoryPart::activations:
      return activation_formula(u, out);
    case MemoryPart::logits:
      return logits_formula(u, out);
    case MemoryPart::transients:
      out.emplace_back("tokens of a micro-batch on a rank", whole(u.context.tokens));
      out.emplace_back("hidden size", whole(static_cast<double>(u.w.model.hidden)));
      return "the worse of the loss and the backward pass of one layer (gradients inside it, what recompute makes "
             "again), less the logits";
    case MemoryPart::communication:
      return "key-value blocks of the context ring, hidden states of tensor-parallel overlap, an fp32 bucket of "
             "16-bit gradients";
    case MemoryPart::reserve:
      out.emplace_back("allocated", human_bytes(u.estimate.stages[u.rank].allocated()));
      return fmt::format("{} x allocated", memory_constants::reserve.expected);
    case MemoryPart::runtime:
      out.emplace_back("context and libraries", human_bytes(memory_constants::context.expected));
      if (!uses_rccl_all_to_all(u.w, device)) return "context and libraries";
      out.emplace_back("all-to-all", human_bytes(memory_constants::amd_all_to_all.expected));
      return "context and libraries + RCCL's all-to-all among experts";
  }
  return {};
}

}  // namespace

std::vector<MemoryFormula> unfold_memory(const Workload& workload, const MemoryEstimate& estimate, std::size_t stage,
                                         const MemoryDevice& device) {
  std::vector<MemoryFormula> out;
  if (stage >= estimate.stages.size()) return out;
  const auto shards = [](std::int64_t n) { return static_cast<double>(std::max<std::int64_t>(1, n)); };
  const Unfolding u{.w = workload,
                    .estimate = estimate,
                    .rank = stage,
                    .parameters = rank_parameters(workload, stage),
                    .dense = state_bytes(workload, shards(workload.sharding.dense_shards)),
                    .expert = state_bytes(workload, shards(workload.sharding.expert_shards)),
                    .context = activation_context(workload)};
  for (std::size_t i = 0; i < memory_parts; ++i) {
    const auto part = static_cast<MemoryPart>(i);
    const double bytes = estimate.stages[stage][part];
    if (bytes <= 0) continue;
    MemoryFormula& f = out.emplace_back();
    f.part = part;
    f.bytes = bytes;
    f.formula = formula_of(u, part, device, f.inputs);
  }
  return out;
}

std::vector<std::string> memory_assumptions(const Workload& workload, const MemoryEstimate& estimate,
                                            const MemoryDevice& device) {
  std::vector<std::string> out;
  if (estimate.stages.empty()) return out;
  namespace constants = memory_constants;
  const Kernels& k = workload.kernels;
  if (uses_rccl_all_to_all(workload, device)) {
    out.push_back(
        fmt::format("RCCL's all-to-all among experts takes {} ({} to {}) outside the allocator; DeepEP needs "
                    "none of it",
                    human_bytes(constants::amd_all_to_all.expected), human_bytes(constants::amd_all_to_all.low),
                    human_bytes(constants::amd_all_to_all.high)));
  }
  const bool experts = workload.model.experts > 0;
  if (experts && workload.model.capacity_factor == 0 && !k.all_experts_same_load) {
    out.push_back(fmt::format("the fullest rank has {} times the mean of tokens for its experts (up to {})",
                              constants::imbalance.expected, constants::imbalance.high));
  }
  if (workload.runtime == Runtime::xla) {
    out.push_back("XLA decides what it keeps: activations may be a quarter more or less");
  } else {
    out.push_back(fmt::format("the caching allocator holds {:.0f} % more than it gives out (up to {:.0f} %)",
                              100 * constants::reserve.expected, 100 * constants::reserve.high));
  }
  out.push_back(fmt::format("device context and communication libraries take {} (up to {})",
                            human_bytes(constants::context.expected), human_bytes(constants::context.high)));
  if (workload.recompute.kept_share < 1) {
    out.push_back(fmt::format("the recompute policy keeps {:.0f} % of a layer's activations",
                              100 * workload.recompute.kept_share));
  }
  if (workload.precision.cached_fp8_weights) {
    out.push_back("fp8 copies of the weights and of their transposes stay between micro-batches (2 bytes a weight)");
  }
  if (!k.transformer_engine && workload.runtime == Runtime::torch) {
    out.push_back("kernels that are not Transformer Engine's save about the same activations");
  }
  return out;
}

}  // namespace primus_plan
