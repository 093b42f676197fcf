// What other programs require of the formats made for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report/sarif_parts.h"
#include "support/reports.h"
#include "support/schema.h"
#include "support/xml.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<FileReport> every_report() {
  return {clean_report(), broken_report(), unloadable_report(), unchecked_report(), hostile_report()};
}

std::string report_as(std::string_view format, const std::vector<FileReport>& files, const TextStyle& style = {},
                      const ToolInfo& tool = some_tool()) {
  return format_report(*find_format(format)->make(style, tool), files);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string sarif_faults(const json& log) { return faults_by_schema(log, "tests/data/sarif-2.1.0-subset.schema.json"); }

TEST(Sarif, HasTheOfficialStructure) {
  EXPECT_EQ(sarif_faults(json::parse(report_as("sarif", every_report()))), "");
  EXPECT_EQ(sarif_faults(json::parse(report_as("sarif", {}))), "");
  json broken = json::parse(report_as("sarif", every_report()));
  broken["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0;
  EXPECT_NE(sarif_faults(broken), "") << "the schema must be able to refuse";
}

TEST(Sarif, DescribesTheRulesThatFiredAndNoOthers) {
  const json run = json::parse(report_as("sarif", every_report()))["runs"][0];
  std::set<std::string> named;
  std::set<std::string> described;
  for (const json& result : run["results"]) named.insert(result["ruleId"]);
  for (const json& rule : run["tool"]["driver"]["rules"]) {
    EXPECT_TRUE(described.insert(rule["id"]).second) << "twice: " << rule["id"];
    EXPECT_THAT(rule["help"]["markdown"].get<std::string>(), HasSubstr("```yaml"));
  }
  EXPECT_EQ(named, described);
}

TEST(Sarif, ResultHasPlaceFingerprintAndFix) {
  const json result = json::parse(report_as("sarif", {broken_report()}))["runs"][0]["results"][0];
  const json place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "exp.yaml");
  EXPECT_EQ(place["region"], json::parse(R"({"startLine": 6, "startColumn": 26, "endLine": 6, "endColumn": 29})"));
  EXPECT_EQ(result["partialFingerprints"]["primusPlan/v1"].get<std::string>().size(), 16U);
  EXPECT_EQ(result["relatedLocations"][0]["message"]["text"], "micro-batch");
  const json replacement = result["fixes"][0]["artifactChanges"][0]["replacements"][0];
  EXPECT_EQ(replacement["deletedRegion"], place["region"]);
  EXPECT_EQ(replacement["insertedContent"]["text"], "96");
}

TEST(Sarif, InsertedLineStandsBehindItsNeighbourAndIsIndentedLikeIt) {
  FileReport report = broken_report();
  report.modules[0].findings[0].fixes[0].edits[0].insert_line = true;
  const json replacement = json::parse(
      report_as("sarif", {report}))["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"][0];
  EXPECT_EQ(replacement["deletedRegion"],
            json::parse(R"({"startLine": 6, "startColumn": 39, "endLine": 6, "endColumn": 39})"));
  EXPECT_EQ(replacement["insertedContent"]["text"], "\n      96");
}

TEST(Sarif, UrisAreEncoded) {
  EXPECT_EQ(path_to_uri("a b/ü#?.yaml"), "a%20b/%C3%BC%23%3F.yaml");
  EXPECT_EQ(path_to_uri("/tmp/x:y.yaml"), "file:///tmp/x%3Ay.yaml");
  EXPECT_EQ(path_to_uri("<stdin>"), "%3Cstdin%3E");
}

TEST(Jsonl, IsTheModulesOfTheJsonReport) {
  const json whole = json::parse(report_as("json", every_report()));
  const std::vector<std::string> lines = lines_of(report_as("jsonl", every_report()));
  ASSERT_EQ(lines.size(), whole["files"].size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(json::parse(lines[i]), whole["files"][i]);
}

TEST(Gitlab, HasWhatGitlabRequires) {
  const json report = json::parse(report_as("gitlab", every_report()));
  ASSERT_TRUE(report.is_array());
  EXPECT_EQ(report.size(), 6U);
  std::set<std::string> prints;
  for (const json& issue : report) {
    EXPECT_TRUE(prints.insert(issue.at("fingerprint")).second) << "fingerprints are unique";
    EXPECT_FALSE(issue.at("description").get<std::string>().empty());
    EXPECT_FALSE(issue.at("check_name").get<std::string>().empty());
    EXPECT_TRUE(
        std::set<std::string>({"info", "minor", "major", "critical", "blocker"}).contains(issue.at("severity")));
    const std::string path = issue.at("location").at("path");
    EXPECT_FALSE(path.starts_with("./") || path.starts_with("/")) << path;
    EXPECT_GE(issue.at("location").at("lines").at("begin").get<int>(), 1);
  }
  EXPECT_EQ(json::parse(report_as("gitlab", {})), json::array());
  EXPECT_EQ(json::parse(report_as("gitlab", {clean_report()})), json::array());
}

TEST(Junit, CountsAddUp) {
  for (const bool strict : {false, true}) {
    TextStyle style;
    style.strict = strict;
    const XmlElement root = parse_xml(report_as("junit", every_report(), style));
    EXPECT_EQ(root.name, "testsuites");
    ASSERT_EQ(root.children.size(), 5U);
    int all_failures = 0;
    for (const XmlElement& suite : root.children) {
      EXPECT_EQ(suite.name, "testsuite");
      int failures = 0;
      int skipped = 0;
      for (const XmlElement& test : suite.children) {
        EXPECT_EQ(test.name, "testcase");
        EXPECT_FALSE(test.attributes.at("name").empty());
        EXPECT_EQ(test.attributes.at("classname"), suite.attributes.at("name"));
        for (const XmlElement& part : test.children) {
          failures += part.name == "failure" ? 1 : 0;
          skipped += part.name == "skipped" ? 1 : 0;
        }
      }
      EXPECT_EQ(suite.attributes.at("tests"), std::to_string(suite.children.size()));
      EXPECT_EQ(suite.attributes.at("failures"), std::to_string(failures));
      EXPECT_EQ(suite.attributes.at("skipped"), std::to_string(skipped));
      all_failures += failures;
    }
    EXPECT_EQ(all_failures, strict ? 5 : 4);
  }
}

TEST(Junit, TextIsText) {
  const XmlElement root = parse_xml(report_as("junit", {hostile_report()}));
  const XmlElement& failure = root.children[0].children[0].children[0];
  EXPECT_THAT(failure.attributes.at("message"), StartsWith("::error::boo %0A <script>alert(1)</script> ]]> | a|b"));
  EXPECT_THAT(failure.attributes.at("message"), HasSubstr("\\xff\\x1b[31m\\n# h"));
}

TEST(Github, EveryLineIsOneCommand) {
  const std::vector<std::string> lines = lines_of(report_as("github", every_report()));
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines.back(), "primus-plan: 5 files: 4 errors, 1 warning, 1 note, 1 not checked");
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::size_t properties = lines[i].find("::", 2);
    ASSERT_NE(properties, std::string::npos) << lines[i];
    const std::string head = lines[i].substr(0, properties);
    EXPECT_TRUE(head.starts_with("::error file=") || head.starts_with("::warning file=") ||
                head.starts_with("::notice file="))
        << head;
  }
}

