// docs/guide.md and docs/pictures.md say what this program says: their commands are run again, and their tables are
// made again.
//
//   ```console          a block of commands ("$ primus-plan …", run in the source folder) and what they print
//   <!-- sizes FILE 8 16 -->   above a table: what the snippets of a file come to at these world sizes
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"
#include "support/console.h"
#include "support/golden.h"
#include "support/paths.h"

namespace primus_plan::test {
namespace {

constexpr std::string_view guide = "docs/guide.md";
constexpr std::string_view pictures = "docs/pictures.md";
constexpr std::string_view table_marker = "<!-- sizes ";
constexpr const char* table_head =
    "| GPUs | split | DP | expert DP | global batch | tokens a step | check |\n|---|---|---|---|---|---|---|\n";

std::string split_of(const RunDescription& run) {
  const Degrees& d = run.degrees;
  std::string out = fmt::format("TP {} PP {} CP {}", d.tensor, d.pipeline, d.context);
  return run.experts > 0 ? out + fmt::format(" EP {}", d.expert) : out;
}

std::string data_of(const Degrees& d) {
  if (d.data == 0) return "-";
  const bool both = d.data_replicate > 1 && d.data_replicate * d.data_shard == d.data && d.data_shard > 1;
  return both ? fmt::format("{} = {} x {}", d.data, d.data_replicate, d.data_shard) : std::to_string(d.data);
}

std::string batch_of(const RunDescription& run) {
  const Batch& b = run.batch;
  if (run.degrees.data == 0 || b.accumulation_steps == 0) return std::to_string(b.global);
  return fmt::format("{} = {} x {} x {}", b.global, b.micro, run.degrees.data, b.accumulation_steps);
}

std::string verdict_of(const Analysis& analysis) {
  std::string out(to_string(analysis.verdict));
  for (const Finding& finding : analysis.findings) {
    if (finding.severity != Severity::note) out += fmt::format(" {}", finding.rule->id);
  }
  return out;
}

std::string table_row(const Analysis& analysis) {
  const RunDescription& run = analysis.run;
  const std::string experts =
      run.experts > 0 && run.degrees.expert_data > 0 ? std::to_string(run.degrees.expert_data) : "-";
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", run.launch.world_size, split_of(run),
                     data_of(run.degrees), experts, batch_of(run), run.batch.tokens_per_step(), verdict_of(analysis));
}

/// The table below a marker: "<!-- sizes docs/guide/x.yaml 8 16 64 -->".
std::string table_for(const std::string& marker) {
  std::istringstream words(marker.substr(table_marker.size()));
  std::string file;
  words >> file;
  const DiskFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load((source_dir() / file).string(), {});
  EXPECT_FALSE(loaded.experiments.empty()) << file;
  std::string out = table_head;
  for (std::int64_t world = 0; words >> world;) {
    const Launch launch = find_launch({.world_size = world, .nodes = {}, .gpus_per_node = {}}, environment, Pragma{});
    for (const Experiment& experiment : loaded.experiments) {
      for (const Analysis& analysis : analyze(experiment, launch, environment, {})) out += table_row(analysis);
    }
  }
  return out;
}

/// A page with every block and table made anew.
std::string made_anew(const std::vector<std::string>& lines) {
  std::string out;
  bool in_table = false;
  for (const std::string& line : with_consoles_anew(lines)) {
    if (in_table && line.starts_with("|")) continue;
    in_table = false;
    out += line + '\n';
    if (line.starts_with(table_marker)) {
      out += table_for(line);
      in_table = true;
    }
  }
  return out;
}

TEST(Guide, SaysWhatTheProgramSays) {
  const std::vector<std::string> lines = lines_of(guide);
  ASSERT_GT(lines.size(), 50U);
  expect_file(guide, made_anew(lines));
}

TEST(Guide, PicturesAreWhatTheProgramDraws) {
  const std::vector<std::string> lines = lines_of(pictures);
  ASSERT_GT(lines.size(), 50U);
  expect_file(pictures, made_anew(lines));
}

TEST(Guide, ShowsEverySnippetItSpeaksOf) {
  std::string text;
  for (const std::string& line : lines_of(guide)) text += line + '\n';
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "docs/guide")) {
    const std::string name = "docs/guide/" + entry.path().filename().string();
    EXPECT_NE(text.find(name), std::string::npos) << name << " is nowhere in " << guide;
    ++count;
  }
  EXPECT_GE(count, 9U);
}

}  // namespace
}  // namespace primus_plan::test
