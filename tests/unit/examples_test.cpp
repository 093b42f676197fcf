// Every experiment in examples/ is legal, without a warning, at the size it names, and says why it is laid out so.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/estimate/estimate.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> example_files() {
  std::vector<fs::path> out;
  for (const auto& file : fs::recursive_directory_iterator(test::source_dir() / "examples")) {
    if (file.path().extension() == ".yaml") out.push_back(file.path());
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream stream(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

TEST(Examples, AreLegalWithoutAWarningAtTheSizeTheyName) {
  const DiskFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  for (const fs::path& path : example_files()) {
    const LoadResult loaded = loader.load(path.string(), {});
    ASSERT_EQ(loaded.experiments.size(), 1U) << path;
    const Experiment& experiment = loaded.experiments.front();
    ASSERT_TRUE(experiment.pragma.world_size) << path;
    const Launch launch = find_launch({}, environment, experiment);
    EXPECT_EQ(launch.world_size, *experiment.pragma.world_size);
    for (const Analysis& analysis : analyze(experiment, launch, environment, {})) {
      EXPECT_EQ(analysis.verdict, Verdict::ok) << path;
      for (const Finding& finding : analysis.findings) {
        EXPECT_EQ(finding.severity, Severity::note) << path << ": " << finding.message;
      }
    }
  }
}

TEST(Examples, FitTheHardwareTheyName) {
  const DiskFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  AnalyzeOptions options;
  options.with_workload = true;
  for (const fs::path& path : example_files()) {
    std::string text;
    for (const std::string& line : lines_of(path)) text += line + '\n';
    const auto hint = guess_hardware("", text);
    ASSERT_TRUE(hint) << path << " names no hardware";
    const Hardware hardware = find_hardware(hint->name, files);
    const LoadResult loaded = loader.load(path.string(), {});
    ASSERT_EQ(loaded.experiments.size(), 1U) << path;
    const Experiment& experiment = loaded.experiments.front();
    const Launch launch = find_launch({}, environment, experiment);
    for (const Analysis& analysis : analyze(experiment, launch, environment, options)) {
      ASSERT_NE(analysis.workload, nullptr) << path;
      EXPECT_EQ(estimate_run(*analysis.workload, &hardware).fit, Fit::fits) << path;
    }
  }
}

TEST(Examples, SayInTwoLinesWhyTheyAreLaidOutSo) {
  for (const fs::path& path : example_files()) {
    const std::vector<std::string> lines = lines_of(path);
    ASSERT_GT(lines.size(), 4U) << path;
    EXPECT_TRUE(lines[0].starts_with("# primus-plan: world-size=")) << path;
    for (const std::size_t i : {1U, 2U}) EXPECT_TRUE(lines[i].starts_with("# ") && lines[i].size() > 60) << path;
    EXPECT_FALSE(lines[3].starts_with("#")) << path;
  }
}

TEST(Examples, ReachFromOneGpuToAThousandInEveryFramework) {
  std::set<std::string> frameworks;
  std::set<std::string> sizes;
  for (const fs::path& path : example_files()) {
    frameworks.insert(path.parent_path().filename().string());
    sizes.insert(lines_of(path).at(0));
  }
  EXPECT_EQ(frameworks, (std::set<std::string>{"maxtext", "megatron", "torchtitan"}));
  EXPECT_GE(example_files().size(), 15U);
  EXPECT_TRUE(sizes.contains("# primus-plan: world-size=1"));
  EXPECT_TRUE(sizes.contains("# primus-plan: world-size=1024"));
}

}  // namespace
}  // namespace primus_plan