TEST(Github, ValuesCannotEndAProperty) {
  const std::string line = lines_of(report_as("github", {hostile_report()}))[0];
  EXPECT_THAT(line,
              StartsWith("::error file=a|b%2Cc%3Ad <e> %250A #1.yaml,line=1,endLine=1,col=4,endColumn=84,title=MG203 "
                         "global-batch-not-divisible::::error::boo %250A <script>"));
}

TEST(Places, AreSeenFromTheTopOfTheRepository) {
  ToolInfo tool = some_tool();
  tool.root = "/repo";
  tool.folder = "/repo/team";
  const auto path_of = [&](const std::vector<FileReport>& files) {
    return json::parse(report_as("gitlab", files, {}, tool))[0]["location"]["path"].get<std::string>();
  };
  EXPECT_EQ(path_of({broken_report()}), "team/exp.yaml");
  tool.folder = "/repo/..names/like/this";
  EXPECT_EQ(path_of({broken_report()}), "..names/like/this/exp.yaml");
  tool.folder = "/elsewhere";
  EXPECT_EQ(path_of({broken_report()}), "/elsewhere/exp.yaml");
  EXPECT_THAT(report_as("sarif", {broken_report()}, {}, tool), HasSubstr("\"uri\": \"file:///elsewhere/exp.yaml\""));
}

TEST(Places, InBuiltInPresetsAreShownAtTheModule) {
  FileReport report = broken_report();
  const auto preset = std::make_shared<const Source>("<built-in>/configs/models/megatron/moe.yaml", "a: 1\n");
  report.sources.push_back(preset);
  report.modules[0].findings[1].primary.origin.source = preset.get();
  const json issue = json::parse(report_as("gitlab", {report}))[1];
  EXPECT_EQ(issue["location"], json::parse(R"({"path": "exp.yaml", "lines": {"begin": 2}})"));
  EXPECT_THAT(issue["description"].get<std::string>(),
              HasSubstr("\nset at <built-in>/configs/models/megatron/moe.yaml:2:35\n"));
}

TEST(Markdown, LeavesOutCleanFilesOfAFolder) {
  TextStyle style;
  EXPECT_THAT(report_as("markdown", {clean_report()}), HasSubstr("## ✅ primus-plan: no findings"));
  EXPECT_THAT(report_as("markdown", {clean_report()}), HasSubstr("llama3_70B"));
  style.brief_if_clean = true;
  const std::string text = report_as("markdown", {clean_report(), broken_report()}, style);
  EXPECT_THAT(text, StartsWith("## ❌ primus-plan: 1 error, 1 warning, 1 note\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("llama3_70B")));
}

TEST(Concise, IsOneLineForEachFinding) {
  EXPECT_EQ(report_as("concise", {clean_report()}), "");
  EXPECT_EQ(lines_of(report_as("concise", every_report())).size(), 5U);
  TextStyle verbose;
  verbose.verbose = true;
  EXPECT_EQ(lines_of(report_as("concise", every_report(), verbose)).size(), 6U) << "and the note";
  EXPECT_EQ(
      lines_of(report_as("concise", {broken_report()}))[0],
      "exp.yaml:6:26: error: global_batch_size 100 is not a multiple of micro_batch_size x DP = 2 x 16 = 32 [MG203 "
      "global-batch-not-divisible]");
}

}  // namespace
}  // namespace primus_plan::test
