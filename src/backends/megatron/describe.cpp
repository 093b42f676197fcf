#include "backends/megatron/describe.h"

#include <fmt/core.h>

#include <array>
#include <string_view>

#include "backends/common/describe.h"
#include "backends/common/effective.h"
#include "backends/megatron/fields.h"

namespace primus_plan::megatron {
namespace {

/// Shown whether or not they changed: what people compare with the framework's own log.
constexpr std::array<std::string_view, 16> always_shown{"micro_batch_size",
                                                        "global_batch_size",
                                                        "seq_length",
                                                        "num_layers",
                                                        "ffn_hidden_size",
                                                        "kv_channels",
                                                        "num_query_groups",
                                                        "num_experts",
                                                        "moe_ffn_hidden_size",
                                                        "sequence_parallel",
                                                        "overlap_p2p_comm",
                                                        "train_iters",
                                                        "expert_tensor_parallel_size",
                                                        "use_tp_pp_dp_mapping",
                                                        "num_distributed_optimizer_instances",
                                                        "use_distributed_optimizer"};

}  // namespace

EffectiveValues effective_values(const MegatronRun& run) {
  EffectiveValues out;
  out.emplace_back("data_parallel_size", known_size(run.dp()));
  out.emplace_back("expert_data_parallel_size", known_size(run.degrees.expert_data));
  out.emplace_back("virtual_pipeline_model_parallel_size",
                   run.virtual_pipeline ? make_integer(*run.virtual_pipeline) : make_null());
  constexpr std::array<std::string_view, 1> given_above{"virtual_pipeline_model_parallel_size"};
  append_effective<MegatronConfig>(fields(), run.given, run.config, always_shown, given_above, out);
  return out;
}

namespace {

PipelineSchedule schedule_of(const MegatronRun& run) {
  if (run.pp() < 2) return PipelineSchedule::none;
  const bool zero_bubble =
      (*run.config.patch_zero_bubble && *run.config.enable_zero_bubble) ||
      (*run.config.patch_primus_pipeline && run.config.pp_algorithm.value.starts_with("zero-bubble"));
  if (zero_bubble || run.v_schedule) return PipelineSchedule::zero_bubble;
  return run.interleaved() ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b;
}

}  // namespace

RunDescription describe(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  RunDescription out{.launch = run.launch,
                     .degrees = run.degrees,
                     .batch = run.batch,
                     .keys = {.tensor = key_of(config.tensor_model_parallel_size),
                              .pipeline = key_of(config.pipeline_model_parallel_size),
                              .virtual_pipeline = key_of(config.num_virtual_stages_per_pipeline_rank),
                              .context = key_of(config.context_parallel_size),
                              .expert = key_of(config.expert_model_parallel_size),
                              .expert_tensor = key_of(config.expert_tensor_parallel_size),
                              .data_replicate = key_of(config.num_distributed_optimizer_instances),
                              .data_shard = key_of(config.use_distributed_optimizer),
                              .micro_batch = key_of(config.micro_batch_size),
                              .global_batch = key_of(config.global_batch_size),
                              .sequence_length = key_of(config.seq_length)},
                     .experts = config.num_experts.value.value_or(0),
                     .schedule = schedule_of(run),
                     .stages = run.split.stages};
  if (run.virtual_pipeline) out.degrees.virtual_pipeline = *run.virtual_pipeline;
  return out;
}

GroupSizes group_sizes(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  GroupSizes sizes{.world = run.world(),
                   .tensor = run.tp(),
                   .pipeline = run.pp(),
                   .virtual_pipeline = run.virtual_pipeline,
                   .context = run.cp(),
                   .expert = run.ep(),
                   .expert_tensor = run.degrees.expert_tensor,
                   .order = *config.use_tp_pp_dp_mapping ? "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp",
                   .optimizer_instances = config.num_distributed_optimizer_instances.value.value_or(1),
                   .hierarchical_context = {},
                   .v_schedule = run.v_schedule,
                   .ranks_per_node = run.launch.gpus_per_node};
  if (const Node* list = config.hierarchical_context_parallel_sizes.value) {
    for (const NodePtr& item : list->items) sizes.hierarchical_context.push_back(item->integer);
  }
  return sizes;
}

std::vector<std::string> ramp_lines(const MegatronRun& run) {
  constexpr std::size_t most_lines = 12;
  std::vector<std::string> out;
  if (!run.parsed.ramp_up || run.micro_batch_start.fault || run.batch.micro <= 0 || run.dp() <= 0) return out;
  const std::vector<RampStep> steps = ramp_steps(run.micro_batch_input);
  for (const RampStep& step : steps) {
    if (out.size() == most_lines) {
      out.push_back(fmt::format("batch ramp: … {} sizes more", steps.size() - most_lines));
      break;
    }
    out.push_back(fmt::format("batch ramp: {} samples a step ({} micro-batch{}) from sample {}{}", step.batch.running,
                              step.batch.count, step.batch.count == 1 ? "" : "es", step.first_sample,
                              step.divisible ? "" : ", where the run stops"));
  }
  return out;
}

}  // namespace primus_plan::megatron
