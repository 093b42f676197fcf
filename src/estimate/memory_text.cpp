#include <fmt/core.h>

#include "estimate/activations.h"
#include "estimate/memory_constants.h"
#include "estimate/number_text.h"
#include "estimate/states.h"
#include "estimate/transients.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

using Inputs = std::vector<MemoryInput>;

constexpr std::array<std::string_view, mixers> mixer_words = {"attention", "latent attention", "gated delta",
                                                              "mamba",     "convolution",      ""};
constexpr std::array<std::string_view, feed_forwards> feed_forward_words = {"dense", "experts", ""};

std::string layer_name(const LayerKind& kind) {
  const std::string_view mixer = mixer_words[static_cast<std::size_t>(kind.mixer)];
  const std::string_view ffn = feed_forward_words[static_cast<std::size_t>(kind.feed_forward)];
  const std::string_view between = mixer.empty() || ffn.empty() ? "" : " + ";
  return fmt::format("{}{}{}", mixer, between, ffn);
}

void add(Inputs& out, std::string name, std::string value, const RunKey& key = {}) {
  out.push_back({std::move(name), std::move(value), key});
}

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
  add(out, "parameters of the stage on one rank", whole(u.parameters.dense()));
  add(out, "bytes of each after sharing", fraction(u.dense.*bytes),
      bytes == &StateBytes::gradients ? u.w.keys.gradients : u.w.keys.precision);
  if (u.parameters.expert() > 0) {
    add(out, "parameters of its experts", whole(u.parameters.expert()));
    add(out, "bytes of each of them", fraction(u.expert.*bytes));
  }
  if (u.w.sharding.state == StateSharding::none) return;
  add(out, "ranks that share", with_commas(u.w.sharding.dense_shards), u.w.keys.sharding);
  if (u.parameters.expert() > 0) {
    add(out, "ranks that share the experts", with_commas(u.w.sharding.expert_shards), u.w.keys.sharding);
  }
}

std::string state_formula(const Unfolding& u) {
  return u.parameters.expert() > 0 ? "parameters x bytes + expert parameters x bytes" : "parameters x bytes";
}

/// Tokens of a micro-batch on a rank, and what they come from.
void token_inputs(const Unfolding& u, Inputs& out) {
  const RunDescription& run = u.w.run;
  add(out, "micro-batch", with_commas(run.batch.micro), run.keys.micro_batch);
  add(out, "tokens of a sample", with_commas(run.batch.sequence_length), run.keys.sequence_length);
  if (run.degrees.context > 1) add(out, "context parallel", with_commas(run.degrees.context), run.keys.context);
  if (u.context.tensor > 1) {
    add(out, u.w.sequence_parallel ? "tensor parallel, sequence parallel too" : "tensor parallel, sequence whole",
        whole(u.context.tensor), run.keys.tensor);
  }
}

void layer_inputs(const Unfolding& u, const StageChunk& chunk, const std::string& where, Inputs& out) {
  std::array<double, layer_sorts> layers{};
  std::array<LayerKind, layer_sorts> kinds{};
  for_layers(u.w.model, chunk.first_layer, chunk.layers, [&](const LayerKind& kind, std::int64_t count) {
    layers[sort_of(kind)] += static_cast<double>(count);
    kinds[sort_of(kind)] = kind;
  });
  const bool full = u.w.recompute.granularity == RecomputeGranularity::full;
  for (std::size_t sort = 0; sort < layer_sorts; ++sort) {
    if (layers[sort] <= 0) continue;
    const std::string name = layer_name(kinds[sort]);
    const LayerActivations a = layer_activations(u.w, u.context, kinds[sort]);
    add(out, fmt::format("layers of {}{}", name, where), whole(layers[sort]), u.w.keys.layers);
    add(out, fmt::format("bytes a token of {}, nothing recomputed", name), whole(a.full), u.w.keys.hidden);
    if (full || a.kept < a.full) {
      add(out, fmt::format("bytes a token of {} that recompute keeps", name), whole(full ? a.input : a.kept),
          u.w.keys.recompute);
    }
  }
  const double hidden = u.context.element * static_cast<double>(u.w.model.hidden) / u.context.sequence_split;
  if (chunk.embedding) add(out, "bytes a token of the embedding's output", whole(hidden), u.w.keys.hidden);
  if (is_scanned_pipeline(u.w)) add(out, "bytes a token of the iteration's input", whole(hidden), u.w.keys.hidden);
  if (chunk.mtp_layers > 0) add(out, "layers of multi-token prediction" + where, with_commas(chunk.mtp_layers));
}

