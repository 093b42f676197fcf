#include "backends/common/saved_tensors.h"

#include <algorithm>

namespace primus_plan {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

/// Numbers of one token that a layer makes.
struct LayerSize {
  double kept = 0;
  double all = 0;  ///< what backward needs when nothing is made again
};

class Adder {
 public:
  Adder(const ModelShape& model, unsigned saved) : model_(model), saved_(saved) {}

  LayerSize layer(const LayerKind& kind) {
    size_ = {.kept = number(model_.hidden), .all = 0};
    add_attention();
    add_feed_forward(kind.feed_forward);
    return size_;
  }

 private:
  void keep(unsigned tensor, double numbers) {
    if ((saved_ & tensor) != 0) size_.kept += numbers;
  }

  void add_attention() {
    const double heads = number(model_.heads);
    const double groups = number(model_.kv_heads);
    const double width = number(model_.head_width);
    const double values = number(model_.value_width);
    const double latents = number(model_.q_rank + model_.kv_rank);
    keep(saved_query, heads * width);
    keep(saved_key, groups * width);
    keep(saved_value, groups * values);
    keep(saved_attention, heads * values);
    keep(saved_output, number(model_.hidden));
    keep(saved_low_rank, latents + number(model_.rope_width));
    size_.all += 2 * number(model_.hidden) + 2 * latents + number(model_.rope_width) + 2 * (heads + groups) * width +
                 (heads + groups) * values;
  }

  void add_feed_forward(FeedForward kind) {
    if (kind == FeedForward::none) return;
    const double hidden = number(model_.hidden);
    const double ups = model_.gated ? 2 : 1;
    const bool experts = kind == FeedForward::experts;
    const double dense = number(experts ? model_.shared_ffn : model_.ffn);
    if (dense > 0) {
      keep(saved_up, dense);
      keep(saved_gate, (ups - 1) * dense);
      keep(saved_down, hidden);
    }
    size_.all += 2 * hidden + (ups + 1) * dense;
    if (!experts) return;
    const double copies = number(model_.experts_per_token) * std::max(model_.capacity_factor, 1.0);
    const double width = number(model_.expert_ffn);
    keep(saved_expert_input, copies * hidden);
    keep(saved_expert_up, copies * width);
    keep(saved_expert_gate, (ups - 1) * copies * width);
    keep(saved_expert_down, copies * hidden);
    size_.all += copies * (2 * hidden + (ups + 1) * width);
  }

  const ModelShape& model_;
  unsigned saved_;
  LayerSize size_;
};

}  // namespace

double kept_share(const ModelShape& model, unsigned saved) {
  Adder adder(model, saved);
  LayerSize total;
  for (const LayerKind& kind : model.kinds) {
    const LayerSize one = adder.layer(kind);
    total.kept += number(kind.count) * one.kept;
    total.all += number(kind.count) * one.all;
  }
  return total.all > 0 ? std::min(total.kept / total.all, 1.0) : 1;
}

}  // namespace primus_plan
