// Completion scripts and the manual page, as shells and man read them. A shell that is not installed is skipped.

#include <gtest/gtest.h>

#include <filesystem>

#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

bool is_installed(const std::string& program) { return std::filesystem::exists("/usr/bin/" + program); }

/// What bash offers for words of which the last is being typed.
std::string complete(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  std::string script = run_plan({"completion", "bash"}).out + "COMP_WORDS=(";
  for (const std::string& word : words) script += "'" + word + "' ";
  script +=
      ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) + "\n_primus_plan\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  return run_process("/usr/bin/bash", {folder.write("script.bash", script)}).out;
}

TEST(Completion, BashOffersCommandsFlagsAndWords) {
  if (!is_installed("bash")) GTEST_SKIP() << "no bash here";
  EXPECT_EQ(complete({"primus-plan", "res"}), "resolve\n");
  EXPECT_EQ(complete({"primus-plan", "check", "--fix"}), "--fix\n--fix-unsafe\n");
  EXPECT_EQ(complete({"primus-plan", "check", "--color", "al"}), "always\n");
  EXPECT_EQ(complete({"primus-plan", "check", "--color", "=", "nev"}), "never\n");
  EXPECT_EQ(complete({"primus-plan", "completion", "z"}), "zsh\n");
  EXPECT_EQ(complete({"primus-plan", "check", "ex"}), "\n") << "files are the shell's own";
}

TEST(Completion, EveryShellReadsItsScript) {
  const TemporaryFolder folder;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const ProcessResult script = run_plan({"completion", shell});
    EXPECT_EQ(script.exit_code, 0);
    for (const char* word : {"what-if", "world-size", "fix-unsafe", "primus-root"})
      EXPECT_TRUE(contains(script.out, word)) << shell << " lacks " << word;
    if (!is_installed(shell)) continue;
    const ProcessResult read = run_process(std::string("/usr/bin/") + shell, {"-n", folder.write(shell, script.out)});
    EXPECT_EQ(read.exit_code, 0) << shell << ": " << read.err;
  }
}

TEST(Completion, AnotherShellIsTrouble) {
  const ProcessResult result = run_plan({"completion", "tcsh"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
}

TEST(ManualPage, HasEveryCommandAndFlag) {
  const ProcessResult page = run_plan({"man"});
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_TRUE(page.out.starts_with(".TH PRIMUS\\-PLAN 1 ")) << page.out.substr(0, 80);
  for (const char* word : {"primus\\-plan check", "primus\\-plan what\\-if", "\\-\\-fix\\-unsafe", "EXIT STATUS"})
    EXPECT_TRUE(contains(page.out, word)) << word;
  if (!is_installed("groff")) GTEST_SKIP() << "no groff here to read the page";
  const TemporaryFolder folder;
  const ProcessResult read =
      run_process("/usr/bin/groff", {"-man", "-Tutf8", "-ww", folder.write("primus-plan.1", page.out)});
  EXPECT_EQ(read.err, "");
}

}  // namespace
}  // namespace primus_plan::test