std::string activation_formula(const Unfolding& u, Inputs& out) {
  token_inputs(u, out);
  const std::vector<StageChunk>& chunks = u.w.run.stages[u.rank];
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::string where = chunks.size() > 1 ? fmt::format(" in chunk {}", i) : "";
    const std::string idle = is_scanned_pipeline(u.w) ? ", idle iterations included" : "";
    add(out, fmt::format("micro-batches in flight{}{}", where, idle), fraction(micro_batches_in_flight(u.w, u.rank, i)),
        u.w.run.keys.pipeline);
    layer_inputs(u, chunks[i], where, out);
  }
  const bool ring = u.w.run.degrees.context > 1;
  return fmt::format("{} x sum over layers of bytes a token x micro-batches in flight",
                     ring ? "micro-batch x tokens / CP" : "micro-batch x tokens");
}

std::string logits_formula(const Unfolding& u, Inputs& out) {
  const Kernels& k = u.w.kernels;
  token_inputs(u, out);
  add(out, "padded vocabulary", with_commas(u.w.model.padded_vocabulary), u.w.keys.vocabulary);
  add(out, "bytes of a logit with its copies", fraction(k.fused_loss ? 2 : k.logit_bytes), u.w.keys.fused_loss);
  if (k.loss_chunks > 1) add(out, "pieces of the loss", with_commas(k.loss_chunks));
  const double at_once = micro_batches_of_loss(u.w);
  if (at_once > 1) add(out, "micro-batches at once, after the pipeline", fraction(at_once));
  const double outputs = outputs_on(u.w, u.rank);
  if (outputs > 1) add(out, "outputs: the loss and each prediction layer", whole(outputs));
  return fmt::format("{}{}micro-batch x tokens x padded vocabulary / TP x bytes{}", outputs > 1 ? "outputs x " : "",
                     at_once > 1 ? "micro-batches x " : "", k.loss_chunks > 1 ? " / pieces" : "");
}

std::string gathered_formula(const Unfolding& u, Inputs& out) {
  const double bytes = gathered_bytes(u.w);
  add(out, "parameters of the stage on one rank", whole(u.parameters.total()));
  if (u.w.sharding.keeps_gathered_weights)
    return fmt::format("parameters x {} bytes: nothing is shared out again", bytes);
  add(out, "parameters of the largest unit", whole(largest_unit(u.w, u.rank)));
  add(out, "units that are whole at once", fraction(gathered_units(u.w)));
  if (!u.w.sharding.gathers_root) return fmt::format("units x largest unit x {} bytes", bytes);
  add(out, "parameters of the ends, whole all the time",
      whole(u.parameters[ParameterPart::embedding] + u.parameters[ParameterPart::output]));
  return fmt::format("(units x largest unit + ends) x {} bytes", bytes);
}

/// What becomes of that many bytes of gradients.
std::string_view xla_gradients_text(const Workload& w) {
  if (w.runtime != Runtime::xla) return "";
  return carries_gradients(w) ? ", carried from pass to pass, and what of a pass's own exceeds its activations"
                              : ", as far as they exceed the activations, whose place they take";
}

