#include "estimate/stage_time.h"

#include <algorithm>

#include "estimate/transients.h"

namespace primus_plan {

namespace {

bool same(const LayerKind& a, LayerKind b) {
  b.count = a.count;
  return a == b;
}

/// So many times a part, for a share of the batch; its weights are all on the rank.
void add_share(LayerSeconds& out, const LayerSeconds& part, double times, double share) {
  out.add(part, times * share);
  out.dense_weights += times * (1 - share) * part.dense_weights;
  out.expert_weights += times * (1 - share) * part.expert_weights;
}

}  // namespace

StageTimes::StageTimes(const TimeModel& model) : model_(model) {
  for (const LayerKind& kind : model.workload.model.kinds) {
    const auto end = known_.begin() + static_cast<std::ptrdiff_t>(kinds_);
    if (std::any_of(known_.begin(), end, [&](const Known& k) { return same(k.kind, kind); })) continue;
    if (kinds_ == most_kinds) break;
    known_[kinds_++] = {kind, model.layer(kind)};
  }
  output_ = model.output_layer();
  embedding_ = model.embedding();
}

const LayerSeconds& StageTimes::of(const LayerKind& kind) const {
  const auto end = known_.begin() + static_cast<std::ptrdiff_t>(kinds_);
  const auto found = std::find_if(known_.begin(), end, [&](const Known& k) { return same(k.kind, kind); });
  // More kinds than any model has: the last one stands for the rest.
  return found == end ? known_[kinds_ - 1].seconds : found->seconds;
}

LayerSeconds StageTimes::chunk(const StageChunk& chunk) const {
  LayerSeconds out;
  const Workload& w = model_.workload;
  // Outside a scanned pipeline the stages share the batch: each runs embedding and loss for its part of it.
  const double share = is_scanned_pipeline(w) ? 1 / static_cast<double>(w.run.stages.size()) : 1;
  const double of_layers = lies_outside_pipeline(w, chunk) ? share : 1;
  const std::int64_t last = chunk.first_layer + chunk.layers;
  std::int64_t begin = 0;
  for (const LayerKind& kind : model_.workload.model.kinds) {
    const std::int64_t end = begin + kind.count;
    const std::int64_t inside = std::min(end, last) - std::max(begin, chunk.first_layer);
    if (inside > 0) add_share(out, of(kind), static_cast<double>(inside), of_layers);
    begin = end;
  }
  if (chunk.embedding) add_share(out, embedding_, 1, share);
  if (chunk.loss) add_share(out, output_, 1, share);
  if (chunk.mtp_layers > 0 && kinds_ > 0) {
    // Its joining projection, a layer of the last kind and the logits again; the embedding is shared.
    const double times = static_cast<double>(chunk.mtp_layers);
    add_share(out, model_.joining(), times, share);
    add_share(out, of(w.model.kinds.back()), times, share);
    LayerSeconds output = output_;
    output.dense_weights = 0;
    add_share(out, output, times, share);
  }
  return out;
}

LayerSeconds StageTimes::even_share(std::int64_t rank, std::int64_t ranks) const {
  LayerSeconds out;
  const double share = 1 / static_cast<double>(ranks);
  for (const LayerKind& kind : model_.workload.model.kinds) out.add(of(kind), share * static_cast<double>(kind.count));
  if (rank == 0) out.add(embedding_, 1);
  if (rank == ranks - 1) out.add(output_, 1);
  return out;
}

}  // namespace primus_plan
