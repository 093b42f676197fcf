// Memory against published measurements, and what must hold for every workload.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "primus_plan/estimate/measured.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/estimate/parameters.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

struct Compared {
  MeasuredRow row;
  MemoryRange predicted;
  double error() const { return std::abs(predicted.expected / gib / row.memory_gib - 1); }
  bool inside() const { return predicted.low / gib <= row.memory_gib && row.memory_gib <= predicted.high / gib; }
};

std::vector<Compared> compare_rows() {
  std::vector<Compared> out;
  for (const MeasuredRow& row : read_measured(published_measurements())) {
    if (const auto predicted = estimate_of_row(row, workload_of_row(row))) out.push_back({row, *predicted});
  }
  return out;
}

bool is_allocated(const Compared& c) { return c.row.memory_kind.find("max allocated") != std::string::npos; }
bool is_simumax(const Compared& c) { return c.row.source.starts_with("SimuMax"); }

TEST(EstimateMemory, MeetsExactReadingsOfTheAllocator) {
  std::vector<double> errors;
  for (const Compared& c : compare_rows()) {
    if (!is_allocated(c) || !is_simumax(c)) continue;
    errors.push_back(c.error());
    EXPECT_LE(c.error(), 0.05) << c.row.id << " " << c.row.model << " predicted " << c.predicted.expected / gib;
  }
  ASSERT_GE(errors.size(), 20U);
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(errors[errors.size() / 2], 0.01);
}

TEST(EstimateMemory, MeetsOtherReadingsOfTheAllocator) {
  std::size_t rows = 0;
  for (const Compared& c : compare_rows()) {
    if (!is_allocated(c) || is_simumax(c)) continue;
    ++rows;
    EXPECT_LE(c.error(), 0.10) << c.row.id << " " << c.row.model << " predicted " << c.predicted.expected / gib;
  }
  EXPECT_GE(rows, 2U);
}

TEST(EstimateMemory, IntervalsHoldNineOfTenMeasurements) {
  std::size_t rows = 0;
  std::size_t inside = 0;
  for (const Compared& c : compare_rows()) {
    ++rows;
    inside += c.inside() ? 1U : 0U;
    EXPECT_LE(c.predicted.low, c.predicted.expected);
    EXPECT_LE(c.predicted.expected, c.predicted.high);
  }
  EXPECT_GE(rows, 50U);
  EXPECT_GE(static_cast<double>(inside), 0.9 * static_cast<double>(rows)) << inside << " of " << rows;
}

TEST(EstimateMemory, ActivationsOfGptAreKorthikantis) {
  // Figure 1 of Korthikanti et al. 2022: activations of the first stage, by the paper's own formula.
  std::size_t rows = 0;
  for (const Compared& c : compare_rows()) {
    if (c.row.memory_kind.find("only") == std::string::npos) continue;
    ++rows;
    EXPECT_LE(c.error(), 0.001) << c.row.id;
  }
  EXPECT_GE(rows, 6U);
}

// ---- what must hold for every workload ----

Workload dense_workload() {
  Workload w;
  w.model = {.layers = 32,
             .hidden = 4096,
             .vocabulary = 128256,
             .padded_vocabulary = 128256,
             .heads = 32,
             .kv_heads = 8,
             .head_width = 128,
             .value_width = 128,
             .ffn = 14336,
             .gated = true,
             .kinds = {}};
  w.model.kinds = {{.count = 32}};
  w.run.batch = {.micro = 1, .global = 128, .accumulation_steps = 16, .sequence_length = 8192};
  w.run.degrees = {.data = 8, .data_replicate = 1, .data_shard = 8, .expert_data = 8};
  w.sharding = {.state = StateSharding::optimizer, .dense_shards = 8, .expert_shards = 8};
  w.run.stages = {{{.first_layer = 0, .layers = 32, .embedding = true, .loss = true}}};
  return w;
}

Workload expert_workload() {
  Workload w = dense_workload();
  w.model.experts = 64;
  w.model.experts_per_token = 6;
  w.model.expert_ffn = 1408;
  w.model.shared_ffn = 2816;
  w.model.kinds = {{.count = 4}, {.count = 28, .feed_forward = FeedForward::experts}};
  w.run.degrees.expert = 8;
  return w;
}

