#include "primus_plan/estimate/unfold.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "estimate/number_text.h"
#include "estimate/unfold_step.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

namespace {

using Inputs = std::vector<MemoryInput>;

constexpr std::array<std::string_view, 4> families = {"memory", "parameters", "flops", "step"};

void add(Inputs& out, std::string_view name, std::string value, const RunKey& key = {}) {
  out.push_back({std::string(name), std::move(value), key});
}
void add_size(Inputs& out, std::string_view name, std::int64_t value, const RunKey& key = {}) {
  if (value > 0) add(out, name, with_commas(value), key);
}

// ---- memory ----

/// The parts of the fullest stage up to (not including) `end`, added up.
UnfoldedNumber memory_sum(const Estimate& estimate, std::string name, MemoryPart end) {
  const MemoryEstimate& memory = estimate.memory;
  const StageMemory& stage = memory.stages[memory.fullest];
  UnfoldedNumber out{.name = std::move(name), .value = {}, .formula = {}, .inputs = {}};
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(end); ++i) {
    if (stage.parts[i] <= 0) continue;
    sum += stage.parts[i];
    add(out.inputs, "memory." + as_name(to_string(static_cast<MemoryPart>(i))), human_bytes(stage.parts[i]));
  }
  out.value = human_bytes(sum);
  out.formula = memory.stages.size() > 1 ? fmt::format("the parts of pipeline rank {} of {}, the fullest, added up",
                                                       memory.fullest, memory.stages.size())
                                         : "the parts added up";
  return out;
}

std::optional<UnfoldedNumber> memory_number(const Workload& workload, const Estimate& estimate,
                                            const Hardware* hardware, const std::string& part) {
  if (estimate.memory.stages.empty()) return std::nullopt;
  if (part.empty()) return memory_sum(estimate, "memory", static_cast<MemoryPart>(memory_parts));
  if (part == "allocated") return memory_sum(estimate, "memory.allocated", MemoryPart::reserve);
  if (part == "reserved") return memory_sum(estimate, "memory.reserved", MemoryPart::runtime);
  const auto found = find_memory_part(part);
  if (!found) return std::nullopt;
  const std::vector<MemoryFormula> formulas =
      unfold_memory(workload, estimate.memory, estimate.memory.fullest, memory_device(hardware));
  const auto formula = std::ranges::find(formulas, *found, &MemoryFormula::part);
  if (formula == formulas.end()) return std::nullopt;
  return UnfoldedNumber{.name = "memory." + as_name(to_string(*found)),
                        .value = human_bytes(formula->bytes),
                        .formula = formula->formula,
                        .inputs = formula->inputs};
}

// ---- parameters ----

void attention_inputs(const Workload& w, Inputs& out) {
  const ModelShape& m = w.model;
  add_size(out, "query heads", m.heads, w.keys.heads);
  add_size(out, "key-value heads", m.kv_heads, w.keys.kv_heads);
  add_size(out, "width of a head", m.head_width);
  add_size(out, "rank of q", m.q_rank);
  add_size(out, "rank of keys and values", m.kv_rank);
}

void expert_inputs(const Workload& w, Inputs& out) {
  add_size(out, "experts", w.model.experts, w.keys.experts);
  add_size(out, "width of an expert", w.model.expert_ffn, w.keys.expert_ffn);
}

std::string parameter_formula(const Workload& w, ParameterPart part, Inputs& out) {
  const ModelShape& m = w.model;
  add_size(out, "hidden size", m.hidden, w.keys.hidden);
  const std::string_view matrices = m.gated ? "3" : "2";
  switch (part) {
    case ParameterPart::embedding:
    case ParameterPart::output:
      add_size(out, "vocabulary", m.vocabulary, w.keys.vocabulary);
      return "hidden size x vocabulary";
    case ParameterPart::attention:
      add_size(out, "layers", m.layers, w.keys.layers);
      attention_inputs(w, out);
      return m.kv_rank > 0 ? "layers x (down and up projections of q, keys and values + output projection)"
                           : "layers x hidden size x width of a head x (2 x query heads + 2 x key-value heads), "
                             "with biases and gates where the model has them";
    case ParameterPart::dense_ffn:
      add_size(out, "layers", m.layers, w.keys.layers);
      add_size(out, "width of the feed-forward block", m.ffn, w.keys.ffn);
      return fmt::format("dense layers x {} x hidden size x width", matrices);
    case ParameterPart::router:
      add_size(out, "experts", m.experts, w.keys.experts);
      return "layers with experts x hidden size x experts";
    case ParameterPart::experts:
    case ParameterPart::mtp_experts:
      expert_inputs(w, out);
      return fmt::format("layers with experts x experts x {} x hidden size x width", matrices);
    case ParameterPart::shared_experts:
      add_size(out, "width of all shared experts", m.shared_ffn);
      return fmt::format("layers with experts x {} x hidden size x width", matrices);
    case ParameterPart::norms:
      add_size(out, "layers", m.layers, w.keys.layers);
      return "two norms a layer and one at the end, as wide as the hidden size; norms of heads and ranks";
    case ParameterPart::mtp:
      add_size(out, "prediction layers", m.mtp_depth);
      return "prediction layers x (a layer + the projection that joins two hidden states)";
  }
  return {};
}

