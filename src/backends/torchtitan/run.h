#pragma once

#include <string_view>
#include <vector>

#include "backends/torchtitan/config.h"
#include "backends/torchtitan/parsed.h"
#include "primus_plan/config/environment.h"
#include "primus_plan/run/rewrite.h"
#include "primus_plan/run/run.h"

namespace primus_plan::torchtitan {

/// Sizes of TorchTitan's device meshes; all 0 when they cannot be built.
/// Source: torchtitan/distributed/parallel_dims.py:build_mesh.
struct Meshes {
  Int pp = 0;
  Int batch = 0;  ///< replicate x shard: ranks that see different samples
  Int loss = 0;   ///< replicate x shard x CP
  Int dp_replicate = 0;
  Int dp_shard = 0;  ///< resolved; not a mesh of its own
  Int fsdp = 0;      ///< shard x CP: ranks that share the dense parameters
  Int cp = 0;
  Int tp = 0;
  Int ep = 0;
  Int efsdp = 0;  ///< ranks that share the parameters of one expert; 0 when it is no whole number
  Int etp = 0;
};

/// What the pipeline schedule works on. 0 = no pipeline, or not derivable.
struct Pipeline {
  Int stages = 0;  ///< virtual stages over all ranks
  Int stages_per_rank = 0;
  Int micro_batches = 0;  ///< of one accumulation step: local_batch_size / pipeline_parallel_microbatch_size
  Int least_units = 0;    ///< layers that each stage takes at least, the weights of embedding and output counted
  Int units = 0;          ///< all layers, those weights counted
};

/// What TorchTitan makes of a config at one launch. Rules read this and nothing else. Numbers that could not be derived
/// (a fault further up) are 0 or empty: rules stay silent about them.
struct TorchTitanRun {
  const TorchTitanConfig& given;  ///< as Primus hands it over, before any rewrite
  const ParsedKeys& parsed;       ///< keys with a syntax of their own, read once
  const Environment& environment;
  Origin module;  ///< the module's name in the experiment: where findings about absent keys point

  TorchTitanConfig config;  ///< after all rewrites
  Launch launch;
  Int ranks = 0;  ///< the launch's world size, or NGPU when comm.mode simulates one
  Degrees degrees;
  Batch batch;
  Meshes meshes;
  Int sequence_divisor = 0;  ///< 2 x CP x TP
  Pipeline pipeline;
  std::vector<std::vector<StageChunk>> stages;  ///< [pipeline rank][chunk]; empty when the layers cannot be placed

  // Shorthands that rules use all the time.
  Int world() const { return ranks; }
  Int tp() const { return *config.tensor_parallel_degree; }
  Int pp() const { return *config.pipeline_parallel_degree; }
  Int cp() const { return *config.context_parallel_degree; }
  Int ep() const { return *config.expert_parallel_degree; }
  Int etp() const { return *config.expert_tensor_parallel_degree; }
  Int replicate() const { return *config.data_parallel_replicate_degree; }
  const Architecture& model() const { return parsed.architecture; }
  Family family() const { return parsed.model != nullptr ? parsed.model->family : Family::other; }
  bool meshes_exist() const { return meshes.fsdp > 0; }
  bool pipelines() const { return pp() > 1; }
  /// FSDP wraps the model: parameters are sharded and mixed precision applies.
  bool shards() const { return meshes.fsdp > 1; }
  /// Without FSDP, which casts, TP or PP switch off the autocast that other runs have.
  /// Source: torchtitan/distributed/utils.py:maybe_enable_amp.
  bool autocast_is_off() const { return meshes.fsdp == 1 && (tp() > 1 || pp() > 1); }
  /// Products are made in mixed_precision_param. With EP, the model is wrapped in FSDP on any number of ranks
  /// (models/deepseek_v3/infra/parallelize.py).
  bool mixes_precision() const { return !autocast_is_off() || (ep() > 1 && model().moe); }
  /// Whether the file holds something else than a number (or word) here; the field then keeps its default.
  bool is_unreadable(const char* key) const;
};

/// Runs the derivations in the order a real start has them: degrees and meshes, model arguments, batch, pipeline.
TorchTitanRun derive(const TorchTitanConfig& given, const ParsedKeys& parsed, const Launch& launch,
                     const Environment& environment, const Origin& module, Rewrites& rewrites);

}  // namespace primus_plan::torchtitan
