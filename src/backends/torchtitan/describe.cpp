#include "backends/torchtitan/describe.h"

#include <array>

#include "backends/common/describe.h"
#include "backends/torchtitan/fields.h"

namespace primus_plan::torchtitan {
namespace {

/// Shown whether or not they changed: what people compare with the framework's own log.
constexpr std::array<std::string_view, 5> always_shown{"parallelism.data_parallel_shard_degree",
                                                       "training.local_batch_size", "training.global_batch_size",
                                                       "training.seq_len", "training.steps"};

PipelineSchedule schedule_of(const TorchTitanRun& run) {
  const Schedule* schedule = run.parsed.schedule;
  if (!run.pipelines() || schedule == nullptr || schedule->is_abstract) return PipelineSchedule::none;
  if (schedule->zero_bubble) return PipelineSchedule::zero_bubble;
  if (schedule->multi_stage) return PipelineSchedule::interleaved;
  return schedule->need == MicroBatchNeed::any ? PipelineSchedule::gpipe : PipelineSchedule::one_f_one_b;
}

void append_pipeline(const TorchTitanRun& run, EffectiveValues& out) {
  out.emplace_back("num_virtual_stages", known_size(run.pipeline.stages));
  out.emplace_back("stages_per_rank", known_size(run.pipeline.stages_per_rank));
  out.emplace_back("n_microbatches", known_size(run.pipeline.micro_batches));
}

}  // namespace

EffectiveValues effective_values(const TorchTitanRun& run) {
  EffectiveValues out;
  const std::string_view policy = *run.config.fsdp_reshard_after_forward;
  const bool reshards = policy == "always" || (policy == "default" && !run.pipelines());
  out.emplace_back("batch_degree", known_size(run.meshes.batch));
  out.emplace_back("gradient_accumulation_steps", known_size(run.batch.accumulation_steps));
  out.emplace_back("seq_len_divisor", known_size(run.sequence_divisor));
  out.emplace_back("efsdp", known_size(run.meshes.efsdp));
  out.emplace_back("reshard_after_forward", run.shards() ? make_boolean(reshards) : make_null());
  out.emplace_back("loss_parallel", make_boolean(run.tp() > 1 && !*run.config.disable_loss_parallel));
  out.emplace_back("n_layers", known_size(run.model().layers));
  if (run.pipelines()) append_pipeline(run, out);
  append_effective<TorchTitanConfig>(fields(), run.given, run.config, always_shown, {}, out);
  return out;
}

RunDescription describe(const TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  RunDescription out{.launch = run.launch,
                     .degrees = run.degrees,
                     .batch = run.batch,
                     .keys = {.tensor = key_of(config.tensor_parallel_degree),
                              .pipeline = key_of(config.pipeline_parallel_degree),
                              .virtual_pipeline = key_of(config.pipeline_parallel_layers_per_stage),
                              .context = key_of(config.context_parallel_degree),
                              .expert = key_of(config.expert_parallel_degree),
                              .expert_tensor = key_of(config.expert_tensor_parallel_degree),
                              .data_replicate = key_of(config.data_parallel_replicate_degree),
                              .data_shard = key_of(config.data_parallel_shard_degree),
                              .micro_batch = key_of(config.local_batch_size),
                              .global_batch = key_of(config.global_batch_size),
                              .sequence_length = key_of(config.seq_len)},
                     .experts = run.model().moe ? run.model().experts.count : 0,
                     .schedule = schedule_of(run),
                     .stages = run.stages};
  out.batch.pipeline_micro_batches = run.pipeline.micro_batches;
  return out;
}

}  // namespace primus_plan::torchtitan
