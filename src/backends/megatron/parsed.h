#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/megatron/config.h"
#include "backends/megatron/layer_layout.h"
#include "backends/megatron/written_keys.h"

namespace primus_plan::megatron {

/// moe_layer_freq as Megatron reads it: one flag a layer, or every n-th layer.
struct LayerFrequency {
  std::optional<Int> every;           ///< an integer, or a string that evaluates to one: every n-th layer has experts
  std::vector<std::int64_t> pattern;  ///< a list, or a string that evaluates to one; -1 = neither 0 nor 1
  bool readable = true;               ///< false: a string that Primus cannot evaluate
};

/// recompute_layer_ids as Primus reads it: layer numbers over the whole model, in the order written.
struct LayerIds {
  std::vector<Int> ids;
  bool readable = true;  ///< false: Python's int() fails on an item, or there is nothing to iterate over
};

/// Keys whose values have a syntax of their own, parsed once for all launches and candidates.
struct ParsedKeys {
  LayerFrequency moe_layers;
  LayerFrequency linear_layers;  ///< linear_attention_freq, in the same syntax; neither when it is null
  std::vector<std::string_view> recompute_modules;
  LayerIds recompute_layer_ids;
  std::vector<std::string_view> cp_comm_types;
  std::optional<std::vector<Int>> ramp_up;  ///< rampup_batch_size; items that int() refuses become -1
  std::optional<PipelineLayout> layout;     ///< pipeline_model_parallel_layout, when it is one
  std::optional<LayoutError> layout_error;  ///< where it stops being one
  std::optional<HybridPattern> hybrid;      ///< hybrid_layer_pattern (or its deprecated twin), when it is one
  std::optional<HybridError> hybrid_error;
  WrittenKeys written;  ///< odd keys of the experiment; filled from the module's params
};

/// Reads them; what cannot be read is left empty for the rules to report.
ParsedKeys parse_keys(const MegatronConfig& config);

}  // namespace primus_plan::megatron
