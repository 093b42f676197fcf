#include <fmt/core.h>

#include <algorithm>

#include "estimate/step_model.h"
#include "primus_plan/estimate/flops.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

// 87 % of the dense and 78 % of the mixture-of-experts rows of the published measurements lie inside.
constexpr double dense_margin = 0.10;
constexpr double experts_margin = 0.20;

double share(const StepEstimate& estimate, TimePart which) {
  return estimate.seconds > 0 ? estimate.parts[static_cast<std::size_t>(which)] / estimate.seconds : 0;
}

std::string pipeline_reason(const Workload& w) {
  const Degrees& d = w.run.degrees;
  const std::int64_t micro_batches = std::max<std::int64_t>(1, w.run.batch.micro_batches_between_flushes());
  return one_is_singular(d.virtual_pipeline > 1
                             ? fmt::format("{} pipeline stages of {} chunks share {} micro-batches", d.pipeline,
                                           d.virtual_pipeline, micro_batches)
                             : fmt::format("{} pipeline stages share {} micro-batches", d.pipeline, micro_batches));
}

/// Why a part is as large as it is, in the run's own numbers.
std::string reason(TimePart which, const Workload& w) {
  const Degrees& d = w.run.degrees;
  const Batch& b = w.run.batch;
  switch (which) {
    case TimePart::attention:
      return fmt::format("sequences of {} tokens", with_commas(b.sequence_length));
    case TimePart::elementwise:
      return "norms, activations and residuals go through memory";
    case TimePart::logits:
      return fmt::format("a vocabulary of {}",
                         with_commas(w.model.vocabulary > 0 ? w.model.vocabulary : w.model.padded_vocabulary));
    case TimePart::launch:
      return fmt::format(
          "a micro-batch of {} tokens leaves the GPU waiting for kernel launches",
          with_commas(saturating_multiply(b.micro, b.sequence_length) / std::max<std::int64_t>(1, d.context)));
    case TimePart::recompute:
      return "forward passes are made again in the backward pass";
    case TimePart::tensor_exchange:
      return fmt::format("tensor parallel {}", d.tensor);
    case TimePart::context_exchange:
      return fmt::format("context parallel {}", d.context);
    case TimePart::expert_exchange:
      return fmt::format("expert parallel {}", d.expert);
    case TimePart::pipeline:
      return pipeline_reason(w);
    case TimePart::data_exchange:
      return fmt::format("{} data-parallel ranks exchange gradients and weights",
                         saturating_multiply(std::max<std::int64_t>(1, d.data), std::max<std::int64_t>(1, d.context)));
    case TimePart::optimizer:
      return "the optimizer reads and writes its states";
    case TimePart::fixed:
      return "what each step does once, against so few tokens";
    case TimePart::matrices:
    case TimePart::experts:
      break;
  }
  return "the model's own work";
}

}  // namespace

std::string_view to_string(TimePart part) {
  switch (part) {
    case TimePart::matrices:
      return "matrix products";
    case TimePart::experts:
      return "expert products";
    case TimePart::attention:
      return "attention";
    case TimePart::elementwise:
      return "elementwise";
    case TimePart::logits:
      return "logits and loss";
    case TimePart::launch:
      return "launches";
    case TimePart::recompute:
      return "recompute";
    case TimePart::tensor_exchange:
      return "tensor exchange";
    case TimePart::context_exchange:
      return "context exchange";
    case TimePart::expert_exchange:
      return "expert exchange";
    case TimePart::pipeline:
      return "pipeline bubble";
    case TimePart::data_exchange:
      return "data exchange";
    case TimePart::optimizer:
      return "optimizer";
    case TimePart::fixed:
      return "fixed";
  }
  return "";
}