/// The same model on `p` pipeline ranks.
void split_stages(Workload& w, std::int64_t p, ScheduleKind schedule) {
  w.run.degrees.pipeline = p;
  w.schedule = schedule;
  w.run.stages.clear();
  for (std::int64_t i = 0; i < p; ++i) {
    w.run.stages.push_back({{.first_layer = i * w.model.layers / p,
                             .layers = w.model.layers / p,
                             .embedding = i == 0,
                             .loss = i + 1 == p}});
  }
}

double part_of(const Workload& w, MemoryPart part) {
  const MemoryEstimate estimate = estimate_memory(w);
  return estimate.stages[estimate.fullest][part];
}
double allocated(const Workload& w) { return estimate_memory(w).allocated.expected; }

class EveryWorkload : public testing::TestWithParam<Workload (*)()> {
 protected:
  Workload base() const { return GetParam()(); }
};

INSTANTIATE_TEST_SUITE_P(Models, EveryWorkload, testing::Values(&dense_workload, &expert_workload));

TEST_P(EveryWorkload, MoreTensorParallelNeverRaisesAnything) {
  double weights = 1e30;
  double activations = 1e30;
  for (const std::int64_t t : {1, 2, 4, 8}) {
    Workload w = base();
    w.run.degrees.tensor = w.run.degrees.expert_tensor = t;
    w.sequence_parallel = t > 1;
    EXPECT_LE(part_of(w, MemoryPart::weights), weights);
    EXPECT_LE(part_of(w, MemoryPart::activations), activations);
    weights = part_of(w, MemoryPart::weights);
    activations = part_of(w, MemoryPart::activations);
  }
}

TEST_P(EveryWorkload, MorePipelineStagesNeverRaiseTheState) {
  double states = 1e30;
  for (const std::int64_t p : {1, 2, 4, 8}) {
    Workload w = base();
    split_stages(w, p, ScheduleKind::one_f_one_b);
    const MemoryEstimate estimate = estimate_memory(w);
    double largest = 0;
    for (const StageMemory& s : estimate.stages) {
      largest = std::max(largest, s[MemoryPart::weights] + s[MemoryPart::gradients] + s[MemoryPart::optimizer]);
    }
    EXPECT_LE(largest, states);
    states = largest;
  }
}

TEST_P(EveryWorkload, MoreContextParallelLowersActivations) {
  double last = 1e30;
  for (const std::int64_t c : {1, 2, 4, 8}) {
    Workload w = base();
    w.run.degrees.context = c;
    EXPECT_LT(part_of(w, MemoryPart::activations), last);
    last = part_of(w, MemoryPart::activations);
  }
}

TEST(EstimateMemory, MoreExpertParallelNeverRaisesTheExperts) {
  double last = 1e30;
  for (const std::int64_t e : {1, 2, 4, 8, 16}) {
    Workload w = expert_workload();
    w.run.degrees.expert = e;
    w.sharding.expert_shards = 16 / e;
    EXPECT_LT(part_of(w, MemoryPart::weights), last);
    last = part_of(w, MemoryPart::weights);
  }
}

TEST(EstimateMemory, FrozenWeightsHaveNoState) {
  Workload w = dense_workload();
  const double weights = part_of(w, MemoryPart::weights);
  w.trained_share = 0;
  EXPECT_EQ(part_of(w, MemoryPart::weights), weights);
  EXPECT_EQ(part_of(w, MemoryPart::gradients) + part_of(w, MemoryPart::optimizer), 0);
}

TEST_P(EveryWorkload, MoreShardingNeverRaisesTheState) {
  const auto state = [&](StateSharding sharding, std::int64_t shards) {
    Workload w = base();
    w.sharding.state = sharding;
    w.sharding.dense_shards = w.sharding.expert_shards = shards;
    return part_of(w, MemoryPart::weights) + part_of(w, MemoryPart::gradients) + part_of(w, MemoryPart::optimizer);
  };
  const auto order = {StateSharding::none, StateSharding::optimizer, StateSharding::gradients, StateSharding::weights};
  double last = 1e30;
  for (const StateSharding sharding : order) {
    EXPECT_LT(state(sharding, 8), last);
    EXPECT_LE(state(sharding, 16), state(sharding, 8));
    last = state(sharding, 8);
  }
}

