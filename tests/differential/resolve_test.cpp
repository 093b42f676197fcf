// Whole experiments against what Primus's runtime holds after loading them.

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>

#include "primus_plan/config/experiment.h"
#include "support/node_json.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

test::Json as_json(const Experiment& experiment) {
  test::Json result{{"exp", test::plain(*experiment.exp)}, {"modules", test::Json::array()}};
  for (const Module& module : experiment.modules) {
    test::Json json = test::plain(*module.attributes);
    json["params"] = test::plain(*module.params);
    result["modules"].push_back(std::move(json));
  }
  return result;
}

/// Why the case does not agree; empty when it does.
std::string judge(const Loader& loader, const test::Json& test_case) {
  ExperimentOptions options{.primus_root = test::corpus_dir() / "primus"};
  if (test_case.contains("cli")) options.tokens = test_case["cli"].get<std::vector<std::string>>();
  const fs::path path = test::corpus_dir() / "primus" / test_case["config"].get<std::string>();
  const LoadResult result = loader.load(path.string(), options);
  if (!test_case["error"].is_null()) return result.experiments.empty() ? "" : "should be refused";
  if (result.experiments.size() != 1) return result.errors.empty() ? "no experiment" : result.errors[0].message;
  test::Json expected = test_case["result"];
  expected.erase("exp_root_path");
  expected["exp"].erase("config_file");
  const test::Json actual = as_json(result.experiments[0]);
  std::string found = test::difference(expected, actual);
  for (std::size_t i = 0; found.empty() && i < expected["modules"].size(); ++i) {
    found = test::difference(expected["modules"][i]["params"], actual["modules"][i]["params"], true, "params");
  }
  return found;
}

bool has_data() { return fs::exists(test::oracle_dir()) && fs::exists(test::corpus_dir()); }

TEST(Resolve, AgreesWithPrimusOnItsExamples) {
  if (!has_data()) GTEST_SKIP() << "no " << test::oracle_dir() << " or " << test::corpus_dir();
  const DiskFiles files;
  const Loader loader(files, Environment());
  std::size_t judged = 0;
  for (const auto& file : fs::recursive_directory_iterator(test::oracle_dir() / "resolve")) {
    if (file.path().extension() != ".json") continue;
    const test::Json document = test::read_json(file.path());
    ++judged;
    EXPECT_EQ(judge(loader, document["case"]), "") << document["case"]["name"];
  }
  EXPECT_GT(judged, 200U);
  RecordProperty("cases", static_cast<int>(judged));
}

void judge_variants(const char* name) {
  const test::Json oracle = test::read_json(test::oracle_dir() / name);
  for (const test::Json& test_case : oracle["cases"]) {
    Environment environment;
    for (const auto& [key, value] : test_case["env"].items()) environment.set(key, value.get<std::string>());
    const DiskFiles files;
    const Loader loader(files, environment);
    EXPECT_EQ(judge(loader, test_case), "") << test_case["name"];
  }
}

TEST(Resolve, AgreesWithPrimusUnderEnvironmentVariables) {
  if (!has_data()) GTEST_SKIP() << "no " << test::oracle_dir() << " or " << test::corpus_dir();
  judge_variants("resolve_env.json");
}

TEST(Resolve, AgreesWithPrimusUnderCommandLineTokens) {
  if (!has_data()) GTEST_SKIP() << "no " << test::oracle_dir() << " or " << test::corpus_dir();
  judge_variants("resolve_cli.json");
}

TEST(Resolve, EveryShippedExampleIsReadQuickly) {
  if (!has_data()) GTEST_SKIP() << "no " << test::oracle_dir() << " or " << test::corpus_dir();
  const DiskFiles files;
  const Loader loader(files, Environment());
  const ExperimentOptions options{.primus_root = test::corpus_dir() / "primus"};
  std::vector<std::string> refused;
  std::size_t loaded = 0;
  const std::clock_t start = std::clock();  // the processor's time: what else the machine does is not judged here
  for (const auto& file : fs::recursive_directory_iterator(test::corpus_dir() / "primus" / "examples")) {
    if (file.path().extension() != ".yaml") continue;
    const LoadResult result = loader.load(file.path().string(), options);
    if (result.experiments.empty()) refused.push_back(file.path().filename().string());
    loaded += result.experiments.size();
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_GT(loaded, 400U);
  EXPECT_LT(refused.size(), 40U) << ::testing::PrintToString(refused);
  EXPECT_LT(seconds, 3.0);  // ten times what it takes
  RecordProperty("loaded", static_cast<int>(loaded));
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
}

}  // namespace
}  // namespace primus_plan
