#pragma once

#include <array>
#include <optional>
#include <vector>

#include "backends/maxtext/config.h"
#include "backends/maxtext/layers.h"
#include "backends/maxtext/mesh.h"
#include "backends/maxtext/parsed.h"
#include "primus_plan/run/rewrite.h"
#include "primus_plan/run/run.h"

namespace primus_plan::maxtext {

/// The device mesh. Sizes are by axis; axes outside the mesh have size 1.
struct Mesh {
  AxisOrder order;  ///< as MaxText builds it: `stage` first with pipeline parallelism
  AxisSet axes = 0;
  LogicalAxes logical;
  MeshAxis context = MeshAxis::context;  ///< the axis that plays context parallel (context_sharding)
  Int slices = 0;                        ///< as MaxText resolves num_slices
  Int devices_per_slice = 0;
  FillResult ici_fill;
  FillResult dcn_fill;  ///< with one slice MaxText does not look at the dcn degrees
  std::array<Int, axis_count> ici{};
  std::array<Int, axis_count> dcn{};
  std::array<Int, axis_count> size{};
  Int diloco_others = 0;           ///< product of the other dcn degrees where dcn_diloco_parallelism is -1
  bool diloco_unresolved = false;  ///< that -1 would not be whole
  bool resolved = false;           ///< the degrees fill the devices

  Int size_of(MeshAxis axis) const { return size[static_cast<std::size_t>(axis)]; }
  /// The axes that split the sequence.
  AxisSet context_set() const { return static_cast<AxisSet>(context_axes | only(context)); }
  /// The axes whose ranks see different samples. An axis that stands in for context parallel (context_sharding: expert)
  /// splits the sequence instead.
  AxisSet sample_set() const {
    return static_cast<AxisSet>((copy_axes | shard_axes | only(MeshAxis::expert)) & ~context_set());
  }
  /// Product of the sizes of these axes; 0 when the mesh could not be resolved.
  Int shards(AxisSet set) const;
};

/// Samples, as MaxText computes them. Source: src/maxtext/configs/types.py:calculate_global_batch_sizes.
struct BatchSizes {
  Int load = 0;   ///< global_batch_size_to_load
  Int train = 0;  ///< global_batch_size_to_train_on
  Int micro = 0;  ///< micro_batch_size_to_train_on: one forward pass of all devices
};

/// A growing batch at the start of training.
struct RampUp {
  Int load_start = 0;
  Int load_increment = 0;
  Int end_step = 0;
  std::optional<double> samples_per_increment;
};

/// Model dimensions after global_parameter_scale. 0 = could not be derived.
struct ModelSizes {
  Int embedding = 0;
  Int query_heads = 0;
  Int key_heads = 0;
  Int mlp = 0;
  Int moe_mlp = 0;
  Int layers = 0;
};

inline bool on_gpu(const MaxTextConfig& config) {
  return *config.hardware == "gpu" || *config.hardware == "gpu_multiprocess";
}

/// Whether experts' grouped products run in Pallas' interpreter. Source: src/maxtext/layers/moe.py:sparse_matmul.
inline bool interprets_megablox(const MaxTextConfig& config) {
  return *config.num_experts > 1 && on_gpu(config) && !*config.use_tokamax_gmm && *config.sparse_matmul &&
         *config.megablox;
}

/// What MaxText makes of a config at one launch. Rules read this and nothing else. Numbers that could not be derived (a
/// fault further up) are 0 or empty: rules stay silent about them.
struct MaxTextRun {
  const MaxTextConfig& given;  ///< after the layers, before MaxText derives anything
  const LayeredConfig& layers;
  const ParsedKeys& parsed;
  Origin module;  ///< the module's name in the experiment: where findings about absent keys point

  MaxTextConfig config;  ///< after all rewrites
  Launch launch;
  ModelSizes model;
  Mesh mesh;
  BatchSizes batch_sizes;
  BatchSizes eval_sizes;
  std::optional<RampUp> ramp_up;
  bool pipelining = false;  ///< using_pipeline_parallelism: a pipeline degree is above 1
  Int pipeline_stages = 0;  ///< product of the pipeline degrees as they are written; negative when a -1 got into it

  Degrees degrees;
  Batch batch;
  std::vector<std::vector<StageChunk>> stages;

  Int devices() const { return launch.world_size; }
  bool pipelined() const { return pipelining; }
  bool is_moe() const { return *config.num_experts > 1; }
  bool on_gpu() const { return maxtext::on_gpu(config); }
  /// Size of the axis that plays context parallel; 1 when the mesh has none, 0 when it could not be resolved.
  Int context_size() const { return mesh.resolved ? mesh.size_of(mesh.context) : 0; }
};

/// Runs the derivations in the order of MaxText's own: types.py:set_derived_and_validate_values, then the mesh as
/// maxtext_utils.py:create_device_mesh builds it.
MaxTextRun derive(const MaxTextConfig& given, const LayeredConfig& layers, const ParsedKeys& parsed,
                  const Launch& launch, const Origin& module, Rewrites& rewrites);

}  // namespace primus_plan::maxtext
