#include "estimate/unfold_step.h"

#include <fmt/core.h>

#include "estimate/number_text.h"
#include "estimate/time_constants.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

namespace {

using Inputs = std::vector<MemoryInput>;

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1000) : fmt::format("{:.3g} s", seconds);
}
std::string rate_text(double flops_per_second) { return fmt::format("{:.0f} TFLOP/s", flops_per_second / 1e12); }
std::string bandwidth_text(double bytes_per_second) { return fmt::format("{:.0f} GB/s", bytes_per_second / 1e9); }

/// What one part of the step is made of.
class StepInputs {
 public:
  StepInputs(const Workload& workload, const Hardware& hardware, Inputs& out)
      : workload_(workload), hardware_(hardware), out_(out) {}

  void add(std::string_view name, std::string value, const RunKey& key = {}) {
    out_.push_back({std::string(name), std::move(value), key});
  }
  void add_size(std::string_view name, std::int64_t value, const RunKey& key = {}) {
    add(name, with_commas(value), key);
  }
  void add_share(std::string_view name, double share) { add(name, fmt::format("{:.3g}", share)); }

  void tokens() {
    const Batch& b = workload_.run.batch;
    add_size("micro-batch", b.micro, workload_.run.keys.micro_batch);
    add_size("tokens of a sample", b.sequence_length, workload_.run.keys.sequence_length);
    add_size("micro-batches of a rank", b.accumulation_steps, workload_.run.keys.global_batch);
  }
  void rate() {
    add("matrix products of " + hardware_.name, rate_text(hardware_.gemm_flops(workload_.precision.compute)),
        workload_.keys.precision);
  }
  void memory_rate() {
    add("memory of " + hardware_.name, bandwidth_text(hardware_.memory_bytes_per_second));
    add_share("share of it that kernels reach", time_constants.memory_share);
  }
  void links() {
    add("links of a GPU inside its domain", bandwidth_text(hardware_.link_bytes_per_second));
    add("network of a GPU", bandwidth_text(hardware_.nic_bytes_per_second));
  }

  const Workload& workload() const { return workload_; }
  const Hardware& hardware() const { return hardware_; }

 private:
  const Workload& workload_;
  const Hardware& hardware_;
  Inputs& out_;
};

std::string pipeline_formula(StepInputs& in) {
  const Degrees& d = in.workload().run.degrees;
  const RunKeys& keys = in.workload().run.keys;
  in.add_size("pipeline parallel", d.pipeline, keys.pipeline);
  if (d.virtual_pipeline > 1) in.add_size("chunks of a rank", d.virtual_pipeline, keys.virtual_pipeline);
  in.add_size("micro-batches between two drains", in.workload().run.batch.micro_batches_between_flushes(),
              keys.global_batch);
  return "seconds of the schedule with each stage's own costs - micro-batches x seconds of the slowest stage; with "
         "equal stages (PP - 1) / (chunks x micro-batches) of the work";
}

std::string data_formula(StepInputs& in) {
  const Degrees& d = in.workload().run.degrees;
  const bool fsdp = in.workload().sharding.state == StateSharding::weights;
  in.add_size("data parallel", d.data, in.workload().run.keys.data_shard);
  in.add_size("ranks that share states", in.workload().sharding.dense_shards, in.workload().keys.sharding);
  in.links();
  in.add_share("least share that shows", fsdp ? time_constants.shard_floor : time_constants.data_floor);
  in.add_share("share of computing that may hide it", fsdp ? time_constants.shard_hidden : time_constants.data_hidden);
  return "max(least share x exchange, exchange - share x computing) of gradients and weights";
}

