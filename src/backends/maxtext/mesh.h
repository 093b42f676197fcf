#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "backends/maxtext/config.h"

namespace primus_plan::maxtext {

/// The axes that a device mesh of MaxText can have. Source: src/maxtext/configs/types.py (ici_map, dcn_map).
enum class MeshAxis : std::uint8_t {
  diloco,
  data,
  stage,
  fsdp,
  fsdp_transpose,
  sequence,
  context,
  context_usp_ulysses,
  context_autoregressive,
  tensor,
  tensor_sequence,
  expert,
  autoregressive,
  attn_dp,         ///< always 1 in training
  attn_dp_expert,  ///< always 1 in training
};
inline constexpr std::size_t axis_count = 15;

/// What is known of an axis: its name in mesh_axes and the keys that size it (null: always 1).
struct AxisInfo {
  MeshAxis axis;
  std::string_view name;
  Count MaxTextConfig::*ici;
  Count MaxTextConfig::*dcn;
};
std::span<const AxisInfo, axis_count> axis_infos();
const AxisInfo& info(MeshAxis axis);
/// By name, "model" being another name of tensor; null when MaxText has no such axis.
const AxisInfo* find_axis(std::string_view name);

/// A set of axes.
using AxisSet = std::uint16_t;
constexpr AxisSet only(MeshAxis axis) { return static_cast<AxisSet>(1U << static_cast<unsigned>(axis)); }
template <class... A>
constexpr AxisSet axes(A... each) {
  return static_cast<AxisSet>((0U | ... | static_cast<unsigned>(only(each))));
}
constexpr bool contains(AxisSet set, MeshAxis axis) { return (set & only(axis)) != 0; }

/// The axes that play one parallel dimension. Which axis splits the sequence is a choice of the run: Mesh::context.
inline constexpr AxisSet tensor_axes = axes(MeshAxis::tensor, MeshAxis::tensor_sequence, MeshAxis::autoregressive);
inline constexpr AxisSet context_axes =
    axes(MeshAxis::context, MeshAxis::context_usp_ulysses, MeshAxis::context_autoregressive);
inline constexpr AxisSet copy_axes = axes(MeshAxis::diloco, MeshAxis::data);
inline constexpr AxisSet shard_axes = axes(MeshAxis::fsdp, MeshAxis::fsdp_transpose);

/// The axes of a mesh in their order, the last varying fastest.
struct AxisOrder {
  std::array<MeshAxis, axis_count> axes{};
  std::size_t count = 0;
  std::span<const MeshAxis> list() const { return std::span(axes).first(count); }
  AxisSet set() const;
};

/// Which mesh axes cut the dimensions that checks ask about. Source: logical_axis_rules.
struct LogicalAxes {
  AxisSet batch = 0;                     ///< activation_embed_and_logits_batch: samples of the input
  AxisSet length = 0;                    ///< activation_norm_length: tokens of the input
  AxisSet experts = 0;                   ///< exp
  AxisSet key_heads = 0;                 ///< kv_heads
  MeshAxis context = MeshAxis::context;  ///< first axis of activation_length
  bool has_context = false;              ///< there is such a rule
};

/// A set of mesh axes and rules that custom_mesh_and_rule names.
struct CustomRule {
  std::string_view name;
  std::span<const MeshAxis> order;  ///< empty: MaxText has the name, but no file for it
  LogicalAxes logical;
};
/// Null for "" and for names MaxText does not have.
const CustomRule* find_custom_rule(std::string_view name);

/// The mesh and rules that one of MaxText's model files brings along; null for all but two of them.
const CustomRule* find_model_mesh(std::string_view model_file);

/// The mesh and the rules of base.yml.
std::span<const MeshAxis> default_order();
const LogicalAxes& default_logical_axes();

/// Why a list of degrees does not fill its target.
enum class FillFault : std::uint8_t {
  none,
  twice,         ///< more than one -1
  undetermined,  ///< the -1 would not be a whole number of 1 or more
  product,       ///< the product is another number
};
struct FillResult {
  FillFault fault = FillFault::none;
  Int product = 1;  ///< of the values as they stand at the end; without the -1 where that could not be determined
};

/// Replaces the one -1 by target / product of the others, then demands that the product is the target.
/// Source: src/maxtext/utils/max_utils.py:fill_unspecified_mesh_axes.
FillResult fill(std::span<Int> values, Int target);

}  // namespace primus_plan::maxtext
