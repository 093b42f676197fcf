#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/megatron/config.h"
#include "backends/megatron/layers.h"
#include "backends/megatron/microbatches.h"
#include "backends/megatron/parsed.h"
#include "primus_plan/config/environment.h"
#include "primus_plan/run/rewrite.h"
#include "primus_plan/run/run.h"

namespace primus_plan::megatron {

/// What Megatron makes of a config at one launch: the values it goes on with, and what follows from them. Rules read
/// this and nothing else. Numbers that could not be derived (a fault further up) are 0 or empty: rules stay silent
/// about them.
struct MegatronRun {
  const MegatronConfig& given;  ///< as Primus hands it over, before any rewrite
  const ParsedKeys& parsed;     ///< keys with a syntax of their own, read once
  const Environment& environment;
  Origin module;  ///< the module's name in the experiment: where findings about absent keys point

  MegatronConfig config;  ///< after all rewrites
  Launch launch;
  Degrees degrees;
  Batch batch;
  std::optional<Int> virtual_pipeline;  ///< model chunks per rank; empty = not interleaved, as the schedule sees it

  MicrobatchInput micro_batch_input;   ///< what the calculator is built from; meaningful when `batch` is known
  MicrobatchResult micro_batch_start;  ///< its first answer, or the fault that stops it

  bool v_schedule = false;  ///< a schedule that folds the pipeline: first and last stage share a rank
  LayerSplit split;         ///< layers of each (pipeline rank, chunk), or why they cannot be placed

  // Shorthands that rules use all the time.
  Int world() const { return launch.world_size; }
  Int tp() const { return degrees.tensor; }
  Int pp() const { return degrees.pipeline; }
  Int cp() const { return degrees.context; }
  Int ep() const { return degrees.expert; }
  Int dp() const { return degrees.data; }
  Int micro_batches() const { return batch.accumulation_steps; }
  bool is_moe() const { return config.num_experts.value.has_value(); }
  bool interleaved() const { return virtual_pipeline.has_value(); }
};

/// Runs the derivations in the order a real start has them: Primus's argument builder and patches, validate_args,
/// Primus's own validation, the micro-batch calculator, model parallel groups, TransformerConfig, layer split.
MegatronRun derive(const MegatronConfig& given, const ParsedKeys& parsed, const Launch& launch,
                   const Environment& environment, const Origin& module, Rewrites& rewrites);

}  // namespace primus_plan::megatron
