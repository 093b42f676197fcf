#include <algorithm>

#include "backends/torchtitan/derive/derive.h"

namespace primus_plan::torchtitan {
namespace {

constexpr Int most_stages = 1'000'000;  // no run has more; bounds the memory that hostile numbers can ask for

/// Layers of each stage as generate_llm_fqn_per_model_part deals them out: each takes the same number of units, the
/// first stages one more, and embedding and output count as some units of the first and last stage.
std::vector<StageChunk> deal_layers(const TorchTitanRun& run) {
  const Pipeline& pipeline = run.pipeline;
  const Int layers = run.model().layers;
  const Int more = pipeline.units % pipeline.stages;
  std::vector<StageChunk> out(static_cast<std::size_t>(pipeline.stages));
  Int next = 0;
  for (Int stage = 0; stage < pipeline.stages; ++stage) {
    const bool first = stage == 0;
    const bool last = stage == pipeline.stages - 1;
    Int take = pipeline.least_units + (stage < more ? 1 : 0);
    if (first) take -= *run.config.pipeline_parallel_first_stage_less_layers;
    if (last && !first) take -= *run.config.pipeline_parallel_last_stage_less_layers;
    take = std::clamp<Int>(take, 0, layers - next);
    out[static_cast<std::size_t>(stage)] = {
        .first_layer = next, .layers = take, .embedding = first, .loss = last, .mtp_layers = 0};
    next += take;
  }
  return out;
}

std::vector<StageChunk> listed_layers(const ModelParts& parts) {
  std::vector<StageChunk> out;
  for (const StageParts& stage : parts.stages) {
    const Int first = stage.layers.empty() ? 0 : *std::min_element(stage.layers.begin(), stage.layers.end());
    out.push_back({.first_layer = first,
                   .layers = static_cast<Int>(stage.layers.size()),
                   .embedding = stage.embedding,
                   .loss = stage.output,
                   .mtp_layers = 0});
  }
  return out;
}

/// Stage s of V on P ranks: s % P in a loop, or there and back for V schedules.
void place_stages(const std::vector<StageChunk>& flat, TorchTitanRun& run) {
  const Int ranks = run.pp();
  const bool v_shaped = run.parsed.schedule != nullptr && run.parsed.schedule->v_shaped;
  run.stages.resize(static_cast<std::size_t>(ranks));
  for (Int stage = 0; stage < static_cast<Int>(flat.size()); ++stage) {
    const bool back = v_shaped && stage >= ranks;
    const Int rank = back ? 2 * ranks - 1 - stage : stage % ranks;
    run.stages[static_cast<std::size_t>(rank)].push_back(flat[static_cast<std::size_t>(stage)]);
  }
}

/// Number of virtual stages; 0 when pipeline_llm would refuse it.
Int virtual_stages(const TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  const Schedule& schedule = *run.parsed.schedule;
  const MaybeCount& layers_per_stage = config.pipeline_parallel_layers_per_stage;
  if (!layers_per_stage.value) return run.pp() * (schedule.multi_stage ? 2 : 1);
  if (*layers_per_stage.value <= 0 || run.pipeline.units <= 0) return 0;
  return (run.pipeline.units + *layers_per_stage.value - 1) / *layers_per_stage.value;
}

bool stages_are_legal(const TorchTitanRun& run, Int stages) {
  if (stages <= 0 || stages % run.pp() != 0) return false;
  const Int per_rank = stages / run.pp();
  const Schedule& schedule = *run.parsed.schedule;
  if (schedule.v_shaped) return per_rank == 2;
  return schedule.multi_stage ? per_rank >= 2 : per_rank == 1;
}

void derive_stages(TorchTitanRun& run) {
  Pipeline& pipeline = run.pipeline;
  if (!stages_are_legal(run, pipeline.stages)) return;
  const ModelParts& parts = run.parsed.parts;
  if (parts.given) {
    const auto count = static_cast<Int>(parts.stages.size());
    if (!parts.readable || !stages_are_legal(run, count)) return;
    pipeline.stages = count;
    pipeline.stages_per_rank = count / run.pp();
    place_stages(listed_layers(parts), run);
    return;
  }
  pipeline.stages_per_rank = pipeline.stages / run.pp();
  pipeline.least_units = pipeline.units / pipeline.stages;
  const Int first = *run.config.pipeline_parallel_first_stage_less_layers;
  const Int last = *run.config.pipeline_parallel_last_stage_less_layers;
  if (pipeline.stages > pipeline.units || first > pipeline.least_units || last > pipeline.least_units) return;
  place_stages(deal_layers(run), run);
}

}  // namespace

void derive_pipeline(TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  const Int layers = run.model().layers;
  if (!run.pipelines()) {
    if (layers > 0)
      run.stages = {{{.first_layer = 0, .layers = layers, .embedding = true, .loss = true, .mtp_layers = 0}}};
    return;
  }
  const Int micro = *config.pipeline_parallel_microbatch_size;
  if (micro > 0 && run.batch.micro > 0 && run.batch.micro % micro == 0)
    run.pipeline.micro_batches = run.batch.micro / micro;
  if (run.parsed.schedule == nullptr || layers <= 0) return;
  if (layers > most_stages || run.pp() > most_stages) return;
  const auto bounded = [](Int weight) { return std::clamp<Int>(weight, -most_stages, most_stages); };
  run.pipeline.units = layers + bounded(*config.pipeline_parallel_first_stage_less_layers) +
                       bounded(*config.pipeline_parallel_last_stage_less_layers);
  run.pipeline.stages = virtual_stages(run);
  derive_stages(run);
  if (run.pipeline.stages_per_rank > 0) run.degrees.virtual_pipeline = run.pipeline.stages_per_rank;
}

}  // namespace primus_plan::torchtitan
