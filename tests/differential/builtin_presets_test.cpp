// The presets inside the binary against those of a Primus tree: what an experiment comes to may not depend on which.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/config/presets.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

namespace fs = std::filesystem;

/// The disk without any Primus presets, so that the library falls back on its own.
class WithoutPresets final : public FileReader {
 public:
  std::optional<std::string> read(const std::string& path, ReadFailure& failure) const override {
    return disk_.read(path, failure);
  }
  bool exists(const std::string& path) const override {
    return !path.ends_with("primus/configs") && !path.ends_with("configs/modules") && disk_.exists(path);
  }
  std::vector<std::string> list(const std::string& folder) const override { return disk_.list(folder); }

 private:
  DiskFiles disk_;
};

bool is_about_keys(const RuleInfo& rule) { return rule.id.substr(2, 1) == "8"; }

/// One line a finding, without its places: those differ, the presets being other files.
std::vector<std::string> findings_of(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) {
    if (is_about_keys(*finding.rule)) continue;
    out.push_back(fmt::format("{} {} {}", finding.rule->id, static_cast<int>(finding.severity), finding.message));
  }
  std::ranges::sort(out);
  return out;
}

std::string stages_of(const RunDescription& run) {
  std::string out;
  for (const std::vector<StageChunk>& rank : run.stages) {
    for (const StageChunk& chunk : rank) {
      out += fmt::format(" {}+{}{}{}{}", chunk.first_layer, chunk.layers, chunk.embedding ? "e" : "",
                         chunk.loss ? "l" : "", chunk.mtp_layers);
    }
  }
  return out;
}

std::vector<std::string> outcome_of(const Analysis& analysis) {
  const Degrees& d = analysis.run.degrees;
  const Batch& b = analysis.run.batch;
  std::vector<std::string> out = {
      fmt::format("{} {} {}", analysis.module, analysis.framework, to_string(analysis.verdict)),
      fmt::format("degrees {} {} {} {} {} {} {} {} {} {}", d.tensor, d.pipeline, d.virtual_pipeline, d.context,
                  d.expert, d.expert_tensor, d.data, d.data_replicate, d.data_shard, d.expert_data),
      fmt::format("batch {} {} {} {} {} experts {}", b.micro, b.global, b.accumulation_steps, b.sequence_length,
                  b.pipeline_micro_batches, analysis.run.experts),
      "stages" + stages_of(analysis.run)};
  for (std::string& line : findings_of(analysis.findings)) out.push_back(std::move(line));
  return out;
}

/// What a file comes to at one world size, as lines; and whether a preset was asked for that is not there.
struct Outcome {
  std::vector<std::string> lines;
  bool lacks_preset = false;
};

Outcome judge(const LoadResult& loaded, std::int64_t world) {
  Outcome out{.lines = findings_of(loaded.errors), .lacks_preset = false};
  out.lacks_preset = std::ranges::any_of(
      loaded.errors, [](const Finding& finding) { return finding.rule->name == "preset-not-found"; });
  for (const Experiment& experiment : loaded.experiments) {
    for (const Analysis& analysis : analyze(experiment, assume_launch(world, 8), Environment(), {})) {
      for (std::string& line : outcome_of(analysis)) out.lines.push_back(std::move(line));
    }
  }
  return out;
}

std::vector<std::string> examples_of(const fs::path& root, std::string_view framework) {
  std::vector<std::string> out;
  for (const auto& file : fs::recursive_directory_iterator(root / "examples" / framework)) {
    if (file.path().extension() == ".yaml") out.push_back(file.path().string());
  }
  std::ranges::sort(out);
  return out;
}

class BuiltInPresets : public testing::TestWithParam<const char*> {};

TEST_P(BuiltInPresets, GiveWhatThePresetsOfPrimusGive) {
  const fs::path root = test::corpus_dir() / "primus";
  if (!fs::exists(root)) GTEST_SKIP() << "no Primus tree at " << root;
  const DiskFiles disk;
  const WithoutPresets bare;
  const Loader with_root(disk, Environment());
  const Loader without(bare, Environment());
  std::size_t judged = 0;
  for (const std::string& path : examples_of(root, GetParam())) {
    const LoadResult given = with_root.load(path, {.primus_root = root.string()});
    const LoadResult built_in = without.load(path, {});
    for (const Experiment& experiment : built_in.experiments) EXPECT_EQ(experiment.presets, "built-in") << path;
    for (const std::int64_t world : {8, 64}) {
      const Outcome outcome = judge(built_in, world);
      if (outcome.lacks_preset) continue;
      EXPECT_EQ(outcome.lines, judge(given, world).lines) << path << " at " << world;
      ++judged;
    }
  }
  EXPECT_GE(judged, 80U);
}

INSTANTIATE_TEST_SUITE_P(All, BuiltInPresets, testing::Values("megatron", "torchtitan", "maxtext"));

/// Every preset of a model and every module preset of the tree has a file of its name.
TEST(BuiltInPresetFiles, AreAsManyAsPrimusHas) {
  const fs::path configs = test::corpus_dir() / "primus/primus/configs";
  if (!fs::exists(configs)) GTEST_SKIP() << "no presets at " << configs;
  const DiskFiles disk;
  const FilesWithPresets files(disk);
  std::size_t found = 0;
  for (const std::string framework : {"megatron", "torchtitan", "maxtext"}) {
    for (const std::string kind : {"models", "modules"}) {
      for (const std::string& name : disk.list((configs / kind / framework).string())) {
        if (!name.ends_with(".yaml")) continue;
        ++found;
        EXPECT_TRUE(files.exists(fmt::format("{}/configs/{}/{}/{}", built_in_folder, kind, framework, name)))
            << kind << "/" << framework << "/" << name;
      }
    }
  }
  EXPECT_GT(found, 120U);
}

}  // namespace
}  // namespace primus_plan
