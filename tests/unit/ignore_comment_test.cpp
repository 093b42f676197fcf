#include "primus_plan/config/ignore_comment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/launch.h"

namespace primus_plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> found(const std::string& text) {
  const Source source("a.yaml", text);
  std::vector<std::string> out;
  for (const IgnoreComment& ignore : find_ignores(source)) {
    std::string line = std::to_string(ignore.line) + ":";
    for (const std::string_view rule : ignore.rules) line += " " + std::string(rule);
    out.push_back(line + " (" + std::string(ignore.reason) + ")");
  }
  return out;
}

TEST(IgnoreComments, OnAndAboveALine) {
  EXPECT_THAT(found("a: 1  # primus-plan: ignore[MG203] because\n"), ElementsAre("1: MG203 (because)"));
  EXPECT_THAT(found("# primus-plan: ignore[MG203, LN] why not\n\n# more\n  b: 2\n"),
              ElementsAre("4: MG203 LN (why not)"));
  EXPECT_THAT(found("a: 1\n# primus-plan: world-size=8 ignore[A B]   \nb: 1\n"), ElementsAre("3: A B ()"));
  EXPECT_THAT(found("# primus-plan: ignore[] x\na: 1\n"), ElementsAre("2: (x)"));
}

// Some editors put a byte order mark before the first line.
TEST(IgnoreComments, BehindAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_THAT(found(mark + "# primus-plan: ignore[MG203] why not\n# more\nb: 2\n"), ElementsAre("3: MG203 (why not)"));
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text(
      "exp.yaml", mark + "# primus-plan: world-size=16 gpus-per-node=4\ntensor_model_parallel_size: 2\n", {});
  ASSERT_EQ(loaded.experiments.size(), 1U);
  const Pragma& pragma = loaded.experiments.front().pragma;
  EXPECT_EQ(pragma.world_size, 16);
  EXPECT_EQ(pragma.gpus_per_node, 4);
  EXPECT_EQ(pragma.origin.line, 1U);
  EXPECT_TRUE(loaded.experiments.front().remarks.empty());
}

TEST(IgnoreComments, AMissingColonIsSaid) {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  const auto remarks = [&](const std::string& comment) {
    const LoadResult loaded = loader.load_text("exp.yaml", comment + "\ntensor_model_parallel_size: 2\n", {});
    EXPECT_FALSE(loaded.experiments.at(0).pragma.world_size.has_value()) << comment;
    return loaded.experiments.at(0).remarks;
  };
  for (const char* comment :
       {"# primus-plan world-size=8", "#primus-plan   nodes=2", "# primus-plan ignore[MG203] x"}) {
    ASSERT_EQ(remarks(comment).size(), 1U) << comment;
    EXPECT_THAT(remarks(comment).front().message, testing::HasSubstr("a colon is missing"));
    EXPECT_THAT(found(std::string(comment) + "\nb: 1\n"), IsEmpty());
  }
  for (const char* prose : {"# primus-plan says nodes=2 is legal", "# primus-planner nodes=2", "# primus-plan"}) {
    EXPECT_TRUE(remarks(prose).empty()) << prose;
  }
}

TEST(IgnoreComments, TextsOfSeveralLinesHaveNone) {
  const std::string comment = "  # primus-plan: ignore[MG203] r\n";
  EXPECT_THAT(found("a: \"x\n" + comment + "  y\"\nb: 1 # primus-plan: ignore[LN] s\n"), ElementsAre("4: LN (s)"));
  EXPECT_THAT(found("a: 'it''s\n" + comment + "  '\nb: 1 # primus-plan: ignore[LN] s\n"), ElementsAre("4: LN (s)"));
  EXPECT_THAT(found("- - !!str \"x \\\" \n" + comment + "  \"\n"), IsEmpty());
  EXPECT_THAT(found("{a: [1, 'x\n" + comment + "  ']}\n"), IsEmpty());
  EXPECT_THAT(found("\"key\": &a 'x\n" + comment + "  '\n"), IsEmpty());
  // An apostrophe inside of a plain text opens nothing.
  EXPECT_THAT(found("a: rock 'n roll\n" + comment + "b: 1\n"), ElementsAre("3: MG203 (r)"));
  EXPECT_THAT(found("a: this, 'that\n" + comment + "b: 1\n"), ElementsAre("3: MG203 (r)"));
}

