// --format: several reports in one run, and which one when nobody says.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class Formats : public ::testing::Test {
 protected:
  Formats() : path_(folder_.write("bad.yaml", bad_experiment)) {}
  std::string file(const std::string& name) { return (folder_.path() / name).string(); }
  ProcessResult check(std::vector<std::string> arguments, ProcessOptions options = {}) {
    arguments.insert(arguments.begin(), {"check", path_});
    return run_plan(arguments, options);
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(Formats, SeveralInOneRun) {
  const ProcessResult result = check({"--format", "sarif=" + file("out.sarif"), "--format", "concise", "--format",
                                      "junit=" + file("out.xml"), "--format=markdown=" + file("out.md")});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.out, check({"--format", "concise"}).out);
  EXPECT_TRUE(result.out.starts_with(path_ + ":15:26: error: ")) << result.out;
  EXPECT_EQ(read_file(file("out.sarif")), check({"--format", "sarif"}).out);
  EXPECT_EQ(read_file(file("out.xml")), check({"--format", "junit"}).out);
  EXPECT_EQ(read_file(file("out.md")), check({"--format", "markdown"}).out);
}

TEST_F(Formats, OutputIsForTheOneWithoutAFile) {
  const ProcessResult result =
      check({"--format", "json", "--output", file("out.json"), "--format", "gitlab=" + file("gl.json")});
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(json::parse(read_file(file("out.json")))["schema"], "primus-plan/1");
  EXPECT_EQ(json::parse(read_file(file("gl.json")))[0]["severity"], "critical");
  EXPECT_EQ(check({"--format", "gitlab=" + file("gl.json")}).out, "") << "everything went to its file";
}

TEST_F(Formats, TwoReportsCannotShareAPlace) {
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--format", "json", "--format", "text"},
        {"--format", "json=" + file("x"), "--format", "sarif=" + file("x")},
        {"--format", "json=" + file("x"), "--format", "sarif", "--output", file("x")}}) {
    const ProcessResult result = check(flags);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, "a second report cannot go to")) << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(file("x")));
}

TEST_F(Formats, TroubleWritesNoFile) {
  const ProcessResult result =
      check({"--format", "json=" + file("x"), "--format", "sarif=" + file("none/y"), "--format", "text"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(Formats, UnknownOnesNameTheNearest) {
  const ProcessResult result = check({"--format", "sarfi=out"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "no format sarfi; did you mean sarif?")) << result.err;
  EXPECT_TRUE(contains(check({"--format", "json="}).err, "names no file"));
  EXPECT_TRUE(contains(check({"--format", "qqqqqqq"}).err, "one of auto, text, concise, json")) << "the list";
}

TEST_F(Formats, AutoIsGithubInActionsAndTextElsewhere) {
  const ProcessOptions actions{.environment = {{"GITHUB_ACTIONS", "true"}}};
  EXPECT_EQ(check({}).out, check({"--format", "text"}).out);
  EXPECT_EQ(check({}, actions).out, check({"--format", "github"}).out);
  EXPECT_EQ(check({"--format", "auto"}, actions).out, check({"--format", "github"}).out);
  EXPECT_EQ(check({"--format", "text"}, actions).out, check({"--format", "text"}).out);
}

TEST_F(Formats, PathsAreSeenFromTheRepository) {
  folder_.write("repo/.git/HEAD", "ref: refs/heads/main\n");
  folder_.write("repo/team/bad.yaml", bad_experiment);
  const ProcessResult result =
      run_plan({"check", "bad.yaml", "--format", "gitlab"}, {.folder = (folder_.path() / "repo" / "team").string()});
  EXPECT_EQ(json::parse(result.out)[0]["location"]["path"], "team/bad.yaml") << result.err;
}

TEST_F(Formats, FingerprintsSurviveMovedLines) {
  const auto prints = [this](const std::string& text) {
    folder_.write("bad.yaml", text);
    std::vector<std::string> found;
    for (const json& issue : json::parse(check({"--format", "gitlab"}).out)) found.push_back(issue["fingerprint"]);
    return found;
  };
  const std::string text(bad_experiment);
  EXPECT_EQ(prints(text), prints("# a new line\n" + text));
}

TEST_F(Formats, StrictFailsJunitTestsForWarnings) {
  const std::string path = folder_.write("warn.yaml", std::string(good_experiment) + "      moe_grouped_gemm: true\n");
  const ProcessResult result = run_plan({"check", path, "--format", "junit"});
  ASSERT_EQ(result.exit_code, 0) << result.out;
  EXPECT_TRUE(contains(result.out, "failures=\"0\"")) << result.out;
  EXPECT_TRUE(contains(run_plan({"check", path, "--format", "junit", "--strict"}).out, "failures=\"1\""));
}

/// docs/diagnostics.md shows one finding in every format: its fingerprint is the program's.
TEST(FormatsPage, ShowsTheFingerprintThatTheProgramGives) {
  const std::string page = read_file(source_dir() / "docs" / "diagnostics.md");
  const TemporaryFolder folder;
  folder.write("exp.yaml", "tensor_model_parallel_size: 4\nmicro_batch_size: 2\nglobal_batch_size: 100\n");
  const ProcessResult result =
      run_plan({"check", "exp.yaml", "--world-size", "64", "--format", "gitlab"}, {.folder = folder.path().string()});
  const json findings = json::parse(result.out);
  ASSERT_EQ(findings.size(), 1U) << result.out;
  const std::string fingerprint = findings.at(0).at("fingerprint");
  EXPECT_NE(page.find("\"primusPlan/v1\": \"" + fingerprint + "\""), std::string::npos) << fingerprint;
  EXPECT_NE(page.find("\"fingerprint\": \"" + fingerprint + "\""), std::string::npos) << fingerprint;
}

}  // namespace
}  // namespace primus_plan::test