TEST_P(EveryWorkload, RecomputeNeverRaisesActivationsOrTheTotal) {
  const Workload none = base();
  const auto check = [&](const Recompute& recompute, const char* what) {
    Workload w = none;
    w.recompute = recompute;
    EXPECT_LE(part_of(w, MemoryPart::activations), part_of(none, MemoryPart::activations)) << what;
    EXPECT_LE(allocated(w), allocated(none) * (1 + 1e-12)) << what;
  };
  const auto full = RecomputeGranularity::full;
  const auto selective = RecomputeGranularity::selective;
  check({.granularity = full, .layers = 1}, "uniform 1");
  check({.granularity = full, .layers = 4}, "uniform 4");
  check({.granularity = full, .method = RecomputeMethod::block, .layers = 8}, "block 8");
  check({.granularity = full, .method = RecomputeMethod::block, .layers = 100}, "block 100");
  check({.granularity = selective, .core_attention = true}, "core attention");
  check({.granularity = selective, .layer_norm = true, .expert_activation = true}, "norms");
  check({.granularity = selective, .dense_ffn = true, .experts = true, .shared_experts = true}, "feed-forward");
  check({.granularity = selective, .kept_share = 0.45}, "a policy");
  check({.granularity = selective, .kept_share = 0}, "a policy that keeps nothing");
}

TEST_P(EveryWorkload, GrowsWithMicroBatchAndSequence) {
  Workload w = base();
  double last = 0;
  for (const std::int64_t micro : {1, 2, 4}) {
    w.run.batch.micro = micro;
    EXPECT_GT(allocated(w), last);
    last = allocated(w);
  }
  for (const std::int64_t sequence : {16384, 32768}) {
    w.run.batch.sequence_length = sequence;
    EXPECT_GT(allocated(w), last);
    last = allocated(w);
  }
}

TEST_P(EveryWorkload, IsFiniteAndPositiveForEverySchedule) {
  for (const ScheduleKind schedule :
       {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::zero_bubble_1, ScheduleKind::zero_bubble_2,
        ScheduleKind::v_zero_bubble, ScheduleKind::v_half, ScheduleKind::v_min, ScheduleKind::dual_pipe_v}) {
    Workload w = base();
    split_stages(w, 4, schedule);
    for (const StageMemory& stage : estimate_memory(w).stages) {
      for (const double bytes : stage.parts) {
        EXPECT_TRUE(std::isfinite(bytes));
        EXPECT_GE(bytes, 0);
      }
      EXPECT_GE(stage.in_flight, 1);
      EXPECT_LE(stage.in_flight, 16);
    }
  }
}

TEST(EstimateMemory, MicroBatchesInFlight) {
  Workload w = dense_workload();
  split_stages(w, 4, ScheduleKind::one_f_one_b);
  EXPECT_EQ(micro_batches_in_flight(w, 0, 0), 4);
  EXPECT_EQ(micro_batches_in_flight(w, 3, 0), 1);
  w.run.batch.accumulation_steps = 2;
  EXPECT_EQ(micro_batches_in_flight(w, 0, 0), 2);
  w.run.batch.accumulation_steps = 16;
  w.schedule = ScheduleKind::gpipe;
  EXPECT_EQ(micro_batches_in_flight(w, 3, 0), 16);
  // Interleaved: p (1 + (p - 1) / (p v)) of the rank's layers on rank 0.
  w.schedule = ScheduleKind::interleaved;
  for (std::vector<StageChunk>& chunks : w.run.stages) chunks.push_back(chunks[0]);
  EXPECT_EQ(micro_batches_in_flight(w, 0, 0) + micro_batches_in_flight(w, 0, 1), 2 * 4 * (1 + 3.0 / 8));
  const double of_many = micro_batches_in_flight(w, 0, 0);
  w.run.batch.accumulation_steps = INT64_MAX;
  EXPECT_EQ(micro_batches_in_flight(w, 0, 0), of_many);
  // Fewer micro-batches than ranks: every forward pass comes before the first backward pass.
  w.run.batch.accumulation_steps = 2;
  w.run.batch.pipeline_micro_batches = 0;
  for (const std::size_t chunk : {0U, 1U}) EXPECT_EQ(micro_batches_in_flight(w, 0, chunk), 2) << chunk;
}

