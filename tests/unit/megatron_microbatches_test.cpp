#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "backends/megatron/microbatches.h"

namespace primus_plan::megatron {
namespace {

std::string text_of(const RampStep& step) {
  return std::to_string(step.first_sample) + ": " + std::to_string(step.batch.global) + " as " +
         std::to_string(step.batch.count) + ", " + std::to_string(step.iterations) + " times" +
         (step.divisible ? "" : ", stops");
}

std::vector<std::string> texts_of(const MicrobatchInput& input) {
  std::vector<std::string> texts;
  for (const RampStep& step : ramp_steps(input)) texts.push_back(text_of(step));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(MegatronRampUp, StepsAsTrainingMeetsThem) {
  // 1000 samples over 3 increments: sizes change at 333.3 and 666.7 samples and at the end of the ramp.
  EXPECT_EQ(
      texts_of({.global = 64, .micro = 1, .data = 8, .ramp_up = {{16, 16, 1000}}}),
      (Texts{"0: 16 as 2, 21 times", "336: 32 as 4, 11 times", "688: 48 as 6, 7 times", "1024: 64 as 8, 0 times"}));
}

TEST(MegatronRampUp, ALargeStepJumpsOverSizes) {
  EXPECT_EQ(texts_of({.global = 64, .micro = 1, .data = 8, .ramp_up = {{32, 8, 40}}}),
            (Texts{"0: 32 as 4, 1 times", "32: 56 as 7, 1 times", "88: 64 as 8, 0 times"}));
}

TEST(MegatronRampUp, ASizeThatDoesNotDivideStopsTheRun) {
  EXPECT_EQ(texts_of({.global = 64, .micro = 2, .data = 8, .ramp_up = {{16, 8, 600}}}),
            (Texts{"0: 16 as 1, 7 times", "112: 24 as 1, 0 times, stops"}));
}

TEST(MegatronRampUp, ASizeWithoutMicrobatchNeverEnds) {
  EXPECT_EQ(texts_of({.global = 100, .micro = 3, .data = 4, .decrease = true, .ramp_up = {{10, 10, 500}}}),
            (Texts{"0: 10 as 0, 0 times"}));
}

TEST(MegatronRampUp, NoRampAndBrokenRampsHaveNoSteps) {
  EXPECT_TRUE(ramp_steps({.global = 64}).empty());
  EXPECT_TRUE(ramp_steps({.global = 64, .ramp_up = {{64, 16, 1000}}}).empty());
}

TEST(MegatronRampUp, HugeNumbersEnd) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(ramp_steps({.global = largest, .ramp_up = {{1, 1, largest}}}, 50).size(), 50U);
  EXPECT_LE(ramp_steps({.global = largest, .ramp_up = {{largest - 1, 1, largest}}}).size(), 2U);
  EXPECT_EQ(start_microbatches({.global = 64, .micro = largest, .data = 8}).fault.value().kind,
            MicrobatchFault::Kind::not_divisible);
}

}  // namespace
}  // namespace primus_plan::megatron
