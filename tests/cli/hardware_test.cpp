// hardware, as a user runs it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(HardwareCommand, ListsEveryPart) {
  const ProcessResult result = run_plan({"hardware"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* name : {"MI300X", "MI355X", "GB300", "TPU-v5p"}) EXPECT_TRUE(contains(result.out, name)) << name;
  EXPECT_EQ(json::parse(run_plan({"hardware", "--format", "json"}).out).size(), 16U);
}

TEST(HardwareCommand, ShowsOnePartWithItsChanges) {
  const ProcessResult result = run_plan({"hardware", "mi300x:nic_gbs=25"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "source: ")) << result.out;
  const json parts = json::parse(run_plan({"hardware", "mi300x:nic_gbs=25", "--format", "json"}).out);
  EXPECT_EQ(parts.at(0).at("name"), "MI300X");
  EXPECT_EQ(parts.at(0).at("nic_gbs"), 25);
  EXPECT_EQ(parts.at(0).at("memory_gib"), 191.98);
  EXPECT_EQ(parts.at(0).at("fabric"), "mesh");
}

TEST(HardwareCommand, NamesTheNearest) {
  const ProcessResult part = run_plan({"hardware", "MI30X"});
  EXPECT_EQ(part.exit_code, 2);
  EXPECT_TRUE(contains(part.err, "did you mean MI300X?")) << part.err;
  const ProcessResult field = run_plan({"hardware", "MI300X:nic=25"});
  EXPECT_EQ(field.exit_code, 2);
  EXPECT_TRUE(contains(field.err, "hardware has no field nic")) << field.err;
}

}  // namespace
}  // namespace primus_plan::test
