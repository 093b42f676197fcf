// The micro-batch calculator, as Megatron's own code answers.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "backends/megatron/microbatches.h"
#include "support/oracle.h"

namespace primus_plan::megatron {
namespace {

using nlohmann::json;
using Kind = MicrobatchFault::Kind;

constexpr const char* oracle_file = "megatron_microbatches.json";

/// Numbers as the field table hands them on: a float without fraction and a boolean count as integers, texts and null
/// do not (the run stops with a TypeError, which the type check of the key reports).
std::optional<std::int64_t> number(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>()) {
    return static_cast<std::int64_t>(value.get<double>());
  }
  return std::nullopt;
}

/// Python takes a text for the list of its characters.
std::vector<std::int64_t> ramp_of(const json& value) {
  std::vector<std::int64_t> ramp;
  if (value.is_string()) {
    for (const char c : value.get<std::string>()) ramp.push_back(c - '0');
  } else {
    for (const json& one : value) ramp.push_back(number(one).value());
  }
  return ramp;
}

/// Words of Megatron's message that belong to this fault.
std::string words_of(const MicrobatchFault& fault) {
  const std::string a = std::to_string(fault.a);
  const std::string b = std::to_string(fault.b);
  switch (fault.kind) {
    case Kind::unit_is_zero:
      return "by zero";
    case Kind::not_divisible:
      return "batch size (" + a + ") is not divisible by micro";
    case Kind::no_microbatch:
      return "at least 1, got " + a;
    case Kind::ramp_length:
      return "expected the following format";
    case Kind::global_not_positive:
      return "global batch size should be positive, got " + a;
    case Kind::start_not_positive:
      return "start batch size should be positive, got " + a;
    case Kind::increment_not_positive:
      return "increment should be positive, got " + a;
    case Kind::samples_negative:
      return "ramp-up samples should be non-negative, got " + a;
    case Kind::unit_not_positive:
      return "micro_batch_times_data_parallel_size > 0";
    case Kind::start_above_global:
      return "greater than or equal to start batch size, got " + b + " and " + a;
    case Kind::increment_not_divisible:
      return "interval (" + a + ") to be divisible by global batch size increment (" + b;
    case Kind::no_increment:
      return "division by zero";
    case Kind::no_samples:
      return "float division by zero";
    case Kind::above_global:
      return "current_global_batch_size <= self.global_batch_size";
  }
  return "?";
}

void compare_fault(const MicrobatchFault& fault, const json& error) {
  std::string message = error.at("message");
  if (message.empty()) message = error.at("source_line");
  EXPECT_NE(message.find(words_of(fault)), std::string::npos) << message << " / " << words_of(fault);
}

void compare_value(const Microbatches& value, const json& expected) {
  EXPECT_EQ(value.count, number(expected.at("num_microbatches")));
  EXPECT_EQ(value.global, number(expected.at("global_batch_size")));
  EXPECT_EQ(value.running, number(expected.at("running_global_batch_size")));
}

void compare_trace(const MicrobatchInput& input, const json& trace) {
  for (const json& step : trace) {
    SCOPED_TRACE(step.dump());
    const MicrobatchResult result = microbatches_at(input, step.at("consumed"));
    ASSERT_EQ(result.fault.has_value(), step.contains("error"));
    if (result.fault) {
      compare_fault(*result.fault, step.at("error"));
    } else {
      compare_value(result.value, step);
    }
  }
}

TEST(MegatronMicrobatches, EveryAnswerIsMegatronsOwn) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  std::size_t compared = 0;
  for (const json& one : oracle->at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const json& in = one.at("in");
    const auto global = number(in.at("gbs"));
    const auto micro = number(in.at("mbs"));
    if (!global || !micro) {
      EXPECT_FALSE(one.at("error").is_null());
      continue;
    }
    MicrobatchInput input{.global = *global, .micro = *micro, .data = in.at("dp"), .decrease = in.at("decrease")};
    if (!in.at("rampup").is_null()) input.ramp_up = ramp_of(in.at("rampup"));
    const MicrobatchResult result = start_microbatches(input);
    ASSERT_EQ(result.fault.has_value(), !one.at("error").is_null()) << one.at("error");
    ++compared;
    if (result.fault) {
      compare_fault(*result.fault, one.at("error"));
      continue;
    }
    compare_value(result.value, one.at("out"));
    if (one.contains("trace")) compare_trace(input, one.at("trace"));
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace primus_plan::megatron