TEST(IgnoreComments, OnlyInComments) {
  EXPECT_THAT(found("a: \"x # primus-plan: ignore[MG203] r\"\n"), IsEmpty());
  EXPECT_THAT(found("a: 'x # primus-plan: ignore[MG203] r'\n"), IsEmpty());
  EXPECT_THAT(found("a: x# primus-plan: ignore[MG203] r\n"), IsEmpty());
  EXPECT_THAT(found("a: it's # primus-plan: ignore[MG203] r\n"), ElementsAre("1: MG203 (r)"));
  EXPECT_THAT(found("a: 'x' # primus-plan: ignore[MG203] r\n"), ElementsAre("1: MG203 (r)"));
  EXPECT_THAT(found("# see primus-plan: ignore[MG203] r\n"), IsEmpty());
  EXPECT_THAT(found("a: |\n  # primus-plan: ignore[MG203] r\nb: 1\n"), IsEmpty());
  EXPECT_THAT(found("- c: >-  # why\n    x\n\n    # primus-plan: ignore[MG203] r\n  b: 1\n"), IsEmpty());
  EXPECT_THAT(found("- c: |\n    x\n  b: 1 # primus-plan: ignore[MG203] r\n"), ElementsAre("3: MG203 (r)"));
  EXPECT_THAT(found("a: x |\n  # primus-plan: ignore[MG203] r\nb: 1\n"), ElementsAre("3: MG203 (r)"));
}

/// Findings of error and warning level as "ID:line".
std::vector<std::string> judged(const std::string& yaml, std::int64_t world = 8,
                                std::vector<std::pair<std::string, std::string>> files = {}) {
  MemoryFiles memory;
  for (auto& [path, text] : files) memory.put(path, text);
  const Environment environment;
  const Loader loader(memory, environment);
  const LoadResult loaded = loader.load_text("a.yaml", yaml, {});
  std::vector<std::string> out;
  for (const Finding& error : loaded.errors) out.push_back(std::string(error.rule->id));
  for (const Experiment& experiment : loaded.experiments) {
    for (const Analysis& analysis :
         analyze(experiment, find_launch({.world_size = world}, environment, experiment), environment, {})) {
      std::size_t errors = 0;
      for (const Finding& finding : analysis.findings) {
        errors += finding.severity == Severity::error ? 1 : 0;
        if (finding.severity == Severity::note) continue;
        out.push_back(std::string(finding.rule->id) + ":" + std::to_string(finding.primary.origin.line));
      }
      EXPECT_EQ(analysis.errors, errors);
      EXPECT_EQ(analysis.verdict == Verdict::error, errors > 0);
    }
  }
  return out;
}

TEST(Ignores, SilenceTheLineTheyAreAbout) {
  EXPECT_THAT(judged("micro_batch_size: 2\nglobal_batch_size: 33\n"), ElementsAre("MG203:2"));
  EXPECT_THAT(judged("micro_batch_size: 2\nglobal_batch_size: 33  # primus-plan: ignore[MG203] r\n"), IsEmpty());
  EXPECT_THAT(judged("micro_batch_size: 2\n# primus-plan: ignore[MG2] r\nglobal_batch_size: 33\n"), IsEmpty());
  EXPECT_THAT(judged("# primus-plan: ignore[MG203] r\nmicro_batch_size: 2\nglobal_batch_size: 33\n"),
              UnorderedElementsAre("MG203:3", "CF221:1"));
}

TEST(Ignores, WithoutAReasonSilenceNothing) {
  EXPECT_THAT(judged("micro_batch_size: 2\nglobal_batch_size: 33  # primus-plan: ignore[MG203]\n"),
              UnorderedElementsAre("MG203:2", "CF222:2"));
}

TEST(Ignores, EachWordIsJudged) {
  EXPECT_THAT(judged("micro_batch_size: 2\nglobal_batch_size: 33  # primus-plan: ignore[MG203, MG999, MG301] r\n"),
              UnorderedElementsAre("CF220:2", "CF221:2"));
}

TEST(Ignores, WorkInTheFileThatTheFindingPointsTo) {
  const std::string child = "extends: base.yaml\nmicro_batch_size: 2\n";
  EXPECT_THAT(judged(child, 8, {{"base.yaml", "global_batch_size: 33\n"}}), ElementsAre("MG203:1"));
  EXPECT_THAT(judged(child, 8, {{"base.yaml", "global_batch_size: 33  # primus-plan: ignore[MG203] r\n"}}), IsEmpty());
  EXPECT_THAT(judged(child, 8, {{"base.yaml", "global_batch_size: 32  # primus-plan: ignore[MG203] r\n"}}), IsEmpty())
      << "whether another file's comment is of use is not judged here";
}

TEST(Ignores, DocumentsOfOneFileHaveTheirOwn) {
  EXPECT_THAT(judged("micro_batch_size: 2\nglobal_batch_size: 33  # primus-plan: ignore[MG203] r\n---\n"
                     "micro_batch_size: 2\nglobal_batch_size: 33\n"),
              ElementsAre("MG203:5"));
}

}  // namespace
}  // namespace primus_plan
