#include "estimate/stage_time.h"

#include <gtest/gtest.h>

#include "primus_plan/config/files.h"
#include "primus_plan/config/hardware.h"

namespace primus_plan {
namespace {

/// Ten dense layers on TP 2, one micro-batch of 4096 tokens.
Workload small_model() {
  Workload w;
  w.model.hidden = 4096;
  w.model.heads = w.model.kv_heads = 32;
  w.model.head_width = 128;
  w.model.layers = 10;
  w.model.vocabulary = w.model.padded_vocabulary = 32000;
  w.model.kinds = {LayerKind{.count = 10}};
  w.model.ffn = 11008;
  w.run.degrees.tensor = 2;
  w.run.launch.gpus_per_node = 8;
  w.run.batch.micro = 1;
  w.run.batch.sequence_length = 4096;
  return w;
}

TEST(StageTime, ADepthOfMtpHasAProjectionALayerAndLogits) {
  const Workload workload = small_model();
  const TimeConstants constants;
  const TimeModel model(workload, find_hardware("MI300X", MemoryFiles()), constants, 1);
  const StageTimes times(model);
  const StageChunk plain{.first_layer = 0, .layers = 10, .loss = true};
  StageChunk predicts = plain;
  predicts.mtp_layers = 1;
  LayerSeconds depth = times.chunk(predicts);
  depth.add(times.chunk(plain), -1);
  const LayerSeconds layer = model.layer(workload.model.kinds.front());
  // The projection's weights are 2 h x h, split over TP; the output layer's are shared.
  EXPECT_NEAR(depth.dense_weights - layer.dense_weights, 2.0 * 4096 * 4096 / 2, 1);
  EXPECT_NEAR(depth.forward.logits, model.output_layer().forward.logits, 1e-9);
  const double projection = depth.forward.matrices - layer.forward.matrices;
  EXPECT_NEAR(projection, model.product(4096, 2048, 8192, model.gemm_rate), 1e-9);
  EXPECT_NEAR(depth.backward.matrices - layer.backward.matrices, 2 * projection, 1e-9);
}

}  // namespace
}  // namespace primus_plan
