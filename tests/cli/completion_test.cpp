// Completion scripts and the manual page, as shells and man read them. A shell that is not installed is skipped.

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "support/folder.h"
#include "support/process.h"
#include "support/pty.h"

namespace primus_plan::test {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

bool is_installed(const std::string& program) { return std::filesystem::exists("/usr/bin/" + program); }

constexpr const char* all_commands[] = {
    "check",   "resolve", "estimate",  "accuracy", "layout", "pipeline",   "what-if", "plan", "hardware",
    "sweep",   "diff",    "translate", "advise",   "report", "keys",       "models",  "init", "why",
    "explain", "rules",   "config",    "schema",   "lsp",    "completion", "man"};

/// Flags of a command that take no value, as its help has them: nothing stands between the name and what it does.
std::vector<std::string> switches(const std::string& command) {
  std::istringstream help(run_plan({command, "--help"}).out);
  std::vector<std::string> out;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  -")) continue;
    std::istringstream words(line);
    std::string names;
    words >> names;
    const bool is_alone = line.compare(2 + names.size(), 2, "  ") == 0;
    const std::size_t comma = names.find(',');
    if (is_alone) out.push_back(comma == std::string::npos ? names : names.substr(comma + 1));
  }
  return out;
}

std::string roff(const std::string& flag) {
  std::string out;
  for (const char c : flag) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

/// What bash offers for words of which the last is being typed.
std::string complete(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  std::string script = run_plan({"completion", "bash"}).out + "COMP_WORDS=(";
  for (const std::string& word : words) script += "'" + word + "' ";
  script +=
      ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) + "\n_primus_plan\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const ProcessResult result = run_process("/usr/bin/bash", {folder.write("script.bash", script)});
  return result.err + result.out;  // compopt, which turns files off, complains outside of readline
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

TEST(Completion, BashGoesOnAfterASwitch) {
  if (!is_installed("bash")) GTEST_SKIP() << "no bash here";
  for (const std::string flag : {"--strict", "-v", "--verbose", "--fix"})
    EXPECT_EQ(complete({"primus-plan", "check", flag, "planne"}), "\n") << flag << ": files are the shell's own";
  EXPECT_EQ(complete({"primus-plan", "check", "--strict", "--worl"}), "--worlds\n--world-size\n");
  EXPECT_EQ(complete({"primus-plan", "layout", "--all", "--pict"}), "--picture\n");
  EXPECT_EQ(complete({"primus-plan", "check", "--write-baseline", "--stri"}), "--strict\n")
      << "its value may be left out";
  EXPECT_EQ(complete({"primus-plan", "check", "--write-baseline", "kno"}), "\n");
}

TEST(Completion, BashOnATerminalFindsFilesAfterASwitch) {
  if (!is_installed("bash")) GTEST_SKIP() << "no bash here";
  const TemporaryFolder folder;
  folder.write("planned.yaml", "");
  const std::string script = folder.write("script.bash", run_plan({"completion", "bash"}).out);
  Pty bash({"--norc", "--noprofile", "-i"},
           {.environment = {{"PS1", "ready> "}}, .folder = folder.path().string(), .program = "/usr/bin/bash"});
  bash.wait_for("ready> ");
  bash.type("source " + script + "\r");
  bash.wait_for("ready> ");
  bash.type("primus-plan check --strict planne\t");
  EXPECT_TRUE(bash.wait_for("planned.yaml").ends_with("planned.yaml")) << bash.seen();
  bash.type(
      "\x15"
      "exit\r");
  bash.exit_code();
}

TEST(Completion, SwitchesTakeNoValue) {
  const std::string bash = run_plan({"completion", "bash"}).out;
  const std::string zsh = run_plan({"completion", "zsh"}).out;
  const std::string fish = run_plan({"completion", "fish"}).out;
  const std::string page = run_plan({"man"}).out;
  for (const std::string command : all_commands) {
    const std::vector<std::string> flags = switches(command);
    EXPECT_FALSE(flags.empty()) << command << ": --help is one";
    const std::string in_fish = "__fish_seen_subcommand_from " + command + "'";
    for (const std::string& flag : flags) {
      EXPECT_FALSE(contains(bash, "'" + command + " " + flag + "'")) << command << " " << flag;
      std::istringstream lines(fish);
      for (std::string line; std::getline(lines, line);) {
        if (!contains(line, in_fish) || !contains(line, " -l " + flag.substr(2) + " -")) continue;
        EXPECT_FALSE(contains(line, flag.substr(2) + " -x") || contains(line, flag.substr(2) + " -r")) << line;
      }
    }
  }
  for (const std::string flag : {"--strict", "--fix", "--affected", "--worlds", "--all", "--dry-run", "--help"}) {
    EXPECT_TRUE(contains(zsh, "'*" + flag + "[")) << flag;
    EXPECT_FALSE(contains(zsh, "'*" + flag + "=")) << flag;
    EXPECT_TRUE(contains(page, "\\fB" + roff(flag) + "\\fR\n")) << flag;
    EXPECT_FALSE(contains(page, "\\fB" + roff(flag) + "\\fR \\fI")) << flag;
  }
  EXPECT_TRUE(contains(page, "\\fB\\-\\-write\\-baseline\\fR [\\fIFILE\\fR]"));
}

TEST(Completion, FishOffersFlagsAfterASwitch) {
  if (!is_installed("fish")) GTEST_SKIP() << "no fish here";
  const TemporaryFolder folder;
  const std::string script = run_plan({"completion", "fish"}).out + "complete -C 'primus-plan check --strict --worl'\n";
  const ProcessResult result = run_process("/usr/bin/fish", {"--no-config", folder.write("script.fish", script)});
  EXPECT_TRUE(contains(result.out, "--world-size")) << result.out << result.err;
  EXPECT_TRUE(contains(result.out, "--worlds")) << result.out << result.err;
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
