#include "backends/maxtext/remat.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace primus_plan::maxtext {
namespace {

/// The tensors that layers name, as a set.
enum Tensor : unsigned {
  query = 1U << 0,
  key = 1U << 1,
  value = 1U << 2,
  attention_result = 1U << 3,  ///< context
  output = 1U << 4,            ///< out_proj
  up = 1U << 5,                ///< mlpwi_0
  gate = 1U << 6,              ///< mlpwi_1
  down = 1U << 7,              ///< mlpwo
  expert_up = 1U << 8,         ///< moe_mlpwi_0
  expert_gate = 1U << 9,       ///< moe_mlpwi_1
  expert_down = 1U << 10,      ///< moe_mlpwo
  low_rank_query = 1U << 11,   ///< query_wa_proj, mla_q
  low_rank_key = 1U << 12,     ///< kv_wa_proj, mla_kv
};
constexpr unsigned qkv = query | key | value;
constexpr unsigned minimal = qkv | output | up | gate | down;

struct Policy {
  std::string_view name;
  unsigned kept;
  bool offloaded = false;
};
constexpr Policy policies[] = {
    {"minimal", minimal},
    {"minimal_with_quantization", minimal},
    {"minimal_with_context", minimal | attention_result},
    {"minimal_with_context_and_quantization", minimal | attention_result},
    {"minimal_flash", minimal | attention_result},
    {"minimal_offloaded", minimal, true},
    {"save_dot_with_context_except_mlp", qkv | attention_result | output},
    {"save_dot_except_mlpwi", qkv | output | down},
    {"save_dot_except_mlp", qkv | output},
    {"save_qkv_proj", qkv},
    {"qkv_proj_offloaded", qkv, true},
    {"save_out_proj", output},
};

struct CustomTensor {
  Word MaxTextConfig::*key;
  unsigned tensors;
};
constexpr CustomTensor custom_tensors[] = {
    {&MaxTextConfig::query_proj, query},
    {&MaxTextConfig::key_proj, key},
    {&MaxTextConfig::value_proj, value},
    {&MaxTextConfig::qkv_proj, qkv},
    {&MaxTextConfig::kv_proj, key | value},
    {&MaxTextConfig::query_wa_proj, low_rank_query},
    {&MaxTextConfig::mla_q, low_rank_query},
    {&MaxTextConfig::kv_wa_proj, low_rank_key},
    {&MaxTextConfig::mla_kv, low_rank_key},
    {&MaxTextConfig::context, attention_result},
    {&MaxTextConfig::attention_out, attention_result},
    {&MaxTextConfig::out_proj, output},
    {&MaxTextConfig::mlpwi, up | gate},
    {&MaxTextConfig::mlpwi_0, up},
    {&MaxTextConfig::mlpwi_1, gate},
    {&MaxTextConfig::mlpwo, down},
    {&MaxTextConfig::moe_mlpwi_0, expert_up},
    {&MaxTextConfig::moe_mlpwi_1, expert_gate},
    {&MaxTextConfig::moe_mlpwo, expert_down},
};

/// Numbers of one token that a layer makes: of each tensor, and all that backward needs without recomputing.
struct LayerSize {
  double kept = 0;
  double all = 0;
  void add(unsigned wanted, unsigned tensor, double numbers) {
    if ((wanted & tensor) != 0) kept += numbers;
  }
};

double number(std::int64_t value) { return static_cast<double>(value); }

void add_attention(const ModelShape& model, unsigned wanted, LayerSize& out) {
  const double heads = number(model.heads);
  const double groups = number(model.kv_heads);
  const double width = number(model.head_width);
  const double values = number(model.value_width);
  const double hidden = number(model.hidden);
  out.add(wanted, query, heads * width);
  out.add(wanted, key, groups * width);
  out.add(wanted, value, groups * values);
  out.add(wanted, low_rank_query, number(model.q_rank));
  out.add(wanted, low_rank_key, number(model.kv_rank + model.rope_width));
  out.add(wanted, attention_result, heads * values);
  out.add(wanted, output, hidden);
  out.all += 2 * hidden + 2 * number(model.q_rank + model.kv_rank) + number(model.rope_width) +
             2 * (heads + groups) * width + (heads + groups) * values;
}

void add_feed_forward(const ModelShape& model, FeedForward kind, unsigned wanted, LayerSize& out) {
  const double hidden = number(model.hidden);
  const double ups = model.gated ? 2 : 1;
  const bool experts = kind == FeedForward::experts;
  const double dense = number(experts ? model.shared_ffn : model.ffn);
  if (dense > 0) {
    out.add(wanted, up, dense);
    if (model.gated) out.add(wanted, gate, dense);
    out.add(wanted, down, hidden);
  }
  out.all += 2 * hidden + (ups + 1) * dense;
  if (!experts) return;
  const double copies = number(model.experts_per_token) * std::max(model.capacity_factor, 1.0);
  const double width = number(model.expert_ffn);
  out.add(wanted, expert_up, copies * width);
  if (model.gated) out.add(wanted, expert_gate, copies * width);
  out.add(wanted, expert_down, copies * hidden);
  out.all += copies * (2 * hidden + (ups + 1) * width);
}

/// Share of the activations of all layers.
double kept_share(const ModelShape& model, unsigned wanted) {
  LayerSize total;
  for (const LayerKind& kind : model.kinds) {
    LayerSize one;
    one.kept = number(model.hidden);  // the input of the layer, which the scan keeps
    add_attention(model, wanted, one);
    add_feed_forward(model, kind.feed_forward, wanted, one);
    total.kept += number(kind.count) * one.kept;
    total.all += number(kind.count) * one.all;
  }
  return total.all > 0 ? std::min(total.kept / total.all, 1.0) : 1;
}

}  // namespace

Recompute recompute_of(const MaxTextRun& run, const ModelShape& model) {
  Recompute out;
  const std::string_view name = *run.config.remat_policy;
  if (name == "none") return out;
  unsigned wanted = 0;
  if (name == "custom") {
    for (const CustomTensor& tensor : custom_tensors) {
      const std::string_view fate = *(run.config.*tensor.key);
      if (fate == "device" || fate == "offload") wanted |= tensor.tensors;
      out.offloaded = out.offloaded || fate == "offload";
    }
  }
  for (const Policy& policy : policies) {
    if (policy.name != name) continue;
    wanted = policy.kept;
    out.offloaded = policy.offloaded;
  }
  if (wanted == 0) {
    out.granularity = RecomputeGranularity::full;
    out.layers = 1;
    return out;
  }
  out.granularity = RecomputeGranularity::selective;
  out.kept_share = kept_share(model, wanted);
  return out;
}

}  // namespace primus_plan::maxtext
