#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/maxtext/mesh.h"

namespace primus_plan::maxtext {

/// Keys with a syntax of their own, read once.
struct ParsedKeys {
  AxisOrder order;                              ///< the mesh's axes, before pipeline parallelism moves `stage`
  std::vector<std::string> unknown_axes;        ///< names in mesh_axes that MaxText has no axis for
  std::vector<std::string_view> repeated_axes;  ///< names that mesh_axes has twice
  LogicalAxes logical;
  const CustomRule* custom_rule = nullptr;  ///< replaces mesh_axes and the rules
  bool engram = false;                      ///< engram_layers is not empty
  bool deepstack = false;                   ///< deepstack_visual_indexes_for_vit is not empty
  Int bad_compress_ratio = 0;               ///< a value of compress_ratios that MaxText refuses; 0 = none
};

/// `model_file`: the name of the model file in use; empty for none.
ParsedKeys parse_keys(const MaxTextConfig& config, std::string_view model_file);

}  // namespace primus_plan::maxtext
