#include "primus_plan/report/estimate.h"
#include "report/json_parts.h"

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

constexpr std::string_view count_names[] = {"megatron", "torchtitan", "maxtext"};

void write_parts(JsonWriter& json, const Parameters& parameters) {
  json.begin_object();
  for (std::size_t i = 0; i < parameter_parts; ++i) {
    const auto part = static_cast<ParameterPart>(i);
    if (parameters[part] > 0) json.key(to_string(part)).real(parameters[part]);
  }
  json.end_object();
}

void write_parameters(JsonWriter& json, const Estimate& estimate) {
  json.key("parameters").begin_object();
  json.key("total").real(estimate.parameters.total());
  json.key("active").real(estimate.active.total());
  json.key("parts");
  write_parts(json, estimate.parameters);
  json.end_object();
}

void write_flops(JsonWriter& json, const Workload& workload, const FlopsEstimate& flops) {
  json.key("flops").begin_object();
  json.key("counted_as").string(count_names[static_cast<std::size_t>(workload.counted_as)]);
  write_real(json, "counted_per_token_flops", flops.counted_per_token);
  write_real(json, "counted_per_step_flops", flops.counted_per_step());
  write_real(json, "counted_per_gpu_per_step_flops", flops.counted_per_gpu());
  write_real(json, "common_per_token_flops", flops.common_per_token);
  json.key("common_attention_per_token_flops").real(flops.common_attention_per_token);
  write_real(json, "common_per_step_flops", flops.common_per_step());
  write_real(json, "common_per_gpu_per_step_flops", flops.common_per_gpu());
  write_real(json, "tokens_per_step", flops.tokens_per_step);
  json.end_object();
}

void write_stage(JsonWriter& json, const Workload& workload, const StageMemory& stage, std::size_t rank) {
  json.begin_object();
  json.key("pipeline_rank").integer(static_cast<std::int64_t>(rank));
  json.key("parameters").real(rank_parameters(workload, rank).total());
  json.key("micro_batches_in_flight").real(stage.in_flight);
  json.key("allocated_bytes").real(stage.allocated());
  json.key("reserved_bytes").real(stage.reserved());
  json.key("device_bytes").real(stage.device());
  json.key("parts_bytes").begin_object();
  for (std::size_t i = 0; i < memory_parts; ++i) {
    const auto part = static_cast<MemoryPart>(i);
    if (stage[part] > 0) json.key(to_string(part)).real(stage[part]);
  }
  json.end_object();
  json.end_object();
}

void write_memory(JsonWriter& json, const EstimateReport& report) {
  const MemoryEstimate& memory = report.estimate.memory;
  json.key("memory");
  if (memory.stages.empty()) {
    json.null();
    return;
  }
  json.begin_object();
  write_range(json, "allocated_bytes", memory.allocated);
  write_range(json, "reserved_bytes", memory.reserved);
  write_range(json, "device_bytes", memory.device);
  json.key("fit");
  report.estimate.fit ? json.string(word_of(*report.estimate.fit)) : json.null();
  json.key("fullest_pipeline_rank").integer(static_cast<std::int64_t>(memory.fullest));
  json.key("stages").begin_array();
  for (std::size_t rank = 0; rank < memory.stages.size(); ++rank) {
    write_stage(json, *report.analysis.workload, memory.stages[rank], rank);
  }
  json.end_array();
  json.key("assumptions").begin_array();
  const MemoryDevice device = memory_device(report.hardware);
  for (const std::string& line : memory_assumptions(*report.analysis.workload, memory, device)) json.string(line);
  json.end_array();
  json.end_object();
}

void write_rate(JsonWriter& json, std::string_view name, double flops_per_second, double mfu) {
  json.key(name);
  if (flops_per_second <= 0) {
    json.null();
    return;
  }
  json.begin_object(Layout::one_line);
  json.key("flops_per_second_per_gpu").real(flops_per_second);
  json.key("mfu").real(mfu);
  json.end_object();
}

void write_step(JsonWriter& json, const EstimateReport& report) {
  const StepEstimate& step = report.estimate.step;
  json.key("step");
  if (step.seconds <= 0) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("seconds").real(step.seconds);
  json.key("low_seconds").real(step.low_seconds);
  json.key("high_seconds").real(step.high_seconds);
  json.key("tokens_per_second_per_gpu").real(step.tokens_per_second_per_gpu);
  write_rate(json, "counted", step.counted_flops_per_second_per_gpu, report.estimate.counted_mfu());
  write_rate(json, "common", step.flops_per_second_per_gpu, step.mfu);
  json.key("peak_flops_per_second_per_gpu").real(report.estimate.peak_flops);
  json.key("bubble_share").real(step.bubble_share);
  json.key("parts_seconds").begin_object();
  for (std::size_t i = 0; i < time_parts; ++i) {
    if (step.parts[i] > 0) json.key(to_string(static_cast<TimePart>(i))).real(step.parts[i]);
  }
  json.end_object();
  json.key("bottleneck").string(bottleneck_sentence(step, *report.analysis.workload));
  json.end_object();
}

/// Why there is no step time, or what it leaves out.
void write_step_notes(JsonWriter& json, const EstimateReport& report) {
  const Workload& workload = *report.analysis.workload;
  json.key("step_notes").begin_array();
  if (report.hardware != nullptr && report.estimate.step.seconds > 0) {
    for (const std::string& remark : step_remarks(workload)) json.string(remark);
  } else if (report.hardware != nullptr) {
    json.string("step time unknown: " + reason_without_step(workload, *report.hardware));
  }
  json.end_array();
}

}  // namespace

std::string estimate_to_json(const EstimateReport& report) {
  const Workload& workload = *report.analysis.workload;
  JsonWriter json;
  json.begin_object();
  write_run_identity(json, report.analysis);
  json.key("errors").integer(static_cast<std::int64_t>(report.analysis.errors));
  json.key("unknown").begin_array(Layout::one_line);
  for (const std::string_view fact : workload.unknown) json.string(fact);
  json.end_array();
  json.key("hardware");
  report.hardware == nullptr ? void(json.null()) : write_part(json, *report.hardware, report.hardware_source);
  json.key("calibration");
  report.calibration.empty() ? json.null() : json.string(report.calibration);
  write_parameters(json, report.estimate);
  write_flops(json, workload, report.estimate.flops);
  write_memory(json, report);
  write_step(json, report);
  write_step_notes(json, report);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
