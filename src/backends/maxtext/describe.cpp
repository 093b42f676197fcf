#include "backends/maxtext/describe.h"

#include <array>
#include <string_view>

#include "backends/common/describe.h"
#include "backends/maxtext/fields.h"

namespace primus_plan::maxtext {
namespace {

/// Shown whether or not they changed.
constexpr std::array<std::string_view, 14> always_shown{"model_name",
                                                        "num_slices",
                                                        "per_device_batch_size",
                                                        "gradient_accumulation_steps",
                                                        "max_target_length",
                                                        "steps",
                                                        "num_experts",
                                                        "context_parallel_strategy",
                                                        "context_sharding",
                                                        "pipeline_parallel_layers",
                                                        "num_layers_per_pipeline_stage",
                                                        "num_pipeline_repeats",
                                                        "num_pipeline_microbatches",
                                                        "attention"};

NodePtr axis_sizes(const MaxTextRun& run, const std::array<Int, axis_count>& sizes) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::mapping;
  std::vector<Entry> entries;
  for (const MeshAxis axis : run.mesh.order.list()) {
    const Int size = sizes[static_cast<std::size_t>(axis)];
    if (size == 1) continue;
    auto assignment = std::make_shared<Assignment>();
    assignment->value = make_integer(size);
    entries.push_back({make_string(std::string(info(axis).name)), assignment->value, {}, assignment});
  }
  node->set_entries(std::move(entries));
  return node;
}

NodePtr axis_names(const MaxTextRun& run) {
  std::vector<NodePtr> names;
  for (const MeshAxis axis : run.mesh.order.list()) names.push_back(make_string(std::string(info(axis).name)));
  return make_sequence(std::move(names));
}

void add_batch(const MaxTextRun& run, EffectiveValues& out) {
  out.emplace_back("global_batch_size_to_train_on", make_integer(run.batch_sizes.train));
  out.emplace_back("global_batch_size_to_load", make_integer(run.batch_sizes.load));
  out.emplace_back("micro_batch_size_to_train_on", make_integer(run.batch_sizes.micro));
  out.emplace_back("global_batch_size_to_eval_on", make_integer(run.eval_sizes.train));
  out.emplace_back("global_batch_size_to_load_eval", make_integer(run.eval_sizes.load));
  if (!run.ramp_up) return;
  out.emplace_back("global_batch_size_to_load_start", make_integer(run.ramp_up->load_start));
  out.emplace_back("global_batch_size_to_load_increment", make_integer(run.ramp_up->load_increment));
  out.emplace_back("rampup_end_step", make_integer(run.ramp_up->end_step));
}

void add_mesh(const MaxTextRun& run, EffectiveValues& out) {
  out.emplace_back("num_target_devices", make_integer(run.devices()));
  out.emplace_back("mesh_axes", axis_names(run));
  if (!run.mesh.resolved) return;
  out.emplace_back("ici_resolved", axis_sizes(run, run.mesh.ici));
  if (run.mesh.slices > 1) out.emplace_back("dcn_resolved", axis_sizes(run, run.mesh.dcn));
  out.emplace_back("mesh_shape", axis_sizes(run, run.mesh.size));
}

void add_model(const MaxTextRun& run, EffectiveValues& out) {
  out.emplace_back("emb_dim", known_size(run.model.embedding));
  out.emplace_back("num_query_heads", known_size(run.model.query_heads));
  out.emplace_back("num_kv_heads", known_size(run.model.key_heads));
  out.emplace_back("mlp_dim", known_size(run.model.mlp));
  if (run.is_moe()) out.emplace_back("moe_mlp_dim", known_size(run.model.moe_mlp));
  out.emplace_back("num_decoder_layers", known_size(run.model.layers));
  out.emplace_back("using_pipeline_parallelism", make_boolean(run.pipelined()));
}

/// The inner degree, or the outer one where only that is written.
RunKey degree_key(const Count& ici, const Count& dcn) {
  return key_of(dcn.is_explicit && !ici.is_explicit ? dcn : ici);
}

PipelineSchedule schedule_of(const MaxTextRun& run) {
  if (run.pipeline_stages < 2) return PipelineSchedule::none;
  // All forward passes, then JAX differentiates through them; repeats make the stages circular.
  return *run.config.num_pipeline_repeats > 1 ? PipelineSchedule::interleaved : PipelineSchedule::gpipe;
}

}  // namespace

EffectiveValues effective_values(const MaxTextRun& run) {
  EffectiveValues out;
  add_batch(run, out);
  add_mesh(run, out);
  add_model(run, out);
  constexpr std::array<std::string_view, 1> given_above{"mesh_axes"};
  append_effective<MaxTextConfig>(fields(), run.given, run.config, always_shown, given_above, out);
  return out;
}

RunDescription describe(const MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  return {.launch = run.launch,
          .degrees = run.degrees,
          .batch = run.batch,
          .keys = {.tensor = degree_key(config.ici_tensor_parallelism, config.dcn_tensor_parallelism),
                   .pipeline = degree_key(config.ici_pipeline_parallelism, config.dcn_pipeline_parallelism),
                   .virtual_pipeline = key_of(config.num_pipeline_repeats),
                   .context = degree_key(config.ici_context_parallelism, config.dcn_context_parallelism),
                   .expert = degree_key(config.ici_expert_parallelism, config.dcn_expert_parallelism),
                   .expert_tensor = {},
                   .data_replicate = degree_key(config.ici_data_parallelism, config.dcn_data_parallelism),
                   .data_shard = degree_key(config.ici_fsdp_parallelism, config.dcn_fsdp_parallelism),
                   .micro_batch = key_of(config.per_device_batch_size),
                   .global_batch = {},
                   .sequence_length = key_of(config.max_target_length)},
          .experts = run.is_moe() ? *config.num_experts : 0,
          .schedule = schedule_of(run),
          .stages = run.stages};
}

}  // namespace primus_plan::maxtext
