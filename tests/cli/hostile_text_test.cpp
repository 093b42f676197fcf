// Texts that make a careless reader slow, cuts inside characters, standard streams that are not there.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

constexpr std::string_view snippet = "tensor_model_parallel_size: 2\nglobal_batch_size: 16\n";

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

/// What a shell makes of a line in which $PLAN is primus-plan.
ProcessResult run_shell(const std::string& line, const std::string& folder) {
  return run_process("/bin/sh", {"-c", line},
                     {.input = {}, .environment = {{"PLAN", binary().string()}}, .folder = folder});
}

TEST(HostileText, TakesTimeInProportionToItsLength) {
  const TemporaryFolder folder;
  std::string unknown;
  for (int i = 0; i < 20000; ++i) unknown += "zqc_jbeb" + std::to_string(i) + ": 1\n";
  const std::string start(snippet);
  const std::string text[] = {
      start + "# primus-plan: " + repeated("a ", 200'000) + "\n",
      start + "x: [" + repeated("010, ", 100'000) + "1]\n",
      start + "x: |\n  " + repeated("${a:", 200'000) + "\n",
      unknown,
  };
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& one : text) {
    const ProcessResult result = run_plan({"check", "-", "--format", "concise"}, {.input = one});
    EXPECT_EQ(result.signal, 0) << one.substr(0, 80);
  }
  folder.write("long.yaml", "x: [" + repeated("modules, ", 200'000) + "1]\n");
  folder.write("good.yaml", good_experiment);
  EXPECT_EQ(run_plan({"check", folder.path().string()}).exit_code, 0);
  EXPECT_EQ(run_plan({"keys", repeated("*", 40) + "qq"}).exit_code, 2);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30) * patience());
}

TEST(HostileText, ManyRemarksHideNoError) {
  std::string experiment(good_experiment);
  experiment.replace(experiment.find("    config: pre_trainer.yaml\n"), 29, "");
  for (const std::string& text : {"x: [" + repeated("010, ", 2000) + "1]\n" + experiment,
                                  experiment + "      x: [" + repeated("010, ", 2000) + "1]\n"}) {
    const ProcessResult result = run_plan({"check", "-", "--format", "concise"}, {.input = text});
    EXPECT_TRUE(contains(result.out, "has no config")) << result.out.substr(0, 300);
    EXPECT_EQ(result.exit_code, 1);
  }
}

TEST(HostileText, APictureOfNoTimeAtAllEnds) {
  const ProcessResult result =
      run_plan({"pipeline", "-", "--world-size", "8", "--from", "0.5", "--to", "0.50000000000000011"},
               {.input = "pipeline_model_parallel_size: 2\nglobal_batch_size: 16\n"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(HostileText, ValuesAreCutBetweenCharacters) {
  const TemporaryFolder folder;
  const std::string value = "tokenizer_model: \"x" + repeated("\xC3\xA9", 80) + "\"\n";
  const std::string file = folder.write("a.yaml", std::string(snippet) + value);
  const ProcessResult translated = run_plan({"translate", file, "--to", "maxtext", "--world-size", "8"});
  EXPECT_TRUE(contains(translated.out, "\xC3\xA9...\n")) << translated.out;
  EXPECT_FALSE(contains(translated.err, "CF103")) << translated.err;
  const ProcessResult compared = run_plan({"diff", file, folder.write("b.yaml", snippet)});
  EXPECT_TRUE(contains(compared.out, "\xC3\xA9... -> ")) << compared.out;
}

TEST(HostileText, WhatIsSaidDoesNotGoIntoTheReportWhenNobodyHears) {
  const TemporaryFolder folder;
  folder.write("a.yaml", "micro_batch_size: 2\nglobal_batch_size: 15\n");
  const std::string line = "exec \"$PLAN\" check a.yaml --fix --diff -o out.txt";
  const ProcessResult heard = run_shell(line, folder.path().string());
  const std::string report = read_file(folder.path() / "out.txt");
  EXPECT_NE(heard.err, "");
  const ProcessResult unheard = run_shell(line + " 2>&-", folder.path().string());
  EXPECT_EQ(unheard.exit_code, heard.exit_code);
  EXPECT_EQ(read_file(folder.path() / "out.txt"), report);
}

TEST(HostileText, AWorkingFolderThatIsGoneMattersToRelativePathsAlone) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "gone");
  const std::string file = folder.write("a.yaml", good_experiment);
  const ProcessResult result =
      run_shell("cd gone && rmdir ../gone && exec \"$PLAN\" check " + quoted(file), folder.path().string());
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

}  // namespace
}  // namespace primus_plan::test
