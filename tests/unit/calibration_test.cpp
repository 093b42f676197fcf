// Calibration: what is fitted, how it changes an estimate, and how it is kept in a file of settings.
#include "primus_plan/config/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "primus_plan/config/settings.h"
#include "primus_plan/estimate/accuracy.h"
#include "primus_plan/estimate/calibration.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

StoredCalibration some_calibration() {
  return {.constants = {.compute_scale = 0.9, .memory_extra_bytes = 2.5 * gib},
          .hardware = "MI300X",
          .run = "exp.yaml (\"pre\") on 8 GPUs",
          .path = {}};
}

/// As every command reads it. Throws SettingsError.
StoredCalibration read_back(const std::string& text) {
  MemoryFiles files;
  files.put("/s/.primus-plan.yaml", text);
  const Environment environment;
  SettingsFiles settings(files, environment, {});
  const auto& calibration = settings.named("/s/.primus-plan.yaml").calibration;
  return calibration ? calibration->value : StoredCalibration{};
}

TEST(CalibrationFile, KeepsEveryOtherByte) {
  const std::string before = "# ours\nstrict: true  # always\n\nlaunch:\n  - nodes: 2\n";
  const std::string after = with_calibration(before, some_calibration());
  EXPECT_THAT(after, StartsWith(before));
  const StoredCalibration back = read_back(after);
  EXPECT_DOUBLE_EQ(back.constants.compute_scale, 0.9);
  EXPECT_DOUBLE_EQ(back.constants.memory_extra_bytes, 2.5 * gib);
  EXPECT_EQ(back.hardware, "MI300X");
  EXPECT_EQ(back.run, some_calibration().run);
}

TEST(CalibrationFile, ReplacesTheOneItHadAndKeepsItsComments) {
  StoredCalibration other = some_calibration();
  other.constants.compute_scale = 1.25;
  const std::string first =
      "strict: true\ncalibration:  # from the new cluster\n  # rack 4\n  compute-scale: 0.5\n\n# why\n"
      "baseline: b.json\n";
  const std::string after = with_calibration(first, other);
  EXPECT_DOUBLE_EQ(read_back(after).constants.compute_scale, 1.25);
  for (const char* kept : {"# from the new cluster", "# rack 4", "\n# why\nbaseline: b.json\n"}) {
    EXPECT_THAT(after, HasSubstr(kept));
  }
  EXPECT_EQ(with_calibration(after, other), with_calibration(with_calibration(after, other), other));
}

TEST(CalibrationFile, WorksOnEmptyFilesMissingLineEndsAndCarriageReturns) {
  for (const char* text : {"", "# nothing yet\n", "strict: true", "strict: true\r\nbaseline: b\r\n"}) {
    const std::string after = with_calibration(text, some_calibration());
    EXPECT_THAT(after, StartsWith(text));
    EXPECT_DOUBLE_EQ(read_back(after).constants.compute_scale, 0.9) << text;
  }
}

TEST(CalibrationFile, RefusesWhatLinesCannotSay) {
  for (const char* text :
       {"{strict: true}\n", "strict: true\n...\n", "- a list\n", "a: [\n", "\"calibration\": {hardware: MI300X}\n"}) {
    EXPECT_THROW(static_cast<void>(with_calibration(text, some_calibration())), CalibrationError) << text;
  }
}

TEST(CalibrationFile, RefusesConstantsOutOfBounds) {
  for (const char* value : {"9", "0", "-1", ".inf", ".nan", "fast", "null"}) {
    EXPECT_THROW(read_back(std::string("calibration: {hardware: MI300X, compute-scale: ") + value + "}\n"),
                 SettingsError)
        << value;
  }
  for (const char* text : {"3", "{compute-scale: 1}", "{hardware: 5}", "{hardware: MI300X, speed: 2}"}) {
    EXPECT_THROW(read_back(std::string("calibration: ") + text + "\n"), SettingsError) << text;
  }
  EXPECT_EQ(read_back("strict: true\n").hardware, "");
}

TEST(CalibrationFile, NearestFileIsTheOneAbove) {
  MemoryFiles files;
  files.put("/a/.primus-plan.yaml", "");
  EXPECT_EQ(nearest_settings_file("/a/b/c", files), "/a/.primus-plan.yaml");
  EXPECT_EQ(nearest_settings_file("/b", files), "");
}

struct Example {
  Workload workload;
  Hardware hardware;
};

Example example() {
  for (const MeasuredRow& row : read_measured(published_measurements())) {
    const Workload workload = workload_of_row(row);
    if (row.pipeline > 1 && step_of_row(row, workload)) return {workload, *hardware_of_row(row)};
  }
  return {};
}

TEST(Calibration, GivesTheMeasuredThroughputBack) {
  const auto [workload, hardware] = example();
  const double tokens = estimate_step(workload, hardware).tokens_per_second_per_gpu;
  for (const double share : {0.8, 1.0, 1.2}) {
    const auto scale = fit_compute_scale(workload, hardware, share * tokens);
    ASSERT_TRUE(scale.has_value()) << share;
    Hardware calibrated = hardware;
    calibrated.calibration.compute_scale = *scale;
    const Estimate estimate = estimate_run(workload, &calibrated);
    EXPECT_EQ(fit_compute_scale(workload, calibrated, share * tokens), scale)
        << "a calibrated part fits as a plain one";
    EXPECT_NEAR(estimate.step.tokens_per_second_per_gpu / (share * tokens), 1, 0.001);
  }
}

TEST(Calibration, MovesMemoryOfEveryStageAndKeepsTheSum) {
  const auto [workload, hardware] = example();
  const Estimate plain = estimate_run(workload, &hardware);
  ASSERT_GT(plain.memory.stages.size(), 1U);
  for (const double extra : {3 * gib, -3 * gib, -1e6 * gib}) {
    Hardware calibrated = hardware;
    calibrated.calibration.memory_extra_bytes = extra;
    const Estimate moved = estimate_run(workload, &calibrated);
    const double wanted = std::max(0.0, plain.memory.device.expected + extra);
    EXPECT_NEAR(moved.memory.device.expected, wanted, 1);
    EXPECT_NEAR(moved.memory.stages[moved.memory.fullest].device(), wanted, 1);
    EXPECT_LE(moved.memory.device.low, moved.memory.device.expected);
    EXPECT_LE(moved.memory.device.expected, moved.memory.device.high);
    for (const StageMemory& stage : moved.memory.stages) {
      for (const double bytes : stage.parts) EXPECT_GE(bytes, 0);
    }
  }
}

}  // namespace
}  // namespace primus_plan