std::string formula_of(TimePart part, StepInputs& in) {
  const Workload& w = in.workload();
  const Degrees& d = w.run.degrees;
  const RunKeys& keys = w.run.keys;
  switch (part) {
    case TimePart::matrices:
      in.tokens();
      in.rate();
      return "operations / rate, slower for small matrices (each side's edge and the last wave of tiles)";
    case TimePart::experts:
      in.tokens();
      in.rate();
      in.add_size("experts of a token", w.model.experts_per_token, w.keys.experts_per_token);
      in.add_share("rate of grouped products", time_constants.grouped_share);
      return "operations of the experts / (rate x share of grouped products), slower for few tokens an expert";
    case TimePart::attention:
      in.tokens();
      in.add("attention of " + in.hardware().name, rate_text(in.hardware().attention_flops_of(w.precision.compute)));
      return "operations of the attention core, causal by half / rate";
    case TimePart::elementwise:
      in.tokens();
      in.memory_rate();
      return "bytes of norms, activations and residuals / bandwidth";
    case TimePart::logits:
      in.tokens();
      in.add_size("padded vocabulary", w.model.padded_vocabulary, w.keys.vocabulary);
      in.rate();
      return "operations of the output layer / rate + bytes of the logits / bandwidth";
    case TimePart::launch:
      in.add("host time of a layer", seconds_text(time_constants.host_layer));
      if (w.model.experts > 0) in.add("more for a layer with experts", seconds_text(time_constants.host_experts));
      return "what launching kernels takes longer than running them";
    case TimePart::recompute:
      in.tokens();
      in.add_size("layers of a unit", w.recompute.layers, w.keys.recompute);
      return "forward passes that the backward pass makes again";
    case TimePart::tensor_exchange:
      in.add_size("tensor parallel", d.tensor, keys.tensor);
      in.links();
      in.add_share("share that nothing hides",
                   w.overlap.tensor ? time_constants.tensor_overlapped : time_constants.tensor_exposed);
      return "bytes of hidden states / links x share that nothing hides";
    case TimePart::context_exchange:
      in.add_size("context parallel", d.context, keys.context);
      in.links();
      in.add_share("share of attention's time that hides it", time_constants.context_hidden);
      return "exchange of keys and values - what attention hides";
    case TimePart::expert_exchange:
      in.add_size("expert parallel", d.expert, keys.expert);
      in.links();
      in.add_share("share that nothing hides",
                   w.overlap.expert ? time_constants.expert_overlapped : time_constants.expert_exposed);
      return "bytes of dispatched and combined tokens / links x share that nothing hides";
    case TimePart::pipeline:
      return pipeline_formula(in);
    case TimePart::data_exchange:
      return data_formula(in);
    case TimePart::optimizer:
      in.add_share("bytes through memory for each weight of a rank's share", time_constants.optimizer_bytes);
      in.memory_rate();
      in.add_size("ranks that share states", w.sharding.dense_shards, w.keys.sharding);
      return "weights of a rank's share x bytes / bandwidth";
    case TimePart::fixed:
      in.add("fixed", seconds_text(time_constants.step_fixed));
      return "data, logging and the norm of the gradients, once a step";
  }
  return {};
}

bool is_called(TimePart part, const std::string& name) {
  return as_name(to_string(part)) == name || (part == TimePart::pipeline && (name == "bubble" || name == "pipeline"));
}

}  // namespace

std::optional<UnfoldedNumber> unfold_step(const Workload& workload, const StepEstimate& step, const Hardware& hardware,
                                          const std::string& part) {
  if (step.seconds <= 0) return std::nullopt;
  UnfoldedNumber out{.name = "step", .value = seconds_text(step.seconds), .formula = {}, .inputs = {}};
  for (std::size_t i = 0; i < time_parts; ++i) {
    const auto which = static_cast<TimePart>(i);
    if (step.parts[i] <= 0) continue;
    const std::string name = "step." + as_name(to_string(which));
    const std::string value = seconds_text(step.parts[i]);
    if (part.empty()) {
      out.inputs.push_back({name, value, {}});
    } else if (is_called(which, part)) {
      out.name = name;
      out.value = value;
      StepInputs inputs(workload, hardware, out.inputs);
      out.formula = formula_of(which, inputs);
      return out;
    }
  }
  if (!part.empty()) return std::nullopt;
  out.formula = fmt::format("the parts of the slowest stage on {} added up", hardware.name);
  return out;
}

}  // namespace primus_plan
