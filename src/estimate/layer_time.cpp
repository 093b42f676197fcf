#include "estimate/layer_time.h"

#include <algorithm>
#include <cmath>

#include "estimate/layer_blocks.h"
#include "primus_plan/support/number.h"

namespace primus_plan {

double PassSeconds::total() const {
  return matrices + experts + attention + elementwise + logits + launch + recompute + tensor_exchange +
         context_exchange + expert_exchange;
}

void PassSeconds::add(const PassSeconds& other, double times) {
  matrices += other.matrices * times;
  experts += other.experts * times;
  attention += other.attention * times;
  elementwise += other.elementwise * times;
  logits += other.logits * times;
  launch += other.launch * times;
  recompute += other.recompute * times;
  tensor_exchange += other.tensor_exchange * times;
  context_exchange += other.context_exchange * times;
  expert_exchange += other.expert_exchange * times;
}

void LayerSeconds::add(const LayerSeconds& other, double times) {
  forward.add(other.forward, times);
  backward.add(other.backward, times);
  weight_gradients += other.weight_gradients * times;
  dense_weights += other.dense_weights * times;
  expert_weights += other.expert_weights * times;
}

namespace {

/// Share of the layers that full recompute makes again: with the block method so many of each chunk.
double share_recomputed(const Workload& w) {
  if (w.recompute.granularity != RecomputeGranularity::full) return 0;
  if (w.recompute.method == RecomputeMethod::uniform || w.model.layers <= 0) return 1;
  if (w.recompute.layers <= 0) return 0;  // the block method of no layers
  const Degrees& d = w.run.degrees;
  const double chunks =
      static_cast<double>(std::max<std::int64_t>(1, saturating_multiply(d.pipeline, d.virtual_pipeline)));
  return std::min(1.0, static_cast<double>(w.recompute.layers) * chunks / static_cast<double>(w.model.layers));
}

/// The format of what fp8 and fp4 leave alone.
NumberFormat plain_format(const Workload& w) {
  return w.precision.compute == NumberFormat::fp32 ? NumberFormat::fp32 : NumberFormat::bf16;
}

}  // namespace

TimeModel::TimeModel(const Workload& w, const Hardware& hardware, const TimeConstants& c, double compute_scale)
    : workload(w),
      constants(c),
      network(hardware, w.run.launch.gpus_per_node),
      gemm_rate(std::max(1.0, hardware.gemm_flops(w.precision.compute) * compute_scale)),
      plain_gemm_rate(std::max(1.0, hardware.gemm_flops(plain_format(w)) * compute_scale)),
      attention_rate(std::max(1.0, hardware.attention_flops_of(plain_format(w)) * compute_scale *
                                       (w.kernels.transformer_engine ? 1 : c.plain_attention))),
      memory_rate(std::max(1.0, hardware.memory_bytes_per_second * c.memory_share * compute_scale)),
      value_bytes(w.precision.compute == NumberFormat::fp32 ? 4 : 2),
      compute_units(hardware.compute_units),
      tokens(static_cast<double>(w.run.batch.micro) * static_cast<double>(w.run.batch.sequence_length) /
             static_cast<double>(std::max<std::int64_t>(1, w.run.degrees.context))),
      tensor(static_cast<double>(std::max<std::int64_t>(1, w.run.degrees.tensor))),
      sequence_split(w.sequence_parallel ? tensor : 1),
      full_recompute(share_recomputed(w)) {}

double TimeModel::product(double m, double n, double k, double rate) const {
  if (m <= 0 || n <= 0 || k <= 0) return 0;
  const double edges = 1 + constants.gemm_edge * (1 / m + 1 / n + 1 / k);
  double waves = 1;
  if (compute_units > 0) {
    const double tiles = std::ceil(m / 128) * std::ceil(n / 256);
    waves = std::ceil(tiles / compute_units) * compute_units / tiles;
    waves = 1 + constants.wave_weight * (std::min(waves, 4.0) - 1);
  }
  return 2 * m * n * k / rate * edges * waves;
}

LayerSeconds TimeModel::layer(const LayerKind& kind) const {
  LayerBlocks blocks(*this);
  blocks.add_mixer(kind);
  blocks.add_feed_forward(kind);
  return blocks.finish(kind.recomputed);
}

LayerSeconds TimeModel::output_layer() const {
  const ModelShape& m = workload.model;
  const double hidden = static_cast<double>(m.hidden);
  const double vocabulary = static_cast<double>(std::max(m.vocabulary, m.padded_vocabulary)) / tensor;
  LayerSeconds out;
  const double product_seconds = product(tokens, vocabulary, hidden, plain_gemm_rate);
  const double loss = bytes(tokens * vocabulary * constants.logit_bytes * (workload.kernels.fused_loss ? 0.5 : 1));
  out.forward.logits = product_seconds + loss * 0.5;
  out.backward.logits = 2 * product_seconds + loss * 0.5;
  out.weight_gradients = product_seconds;
  out.dense_weights = m.tied_embeddings && workload.run.degrees.pipeline == 1 ? 0 : vocabulary * hidden;
  return out;
}

LayerSeconds TimeModel::embedding() const {
  const ModelShape& m = workload.model;
  const double hidden = static_cast<double>(m.hidden);
  LayerSeconds out;
  out.forward.elementwise = bytes(2 * tokens * hidden * value_bytes / sequence_split);
  out.backward.elementwise = out.forward.elementwise;
  out.dense_weights = static_cast<double>(std::max(m.vocabulary, m.padded_vocabulary)) / tensor * hidden;
  return out;
}

LayerSeconds TimeModel::joining() const {
  const double hidden = static_cast<double>(workload.model.hidden);
  const double projection = product(tokens, hidden / tensor, 2 * hidden, gemm_rate);
  LayerSeconds out;
  out.forward.matrices = projection;
  out.backward.matrices = 2 * projection;
  out.weight_gradients = projection;
  out.forward.elementwise = bytes(4 * tokens * hidden * value_bytes / sequence_split);  // both norms, read and written
  out.backward.elementwise = out.forward.elementwise;
  out.dense_weights = 2 * hidden * hidden / tensor;
  return out;
}

}  // namespace primus_plan
