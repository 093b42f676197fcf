#include "backends/maxtext/mesh.h"

#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

using A = MeshAxis;
using C = MaxTextConfig;

constexpr std::array<AxisInfo, axis_count> infos{{
    {A::diloco, "diloco", &C::ici_diloco_parallelism, &C::dcn_diloco_parallelism},
    {A::data, "data", &C::ici_data_parallelism, &C::dcn_data_parallelism},
    {A::stage, "stage", &C::ici_pipeline_parallelism, &C::dcn_pipeline_parallelism},
    {A::fsdp, "fsdp", &C::ici_fsdp_parallelism, &C::dcn_fsdp_parallelism},
    {A::fsdp_transpose, "fsdp_transpose", &C::ici_fsdp_transpose_parallelism, &C::dcn_fsdp_transpose_parallelism},
    {A::sequence, "sequence", &C::ici_sequence_parallelism, &C::dcn_sequence_parallelism},
    {A::context, "context", &C::ici_context_parallelism, &C::dcn_context_parallelism},
    {A::context_usp_ulysses, "context_usp_ulysses", &C::ici_context_usp_ulysses_parallelism,
     &C::dcn_context_usp_ulysses_parallelism},
    {A::context_autoregressive, "context_autoregressive", &C::ici_context_autoregressive_parallelism,
     &C::dcn_context_autoregressive_parallelism},
    {A::tensor, "tensor", &C::ici_tensor_parallelism, &C::dcn_tensor_parallelism},
    {A::tensor_sequence, "tensor_sequence", &C::ici_tensor_sequence_parallelism, &C::dcn_tensor_sequence_parallelism},
    {A::expert, "expert", &C::ici_expert_parallelism, &C::dcn_expert_parallelism},
    {A::autoregressive, "autoregressive", &C::ici_autoregressive_parallelism, &C::dcn_autoregressive_parallelism},
    {A::attn_dp, "attn_dp", nullptr, nullptr},
    {A::attn_dp_expert, "attn_dp_expert", nullptr, nullptr},
}};

constexpr MeshAxis base_order[] = {A::diloco,
                                   A::data,
                                   A::stage,
                                   A::fsdp,
                                   A::fsdp_transpose,
                                   A::context,
                                   A::context_usp_ulysses,
                                   A::context_autoregressive,
                                   A::tensor,
                                   A::tensor_sequence,
                                   A::expert,
                                   A::autoregressive};

constexpr LogicalAxes base_logical{
    .batch = axes(A::data, A::stage, A::fsdp, A::fsdp_transpose, A::expert),
    .length = axes(A::tensor_sequence, A::context, A::context_usp_ulysses),
    .experts = axes(A::expert),
    .key_heads = axes(A::tensor, A::tensor_sequence, A::autoregressive),
    .context = A::context,
    .has_context = true,
};

constexpr MeshAxis pure_fsdp[] = {A::fsdp};
constexpr MeshAxis cp_as_ep[] = {A::data, A::stage, A::fsdp, A::context, A::expert};
constexpr MeshAxis ep_as_cp[] = {A::data, A::stage, A::fsdp, A::expert};
constexpr MeshAxis pipeline_large_moe[] = {A::data, A::stage, A::fsdp, A::context, A::tensor, A::expert};
constexpr MeshAxis ep_as_dp[] = {A::data, A::fsdp, A::fsdp_transpose, A::expert};
constexpr MeshAxis shard_exp_on_fsdp[] = {A::data, A::stage, A::fsdp, A::fsdp_transpose, A::context, A::expert};

/// Source: src/maxtext/configs/custom_mesh_and_rule/*.yml.
constexpr CustomRule custom_rules[] = {
    {"pure-fsdp", pure_fsdp, {.batch = axes(A::fsdp)}},
    {"cp-as-ep",
     cp_as_ep,
     {.batch = axes(A::data, A::stage, A::fsdp, A::expert),
      .length = axes(A::context),
      .experts = axes(A::context, A::expert),
      .context = A::context,
      .has_context = true}},
    {"ep-as-cp",
     ep_as_cp,
     {.batch = axes(A::data, A::stage, A::fsdp),
      .length = axes(A::expert),
      .experts = axes(A::expert),
      .context = A::expert,
      .has_context = true}},
    {"pipeline-large-moe",
     pipeline_large_moe,
     {.batch = axes(A::data, A::stage, A::fsdp, A::expert),
      .length = axes(A::context),
      .experts = axes(A::expert),
      .key_heads = axes(A::tensor),
      .context = A::context,
      .has_context = true}},
    {"2d-fsdp", {}, {}},
    {"ep-as-dp", ep_as_dp, {.batch = axes(A::data, A::fsdp, A::fsdp_transpose, A::expert), .experts = axes(A::expert)}},
    {"shard-exp-on-fsdp",
     shard_exp_on_fsdp,
     {.batch = axes(A::data, A::stage, A::fsdp, A::fsdp_transpose, A::expert),
      .length = axes(A::context),
      .experts = axes(A::expert, A::fsdp),
      .context = A::context,
      .has_context = true}},
};

constexpr MeshAxis two_d_fsdp[] = {A::data, A::stage, A::fsdp, A::fsdp_transpose, A::expert, A::context};
constexpr MeshAxis batch_split[] = {A::data, A::fsdp, A::expert, A::context};

/// Source: src/maxtext/configs/models/deepseek3-671b-*.yml.
constexpr CustomRule model_meshes[] = {
    {"deepseek3-671b-2dfsdp",
     two_d_fsdp,
     {.batch = axes(A::data, A::stage, A::fsdp, A::fsdp_transpose, A::expert, A::context),
      .key_heads = axes(A::fsdp_transpose)}},
    {"deepseek3-671b-batchsplit", batch_split, {.batch = axes(A::data, A::fsdp, A::expert, A::context)}},
};

const CustomRule* find_in(std::span<const CustomRule> table, std::string_view name) {
  for (const CustomRule& rule : table) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

}  // namespace

std::span<const AxisInfo, axis_count> axis_infos() { return infos; }

const AxisInfo& info(MeshAxis axis) { return infos[static_cast<std::size_t>(axis)]; }

const AxisInfo* find_axis(std::string_view name) {
  if (name == "model") return &info(A::tensor);
  for (const AxisInfo& each : infos) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

AxisSet AxisOrder::set() const {
  AxisSet out = 0;
  for (const MeshAxis axis : list()) out = static_cast<AxisSet>(out | only(axis));
  return out;
}

const CustomRule* find_custom_rule(std::string_view name) { return find_in(custom_rules, name); }

const CustomRule* find_model_mesh(std::string_view model_file) { return find_in(model_meshes, model_file); }

std::span<const MeshAxis> default_order() { return base_order; }

const LogicalAxes& default_logical_axes() { return base_logical; }

FillResult fill(std::span<Int> values, Int target) {
  Int others = 1;
  Int* open = nullptr;
  bool twice = false;
  for (Int& value : values) {
    if (value == -1) {
      twice = twice || open != nullptr;
      open = &value;
    } else {
      others = saturating_multiply(others, value);
    }
  }
  if (twice) return {FillFault::twice, others};
  if (open != nullptr) {
    if (others <= 0 || target < others || target % others != 0) return {FillFault::undetermined, others};
    *open = target / others;
    return {FillFault::none, target};
  }
  return {others == target ? FillFault::none : FillFault::product, others};
}

}  // namespace primus_plan::maxtext
