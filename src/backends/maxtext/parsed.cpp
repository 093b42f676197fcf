#include "backends/maxtext/parsed.h"

#include <algorithm>

namespace primus_plan::maxtext {
namespace {

void take_order(std::span<const MeshAxis> axes, AxisOrder& order) {
  order.count = axes.size();
  std::copy(axes.begin(), axes.end(), order.axes.begin());
}

void read_order(const Node& list, ParsedKeys& out) {
  out.order = {};
  for (const NodePtr& item : list.items) {
    const AxisInfo* axis = item->is_string() ? find_axis(item->text) : nullptr;
    if (axis == nullptr) {
      out.unknown_axes.push_back(item->is_string() ? item->text : to_text(*item));
    } else if (contains(out.order.set(), axis->axis)) {
      out.repeated_axes.push_back(axis->name);
    } else {
      out.order.axes[out.order.count++] = axis->axis;
    }
  }
}

/// The axes on the right of one rule: a text or a list of texts.
AxisSet read_axes(const Node& right, MeshAxis& first) {
  AxisSet out = 0;
  const auto take = [&](const Node& item) {
    const AxisInfo* axis = item.is_string() ? find_axis(item.text) : nullptr;
    if (axis == nullptr) return;
    if (out == 0) first = axis->axis;
    out = static_cast<AxisSet>(out | only(axis->axis));
  };
  take(right);
  for (const NodePtr& item : right.items) take(*item);
  return out;
}

/// Rules of the file replace those of base.yml with the same name (pyconfig.py:_merge_logical_axis_rules).
void read_rules(const Node& rules, LogicalAxes& out) {
  for (const NodePtr& rule : rules.items) {
    if (rule->items.size() < 2 || !rule->items[0]->is_string()) continue;
    const std::string& name = rule->items[0]->text;
    MeshAxis first = MeshAxis::context;
    const AxisSet right = read_axes(*rule->items[1], first);
    if (name == "activation_embed_and_logits_batch") out.batch = right;
    if (name == "activation_norm_length") out.length = right;
    if (name == "exp") out.experts = right;
    if (name == "kv_heads") out.key_heads = right;
    if (name == "activation_length" && right != 0) {
      out.context = first;
      out.has_context = true;
    }
  }
}

Int refused_ratio(const Node* list) {
  if (list == nullptr) return 0;
  for (const NodePtr& item : list->items) {
    if (item->kind == Kind::integer && item->integer != 0 && item->integer < 4) return item->integer;
  }
  return 0;
}

}  // namespace

ParsedKeys parse_keys(const MaxTextConfig& config, std::string_view model_file) {
  ParsedKeys out;
  take_order(default_order(), out.order);
  out.logical = default_logical_axes();
  if (config.mesh_axes.value != nullptr) read_order(*config.mesh_axes.value, out);
  if (config.logical_axis_rules.value != nullptr) {
    if (*config.override_logical_axis_rules) out.logical = {};
    read_rules(*config.logical_axis_rules.value, out.logical);
  }
  out.custom_rule = find_custom_rule(*config.custom_mesh_and_rule);
  for (const CustomRule* rule : {find_model_mesh(model_file), out.custom_rule}) {
    if (rule == nullptr || rule->order.empty()) continue;
    take_order(rule->order, out.order);
    out.unknown_axes.clear();
    out.repeated_axes.clear();
    out.logical = rule->logical;
  }
  out.engram = config.engram_layers.value != nullptr && !config.engram_layers.value->items.empty();
  out.deepstack = config.deepstack_visual_indexes_for_vit.value != nullptr &&
                  !config.deepstack_visual_indexes_for_vit.value->items.empty();
  out.bad_compress_ratio = refused_ratio(config.compress_ratios.value);
  return out;
}

}  // namespace primus_plan::maxtext
