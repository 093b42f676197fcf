// Text of sweep and diff, from numbers that no estimate changes.

#include <gtest/gtest.h>

#include "primus_plan/report/diff.h"
#include "primus_plan/report/sweep.h"
#include "primus_plan/support/number.h"
#include "support/golden.h"
#include "support/reports.h"

namespace primus_plan::test {
namespace {

constexpr RuleInfo divisible{.id = "MG203",
                             .name = "global-batch-not-divisible",
                             .summary = "",
                             .explanation = "",
                             .bad = {.world_size = 1, .yaml = ""},
                             .good = {.world_size = 1, .yaml = ""}};

SweepPoint point(std::int64_t world, double memory, double tokens) {
  SweepPoint out;
  out.values = {make_integer(world)};
  RunDescription& run = out.trial.analysis.run;
  run.launch.world_size = world;
  run.degrees.data = world;
  run.batch = {.micro = 1, .global = 64, .accumulation_steps = 64 / world, .sequence_length = 4096};
  Estimate estimate;
  estimate.memory.stages.resize(1);
  estimate.memory.device = {.low = 0.9 * memory * gib, .expected = memory * gib, .high = 1.1 * memory * gib};
  estimate.fit = memory > 192 ? Fit::does_not_fit : Fit::fits;
  estimate.step.seconds = 1;
  estimate.step.tokens_per_second_per_gpu = tokens;
  estimate.step.bubble_share = 0.125;
  out.trial.estimate = estimate;
  return out;
}

Sweep small_sweep(const Hardware& hardware) {
  Sweep sweep;
  sweep.axes = {{.name = "world", .values = {}, .source = nullptr}};
  sweep.points = {point(8, 210, 900), point(16, 120, 1000)};
  sweep.points.push_back({.values = {make_integer(24)}, .trial = {}, .letter = 'A'});
  sweep.legend = {{.letter = 'A', .rules = {&divisible}, .message = "64 is not a multiple of 24", .points = 1}};
  sweep.hardware = &hardware;
  return sweep;
}

TEST(SweepReport, TextCsvAndJson) {
  Hardware hardware;
  hardware.name = "MI300X";
  hardware.memory_bytes = 192 * gib;
  const Sweep sweep = small_sweep(hardware);
  const FileReport file = clean_report();
  const SweepReport report{file.modules.at(0), sweep, "--hardware MI300X"};
  expect_golden("sweep.txt", sweep_to_text(report, {}));
  expect_golden("sweep.csv", sweep_to_csv(report));
  expect_golden("sweep.json", sweep_to_json(report));
}

TEST(DiffReport, TextAndJson) {
  const FileReport before = clean_report();
  const FileReport after = broken_report();
  const Analysis& a = before.modules.at(0);
  const Analysis& b = after.modules.at(0);
  Comparison comparison;
  comparison.trains_the_same = false;
  comparison.numbers = {{"world size", 16, 16, false, false}, {"global batch", 64, 100, true, true}};
  comparison.estimates = {
      {"memory of the fullest GPU", "GiB", 100, 120}, {"step", "s", {}, 2.5}, {"pipeline bubble", "%", 0, 12.5}};
  comparison.values = {{"global_batch_size", "64", "100", Effect::trains},
                       {"tensor_model_parallel_size", "", "4", Effect::runs},
                       {"log_interval", "1", "10", Effect::tells}};
  comparison.groups = {{"tp", 8, 4, 0, 0}, {"dp", 2, 4, 8, 16}};
  comparison.fresh = findings_missing_from(b.findings, a.findings);
  comparison.checkpoint = {Resumes::partly, {"weights reshard (TP 8 and 4)"}};
  const DiffReport report{a, b, comparison, "a.yaml", "a.yaml@main", "MI300X (--hardware MI300X)"};
  expect_golden("diff.txt", diff_to_text(report, {}));
  expect_golden("diff.json", diff_to_json(report));
}

}  // namespace
}  // namespace primus_plan::test
