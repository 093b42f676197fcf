// Plans for two of the examples: text, JSON and its schema. The estimates' numbers are in them: ./dev golden rewrites
// the files when the models change, and the difference is read.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/golden.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/schema.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

std::string plan_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"plan"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ProcessResult result = run_plan(all, {.folder = source_dir().string()});
  EXPECT_LE(result.exit_code, 1) << result.err;
  return result.out;
}

/// Six digits of every real: what compilers agree on.
void round_reals(json& value) {
  if (value.is_number_float() && value.get<double>() != 0) {
    const double number = value.get<double>();
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::fabs(number))));
    value = std::round(number * scale) / scale;
  }
  if (value.is_structured()) {
    for (json& item : value) round_reals(item);
  }
}

std::vector<std::string> example(const char* name, std::vector<std::string> more) {
  more.insert(more.begin(), "examples/" + std::string(name));
  return more;
}

const std::vector<std::string> megatron = example("megatron/llama3.1_70B-64gpu.yaml", {"--top", "3"});
const std::vector<std::string> torchtitan =
    example("torchtitan/llama3.1_8B-8gpu.yaml", {"--top", "2", "--allow", "precision=bf16,fp8"});

std::vector<std::string> as_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  return arguments;
}

TEST(PlanReports, Text) {
  expect_golden("plan_megatron.txt", plan_of(megatron));
  expect_golden("plan_torchtitan.txt", plan_of(torchtitan));
}

TEST(PlanReports, Json) {
  const std::pair<const char*, const std::vector<std::string>&> files[] = {{"plan_megatron.json", megatron},
                                                                           {"plan_torchtitan.json", torchtitan}};
  for (const auto& [name, arguments] : files) {
    json out = json::parse(plan_of(as_json(arguments)));
    EXPECT_EQ(schema_faults(out, "plan.schema.json"), "") << name;
    round_reals(out);
    expect_golden(name, out.dump(1) + "\n");
  }
}

TEST(PlanReports, EveryKindOfAnswerFitsTheSchema) {
  const std::vector<std::vector<std::string>> asks = {
      {"--model", "deepseek_v3", "--gpus", "7"},  // no plan
      {"--model", "mixtral_8x7B_v0.1", "--gpus", "16,32", "--pin", "schedule=v-half"},
      {"--model", "llama3_8B", "--backend", "maxtext", "--gpus", "8"},
      {"--model", "llama2_7B", "--gpus", "8", "--allow", "recompute=block", "--objective", "memory"},
      {"--model", "llama3.1_8B", "--gpus", "24", "--pin", "pp=3"}};
  for (const auto& ask : asks) {
    const json out = json::parse(plan_of(as_json(ask)));
    EXPECT_EQ(schema_faults(out, "plan.schema.json"), "") << ask[1];
  }
  json broken = json::parse(plan_of(as_json({"--model", "llama2_7B", "--gpus", "8"})));
  broken["plans"][0]["candidate"]["tensor"] = 0;
  EXPECT_NE(schema_faults(broken, "plan.schema.json"), "");
}

}  // namespace
}  // namespace primus_plan::test