std::optional<UnfoldedNumber> parameter_number(const Workload& workload, const Estimate& estimate,
                                               const std::string& part) {
  if (estimate.parameters.total() <= 0) return std::nullopt;
  UnfoldedNumber out{.name = "parameters", .value = {}, .formula = {}, .inputs = {}};
  for (std::size_t i = 0; i < parameter_parts; ++i) {
    const auto which = static_cast<ParameterPart>(i);
    const double count = estimate.parameters[which];
    const std::string name = as_name(to_string(which));
    if (count <= 0) continue;
    if (part.empty()) {
      add(out.inputs, "parameters." + name, whole(count));
    } else if (part == name) {
      out.name = "parameters." + name;
      out.value = whole(count);
      out.formula = parameter_formula(workload, which, out.inputs);
      return out;
    }
  }
  if (!part.empty()) return std::nullopt;
  out.value = whole(estimate.parameters.total());
  out.formula = "the parts of the whole model added up; the vocabulary is the tokenizer's";
  if (workload.model.experts > 0) {
    add(out.inputs, "of them active for a token", whole(estimate.active.total()), workload.keys.experts_per_token);
  }
  return out;
}

// ---- FLOPs ----

std::optional<UnfoldedNumber> flops_number(const Workload& workload, const Estimate& estimate) {
  const FlopsEstimate& flops = estimate.flops;
  if (flops.common_per_token <= 0) return std::nullopt;
  UnfoldedNumber out{
      .name = "flops", .value = human_count(flops.common_per_token) + " a token", .formula = {}, .inputs = {}};
  out.formula =
      "6 for each weight that a token is multiplied with (2 forward, 4 backward) + 6 x products of attention, "
      "causal by half";
  add(out.inputs, "matrix products", human_count(flops.common_per_token - flops.common_attention_per_token));
  add(out.inputs, "attention, which grows with the sequence", human_count(flops.common_attention_per_token));
  add(out.inputs, "active parameters", whole(estimate.active.total()),
      workload.model.experts > 0 ? workload.keys.experts_per_token : RunKey{});
  add_size(out.inputs, "layers", workload.model.layers, workload.keys.layers);
  add_size(out.inputs, "hidden size", workload.model.hidden, workload.keys.hidden);
  add_size(out.inputs, "tokens of a sample", workload.run.batch.sequence_length, workload.run.keys.sequence_length);
  add_size(out.inputs, "samples of a step", workload.run.batch.global, workload.run.keys.global_batch);
  if (flops.counted_per_token > 0) {
    add(out.inputs, "as the framework's log counts", human_count(flops.counted_per_token) + " a token");
  }
  add(out.inputs, "on each GPU in a step", human_count(flops.common_per_gpu()));
  return out;
}

}  // namespace

bool is_number_name(std::string_view name) {
  return std::ranges::find(families, name.substr(0, name.find('.'))) != families.end();
}

std::optional<UnfoldedNumber> unfold_number(const Workload& workload, const Estimate& estimate,
                                            const Hardware* hardware, std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string_view family = name.substr(0, dot);
  const std::string part = as_name(name.substr(std::min(dot + 1, name.size())));
  if (family == "memory") return memory_number(workload, estimate, hardware, part);
  if (family == "parameters") return parameter_number(workload, estimate, part);
  if (family == "flops" && part.empty()) return flops_number(workload, estimate);
  if (family == "step" && hardware != nullptr) return unfold_step(workload, estimate.step, *hardware, part);
  return std::nullopt;
}

std::vector<std::string> unfoldable_numbers(const Workload& workload, const Estimate& estimate,
                                            const Hardware* hardware) {
  std::vector<std::string> out;
  const auto offer = [&](std::string name) {
    if (unfold_number(workload, estimate, hardware, name)) out.push_back(std::move(name));
  };
  for (const std::string_view family : families) offer(std::string(family));
  offer("memory.allocated");
  offer("memory.reserved");
  for (std::size_t i = 0; i < memory_parts; ++i) offer("memory." + as_name(to_string(static_cast<MemoryPart>(i))));
  for (std::size_t i = 0; i < parameter_parts; ++i) {
    offer("parameters." + as_name(to_string(static_cast<ParameterPart>(i))));
  }
  for (std::size_t i = 0; i < time_parts; ++i) offer("step." + as_name(to_string(static_cast<TimePart>(i))));
  return out;
}

}  // namespace primus_plan