std::string_view name_of(const Precision& precision) {
  switch (precision.compute) {
    case NumberFormat::fp32:
      return "fp32";
    case NumberFormat::bf16:
      return "bf16";
    case NumberFormat::fp16:
      return "fp16";
    case NumberFormat::fp8:
      return precision.recipe == ScalingRecipe::microscaling ? "mxfp8" : "fp8";
    case NumberFormat::fp4:
      return "fp4";
  }
  return "";
}

std::string trouble_with_format(const Precision& precision, const Hardware& hardware) {
  if (hardware.computes(precision)) return {};
  // Every part computes in fp32; the facts may lack how fast.
  if (precision.compute == NumberFormat::fp32)
    return fmt::format("how fast {} computes in fp32 is not stated (peak_fp32_tflops)", hardware.name);
  return fmt::format("{} does not compute in {}", hardware.name, name_of(precision));
}

std::string reason_without_step(const Workload& w, const Hardware& hardware) {
  if (!has_layers(w)) return "the dimensions of the model are not known";
  if (!has_batch(w)) return "the batch cannot be derived";
  return trouble_with_format(w.precision, hardware);
}

std::vector<std::string> step_remarks(const Workload& w) {
  std::vector<std::string> out;
  const Sharding& s = w.sharding;
  const bool uses_host = s.offloaded_optimizer > 0 || s.offloaded_weights || s.offloaded_gradients ||
                         w.recompute.offloaded > 0 || w.recompute.offloads_modules;
  if (uses_host) {
    out.push_back(fmt::format("copies to and from host memory{} are not timed: the real step is longer",
                              s.offloaded_optimizer > 0 ? ", and an optimizer's step there," : ""));
  }
  if (w.precision.compute == NumberFormat::fp32) {
    out.emplace_back(
        w.runtime == Runtime::xla
            ? "products of fp32 are timed without TF32, which XLA may take by default: the real step may be shorter"
        : w.kernels.transformer_engine
            ? "products of fp32 are timed without TF32, which Transformer Engine takes on NVIDIA's parts: the real "
              "step "
              "is shorter there"
            : "products of fp32 are timed without TF32, which torch.backends.cuda.matmul.allow_tf32 would turn on");
  }
  return out;
}

void finish(StepEstimate& out, const Workload& w, const Hardware& hardware) {
  const double margin = w.model.experts > 0 ? experts_margin : dense_margin;
  out.low_seconds = out.seconds * (1 - margin);
  out.high_seconds = out.seconds * (1 + margin);
  const FlopsEstimate flops = estimate_flops(w);
  const double gpus = static_cast<double>(w.run.launch.world_size);
  out.tokens_per_second_per_gpu = static_cast<double>(w.run.batch.tokens_per_step()) / out.seconds / gpus;
  out.flops_per_second_per_gpu = flops.common_per_token * out.tokens_per_second_per_gpu;
  out.counted_flops_per_second_per_gpu = flops.counted_per_token * out.tokens_per_second_per_gpu;
  const double peak = hardware.peak_flops(w.precision.compute);
  out.mfu = peak > 0 ? out.flops_per_second_per_gpu / peak : 0;
  out.bubble_share = share(out, TimePart::pipeline);
  std::size_t largest = static_cast<std::size_t>(TimePart::attention);
  for (std::size_t i = largest; i < time_parts; ++i) {
    if (out.parts[i] > out.parts[largest]) largest = i;
  }
  out.bottleneck = static_cast<TimePart>(largest);
}

std::string bottleneck_sentence(const StepEstimate& estimate, const Workload& w) {
  if (estimate.seconds <= 0) return {};
  const double work = share(estimate, TimePart::matrices) + share(estimate, TimePart::experts);
  return fmt::format("After {} ({:.0f}%) most time goes into {} ({:.0f}%): {}.",
                     w.model.experts > 0 ? "matrix and expert products" : "matrix products", 100 * work,
                     to_string(estimate.bottleneck), 100 * share(estimate, estimate.bottleneck),
                     reason(estimate.bottleneck, w));
}

}  // namespace primus_plan
