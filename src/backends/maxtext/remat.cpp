#include "backends/maxtext/remat.h"

#include <string_view>

#include "backends/common/saved_tensors.h"

namespace primus_plan::maxtext {
namespace {

/// What the policies of the `minimal` kind name, but for what attention gives.
constexpr unsigned minimal = saved_qkv | saved_output | saved_up | saved_gate | saved_down;

struct Policy {
  std::string_view name;
  unsigned saved;
  bool offloaded = false;
};
constexpr Policy policies[] = {
    {"minimal", minimal},
    {"minimal_with_quantization", minimal},
    {"minimal_with_context", minimal | saved_attention},
    {"minimal_with_context_and_quantization", minimal | saved_attention},
    {"minimal_flash", minimal | saved_attention},
    {"minimal_offloaded", minimal, true},
    {"save_dot_with_context_except_mlp", saved_qkv | saved_attention | saved_output},
    {"save_dot_except_mlpwi", saved_qkv | saved_output | saved_down},
    {"save_dot_except_mlp", saved_qkv | saved_output},
    {"save_qkv_proj", saved_qkv},
    {"qkv_proj_offloaded", saved_qkv, true},
    {"save_out_proj", saved_output},
};

struct CustomTensor {
  Word MaxTextConfig::*key;
  unsigned tensors;
};
constexpr CustomTensor custom_tensors[] = {
    {&MaxTextConfig::query_proj, saved_query},
    {&MaxTextConfig::key_proj, saved_key},
    {&MaxTextConfig::value_proj, saved_value},
    {&MaxTextConfig::qkv_proj, saved_qkv},
    {&MaxTextConfig::kv_proj, saved_key | saved_value},
    {&MaxTextConfig::query_wa_proj, saved_low_rank},
    {&MaxTextConfig::mla_q, saved_low_rank},
    {&MaxTextConfig::kv_wa_proj, saved_low_rank},
    {&MaxTextConfig::mla_kv, saved_low_rank},
    {&MaxTextConfig::context, saved_attention},
    {&MaxTextConfig::attention_out, saved_attention},
    {&MaxTextConfig::out_proj, saved_output},
    {&MaxTextConfig::mlpwi, saved_up | saved_gate},
    {&MaxTextConfig::mlpwi_0, saved_up},
    {&MaxTextConfig::mlpwi_1, saved_gate},
    {&MaxTextConfig::mlpwo, saved_down},
    {&MaxTextConfig::moe_mlpwi_0, saved_expert_up},
    {&MaxTextConfig::moe_mlpwi_1, saved_expert_gate},
    {&MaxTextConfig::moe_mlpwo, saved_expert_down},
};

}  // namespace

Recompute recompute_of(const MaxTextRun& run, const ModelShape& model) {
  Recompute out;
  const std::string_view name = *run.config.remat_policy;
  if (name == "none") return out;
  unsigned saved = 0;
  unsigned away = 0;
  if (name == "custom") {
    for (const CustomTensor& tensor : custom_tensors) {
      const std::string_view fate = *(run.config.*tensor.key);
      if (fate == "device" || fate == "offload") saved |= tensor.tensors;
      if (fate == "offload") away |= tensor.tensors;
    }
    out.offloads_modules = *run.config.decoder_layer_input == "offload";
  }
  for (const Policy& policy : policies) {
    if (policy.name != name) continue;
    saved = policy.saved;
    if (policy.offloaded) away = saved;
  }
  // JAX keeps only what some gradient needs: the result of the block is part of the next layer's input already.
  if (!*run.config.use_post_ffw_norm) saved &= ~unsigned{saved_down};
  if (saved == 0) {
    out.granularity = RecomputeGranularity::full;
    out.layers = 1;
    return out;
  }
  out.granularity = RecomputeGranularity::selective;
  out.kept_share = kept_share(model, saved);
  // The layers' inputs stay on the device.
  if (out.kept_share > 0) out.offloaded = 1 - kept_share(model, saved & ~away) / out.kept_share;
  return out;
}

}  // namespace primus_plan::maxtext