TEST(EstimateMemory, AUnitOfRecomputeBeyondAllLayersIsAllOfThem) {
  Workload w = dense_workload();
  w.recompute.granularity = RecomputeGranularity::full;
  w.recompute.layers = w.model.layers;
  const double all = part_of(w, MemoryPart::activations);
  w.recompute.layers = INT64_MAX;
  EXPECT_EQ(part_of(w, MemoryPart::activations), all);
}

TEST(EstimateMemory, StateBytesOfTheModes) {
  Workload w = dense_workload();
  const double n = rank_parameters(w, 0).total();
  const auto state = [&] {
    return part_of(w, MemoryPart::weights) + part_of(w, MemoryPart::gradients) + part_of(w, MemoryPart::optimizer);
  };
  EXPECT_NEAR(state() / n, 2 + 4 + 12.0 / 8, 1e-9);
  w.sharding.state = StateSharding::none;
  EXPECT_NEAR(state() / n, 18, 1e-9);
  w.precision.gradients = NumberFormat::bf16;
  EXPECT_NEAR(state() / n, 16, 1e-9);
  w.optimizer = Optimizer::muon;
  EXPECT_LT(state() / n, 12.6);
  w.optimizer = Optimizer::adam;
  w.sharding.offloaded_optimizer = 1;
  EXPECT_NEAR(state() / n, 4, 1e-9);
  // FSDP2 with fp32 weights, as TorchTitan has them.
  w = dense_workload();
  w.sharding.state = StateSharding::weights;
  w.precision.weights = NumberFormat::fp32;
  w.precision.separate_main_weights = false;
  EXPECT_NEAR(state() / n, 16.0 / 8, 1e-9);
}

TEST(EstimateMemory, ComparesWithTheHardware) {
  MemoryEstimate estimate;
  estimate.device.expected = 100;
  EXPECT_EQ(compare_with_hardware(estimate, 200), Fit::fits);
  EXPECT_EQ(compare_with_hardware(estimate, 105), Fit::tight);
  EXPECT_EQ(compare_with_hardware(estimate, 99), Fit::does_not_fit);
}

TEST(EstimateMemory, UnfoldsEveryPart) {
  Workload w = expert_workload();
  split_stages(w, 4, ScheduleKind::one_f_one_b);
  const MemoryEstimate estimate = estimate_memory(w);
  const auto formulas = unfold_memory(w, estimate, 0);
  double sum = 0;
  for (const MemoryFormula& f : formulas) {
    EXPECT_FALSE(f.formula.empty()) << to_string(f.part);
    sum += f.bytes;
  }
  EXPECT_NEAR(sum, estimate.stages[0].device(), 1);
  EXPECT_FALSE(memory_assumptions(w, estimate).empty());
  EXPECT_TRUE(unfold_memory(w, estimate, 99).empty());
}

std::string value_of(const MemoryFormula& formula, std::string_view name) {
  const auto found = std::ranges::find(formula.inputs, name, &MemoryInput::name);
  return found == formula.inputs.end() ? std::string() : found->value;
}

TEST(EstimateMemory, UnfoldsWhatXlaGathersAndEachOutput) {
  Workload w = dense_workload();
  w.run.stages[0][0].mtp_layers = w.model.mtp_depth = 1;
  w.sharding.state = StateSharding::weights;
  w.runtime = Runtime::xla;
  w.precision.compute = NumberFormat::fp32;
  const auto formulas = unfold_memory(w, estimate_memory(w), 0);
  const auto gathered = std::ranges::find(formulas, MemoryPart::gathered_weights, &MemoryFormula::part);
  ASSERT_NE(gathered, formulas.end());
  EXPECT_EQ(value_of(*gathered, "units that are whole at once"), "1");
  EXPECT_EQ(gathered->formula, "units x largest unit x 4 bytes");
  const auto logits = std::ranges::find(formulas, MemoryPart::logits, &MemoryFormula::part);
  ASSERT_NE(logits, formulas.end());
  EXPECT_EQ(value_of(*logits, "outputs: the loss and each prediction layer"), "2");
  EXPECT_TRUE(logits->formula.starts_with("outputs x ")) << logits->formula;
}

TEST(EstimateMemory, SaysNothingWithoutStages) {
  Workload w = dense_workload();
  w.run.stages.clear();
  EXPECT_TRUE(estimate_memory(w).stages.empty());
}

}  // namespace
}  // namespace primus_plan
