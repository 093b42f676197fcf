#include <algorithm>

#include "backends/maxtext/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

/// Stages that MaxText's pipeline really has; 1 when it is off.
Int stage_count(const MaxTextRun& run) { return run.pipeline_stages > 0 ? run.pipeline_stages : 1; }

void describe_layers(MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  const Int layers = run.model.layers;
  if (layers <= 0) return;
  if (!run.pipelined()) {
    run.stages = {
        {{.first_layer = 0, .layers = layers, .embedding = true, .loss = true, .mtp_layers = *config.mtp_num_layers}}};
    return;
  }
  constexpr Int most_chunks = 1'000'000;
  const Int stages = run.pipeline_stages;
  const Int each = *config.num_layers_per_pipeline_stage;
  const Int repeats = *config.num_pipeline_repeats;
  const Int inside = *config.pipeline_parallel_layers;
  if (stages < 1 || each < 1 || repeats < 1 || inside > layers) return;
  if (saturating_multiply(saturating_multiply(stages, each), repeats) != inside ||
      saturating_multiply(stages, repeats) > most_chunks)
    return;
  // Dense layers of deepseek come before the pipeline, what else stays outside comes after it.
  const Int before =
      *config.decoder_block == "deepseek" ? std::min(*config.first_num_dense_layers, layers - inside) : 0;
  const Int after = layers - inside - before;
  run.stages.resize(static_cast<std::size_t>(stages));
  for (Int stage = 0; stage < stages; ++stage) {
    auto& chunks = run.stages[static_cast<std::size_t>(stage)];
    if (before > 0) chunks.push_back({.first_layer = 0, .layers = before});
    for (Int repeat = 0; repeat < repeats; ++repeat) {
      chunks.push_back({.first_layer = before + (repeat * stages + stage) * each, .layers = each});
    }
    if (after > 0) chunks.push_back({.first_layer = before + inside, .layers = after});
    // Outside the pipeline `stage` is one more data axis: every stage has the embedding and the loss.
    chunks.front().embedding = true;
    chunks.back().loss = true;
    chunks.back().mtp_layers = *config.mtp_num_layers;
  }
}

}  // namespace

void describe_degrees(MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  const Mesh& mesh = run.mesh;
  Degrees& degrees = run.degrees;
  Batch& batch = run.batch;
  batch.global = run.batch_sizes.train;
  batch.accumulation_steps = *config.gradient_accumulation_steps;
  batch.sequence_length = *config.max_target_length;
  degrees.virtual_pipeline = run.pipelined() ? std::max<Int>(*config.num_pipeline_repeats, 1) : 1;
  degrees.pipeline = stage_count(run);
  if (run.pipeline_stages > 1) batch.pipeline_micro_batches = *config.num_pipeline_microbatches;
  if (!mesh.resolved) {
    degrees.tensor = degrees.context = degrees.expert = degrees.expert_tensor = 0;
  } else {
    const AxisSet context = mesh.context_set();
    degrees.tensor = mesh.shards(tensor_axes);
    degrees.expert_tensor = degrees.tensor;
    degrees.context = mesh.shards(context);
    degrees.expert = run.is_moe() ? mesh.shards(mesh.logical.experts) : 1;
    degrees.data = mesh.shards(mesh.sample_set());
    // A -1 on the stage axis makes it one more data axis.
    if (!run.pipelined()) degrees.data = saturating_multiply(degrees.data, mesh.size_of(MeshAxis::stage));
    degrees.data_replicate = mesh.shards(copy_axes);
    degrees.data_shard = mesh.shards(static_cast<AxisSet>(shard_axes | only(MeshAxis::expert) | context));
    const Int outside = saturating_multiply(saturating_multiply(degrees.tensor, degrees.expert), degrees.pipeline);
    degrees.expert_data = outside > 0 && run.devices() % outside == 0 ? run.devices() / outside : 0;
    batch.micro =
        degrees.data > 0 && run.batch_sizes.micro % degrees.data == 0 ? run.batch_sizes.micro / degrees.data : 0;
  }
  describe_layers(run);
}

}  // namespace primus_plan::maxtext