std::string formula_of(const Unfolding& u, MemoryPart part, const MemoryDevice& device, Inputs& out) {
  switch (part) {
    case MemoryPart::weights:
      state_inputs(u, &StateBytes::weights, out);
      if (u.w.precision.cached_fp8_weights || u.w.precision.weights == NumberFormat::fp8) {
        add(out, "weights of matrices, which fp8 copies or replaces", whole(u.parameters.matrices()));
      }
      return state_formula(u);
    case MemoryPart::gradients:
      state_inputs(u, &StateBytes::gradients, out);
      return state_formula(u).append(xla_gradients_text(u.w));
    case MemoryPart::optimizer:
      state_inputs(u, &StateBytes::optimizer, out);
      return state_formula(u);
    case MemoryPart::gathered_weights:
      return gathered_formula(u, out);
    case MemoryPart::unsharded_gradients:
      add(out, "parameters of the output layer", whole(u.parameters[ParameterPart::output]));
      add(out, "parameters of the stage on one rank", whole(u.parameters.total()));
      return u.w.sharding.keeps_gathered_weights
                 ? "parameters x 4 bytes, added up over micro-batches"
                 : fmt::format("parameters of the output layer x {} bytes", gathered_bytes(u.w));
    case MemoryPart::placeholder_gradients:
      return "2 bytes for one weight of each shape (Transformer Engine with fused gradient accumulation)";
    case MemoryPart::activations:
      return activation_formula(u, out);
    case MemoryPart::logits:
      return logits_formula(u, out);
    case MemoryPart::transients:
      add(out, "tokens of a micro-batch on a rank", whole(u.context.tokens));
      add(out, "hidden size", with_commas(u.w.model.hidden), u.w.keys.hidden);
      return "the worse of the loss and the backward pass of one layer (gradients inside it, what recompute makes "
             "again), less the logits";
    case MemoryPart::communication:
      return "key-value blocks of the context ring, hidden states of tensor-parallel overlap, tokens gathered for the "
             "experts, an fp32 bucket of 16-bit gradients";
    case MemoryPart::reserve:
      add(out, "allocated", human_bytes(u.estimate.stages[u.rank].allocated()));
      return fmt::format("{} x allocated", memory_constants::reserve_of(device.amd).expected);
    case MemoryPart::runtime:
      add(out, "context and libraries", human_bytes(memory_constants::context.expected));
      if (!uses_rccl_all_to_all(u.w, device)) return "context and libraries";
      add(out, "all-to-all", human_bytes(memory_constants::amd_all_to_all.expected));
      return "context and libraries + RCCL's all-to-all among experts";
  }
  return {};
}

/// What of the run's state and activations is in host memory.
void add_host_assumptions(const Workload& w, std::vector<std::string>& out) {
  const Sharding& s = w.sharding;
  if (s.offloaded_weights) {
    out.push_back(fmt::format("weights{} are in host memory: the GPU holds the layers at work",
                              s.offloaded_gradients ? " and gradients" : ""));
  }
  if (s.offloaded_optimizer > 0)
    out.push_back(fmt::format("{:.0f} % of the optimizer's states are in host memory", 100 * s.offloaded_optimizer));
  if (w.recompute.offloaded > 0)
    out.push_back(fmt::format("{:.0f} % of the kept activations go to host memory", 100 * w.recompute.offloaded));
  if (w.recompute.offloads_modules) {
    out.emplace_back(
        "inputs of single modules that go to host memory are counted as if they stayed: the run may need less");
  }
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
  const ModelShape& model = workload.model;
  const double high = expert_load(model, constants::imbalance.high);
  if (model.experts > 0 && !k.all_experts_same_load && high > expert_load(model, constants::imbalance.low)) {
    out.push_back(fmt::format("the fullest rank has {} times the mean of tokens for its experts (up to {})",
                              expert_load(model, constants::imbalance.expected), high));
  }
  add_host_assumptions(workload, out);
  if (workload.runtime == Runtime::xla) {
    out.emplace_back("XLA decides what it keeps: activations may be a quarter more or less");
  } else {
    out.push_back(fmt::format("the caching allocator holds {:.0f} % more than it gives out (up to {:.0f} %)",
                              100 * memory_constants::reserve_of(device.amd).expected,
                              100 * memory_constants::reserve_of(device.amd).high));
  }
  out.push_back(fmt::format("device context and communication libraries take {} (up to {})",
                            human_bytes(constants::context.expected), human_bytes(constants::context.high)));
  if (workload.recompute.kept_share < 1) {
    out.push_back(fmt::format("the recompute policy keeps {:.0f} % of a layer's activations",
                              100 * workload.recompute.kept_share));
  }
  if (workload.precision.cached_fp8_weights) {
    out.emplace_back("fp8 copies of the weights and of their transposes stay between micro-batches (2 bytes a weight)");
  }
  if (!k.transformer_engine && workload.runtime == Runtime::torch) {
    out.emplace_back("kernels that are not Transformer Engine's save about the same activations");
  }
  return out;
}

}  // namespace primus_plan
