#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/json_writer.h"
#include "support/reports.h"
#include "support/schema.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

json as_json(const std::vector<FileReport>& files) {
  return json::parse(format_report(*make_json_formatter(some_tool()), files));
}

TEST(JsonReport, FitsItsSchema) {
  const json report = as_json({clean_report(), broken_report(), unloadable_report(), unchecked_report()});
  EXPECT_EQ(schema_faults(report, "report.schema.json"), "");
}

TEST(JsonReport, SchemaRefusesWhatTheContractDoesNotSay) {
  const json good = as_json({broken_report()});
  json bad = good;
  bad["files"][0]["verdict"] = "fine";
  EXPECT_NE(schema_faults(bad, "report.schema.json"), "");
  bad = good;
  bad["files"][0]["degrees"]["data"] = 0;
  EXPECT_NE(schema_faults(bad, "report.schema.json"), "");
  bad = good;
  bad["files"][0]["findings"][0].erase("location");
  EXPECT_NE(schema_faults(bad, "report.schema.json"), "");
  bad = good;
  bad["summary"]["errors"] = "1";
  EXPECT_NE(schema_faults(bad, "report.schema.json"), "");
}

TEST(JsonReport, UnknownNumbersAreNull) {
  const json module = as_json({broken_report()})["files"][0];
  EXPECT_TRUE(module["degrees"]["expert_data"].is_null());
  EXPECT_TRUE(module["batch"]["accumulation_steps"].is_null());
  EXPECT_EQ(module["degrees"]["virtual_pipeline"], 2);
  EXPECT_EQ(as_json({clean_report()})["files"][0]["degrees"]["virtual_pipeline"], 1);
}

TEST(JsonReport, NumbersThatJsonCannotSayAreNull) {
  JsonWriter writer;
  writer.begin_array().real(1.0 / 3).real(std::numeric_limits<double>::infinity()).real(std::nan("")).end_array();
  EXPECT_EQ(json::parse(writer.take()), json::parse("[0.3333333333333333, null, null]"));
}

TEST(JsonReport, FindingWithoutAPlacePointsAtTheModule) {
  const json finding = as_json({broken_report()})["files"][0]["findings"][2];
  EXPECT_EQ(finding["location"],
            json::parse(R"({"path": "exp.yaml", "line": 2, "column": 3, "end_line": 2, "end_column": 14})"));
}

TEST(JsonReport, SummaryCountsFilesNotModules) {
  FileReport two_modules = clean_report();
  two_modules.modules.push_back(unchecked_report().modules[0]);
  const json report = as_json({two_modules, unloadable_report()});
  EXPECT_EQ(report["files"].size(), 3U);
  EXPECT_EQ(report["summary"],
            json::parse(R"({"files": 2, "errors": 1, "warnings": 0, "notes": 0, "not_checked": 1})"));
}

}  // namespace
}  // namespace primus_plan::test
