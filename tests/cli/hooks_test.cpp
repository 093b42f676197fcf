// Hooks and CI as their users run them: lists of files, git, presets that experiments reach, the blocks of docs/ci.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The fenced blocks below a heading of a Markdown page.
std::vector<std::string> blocks_below(const std::string& page, const std::string& heading) {
  std::vector<std::string> blocks;
  const std::size_t begin = page.find("\n## " + heading + "\n");
  if (begin == std::string::npos) return blocks;
  const std::string section = page.substr(begin, page.find("\n## ", begin + 4) - begin);
  for (std::size_t at = section.find("\n```"); at != std::string::npos; at = section.find("\n```", at + 4)) {
    const std::size_t text = section.find('\n', at + 1) + 1;
    at = section.find("\n```", text - 1);
    blocks.push_back(section.substr(text, at + 1 - text));
  }
  return blocks;
}

std::string ci_page() { return read_file(source_dir() / "docs/ci.md"); }

class Hooks : public testing::Test {
 protected:
  Hooks() {
    sh("git init -q -b main . && git config user.name t && git config user.email t@example.org && "
       "git config commit.gpgsign false");
  }

  std::string folder() const { return folder_.path().string(); }
  void write(const std::string& name, std::string_view text) { folder_.write(name, text); }
  ProcessResult plan(std::vector<std::string> arguments, std::string input = {}) {
    return run_plan(arguments, {.input = std::move(input), .folder = folder()});
  }
  /// A shell in the scratch repository, with primus-plan on the PATH.
  ProcessResult sh(const std::string& script, std::vector<std::pair<std::string, std::string>> environment = {}) {
    environment.emplace_back("HOME", folder());
    return run_process("/bin/bash", {"-c", "PATH=" + binary().parent_path().string() + ":$PATH\n" + script},
                       {.input = {}, .environment = std::move(environment), .folder = folder()});
  }
  void commit(const std::string& message) {
    const ProcessResult done = sh("git add -A && git commit -q --no-verify -m '" + message + "'");
    ASSERT_EQ(done.exit_code, 0) << done.err;
  }
  void install_hook(const std::string& name, const std::string& text) {
    const std::string path = folder_.write(".git/hooks/" + name, text);
    ASSERT_EQ(::chmod(path.c_str(), 0700), 0);
  }
  /// A tree with presets of its own and two experiments on different models.
  void write_primus_tree() {
    const std::string configs = "primus/configs/";
    write(configs + "modules/megatron/pre_trainer.yaml",
          "trainable: true\nmicro_batch_size: 1\nglobal_batch_size: 8\n");
    write(configs + "models/megatron/base.yaml", "num_attention_heads: 8\nhidden_size: 64\n");
    for (const char* model : {"small", "large"}) {
      write(configs + "models/megatron/" + model + ".yaml", "extends:\n  - base.yaml\nnum_layers: 4\n");
      write(std::string("examples/") + model + ".yaml",
            std::string("work_group: t\nuser_name: u\nexp_name: e\nworkspace: w\nmodules:\n  pre_trainer:\n"
                        "    framework: megatron\n    config: pre_trainer.yaml\n    model: ") +
                model + ".yaml\n    overrides:\n      micro_batch_size: 1\n");
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Hooks, FilesThatAreTakenAwayTellToo) {
  write_primus_tree();
  write("exp/base.yaml", bad_experiment);
  write("exp/derived.yaml", "extends: base.yaml\n");
  commit("all");
  EXPECT_EQ(sh("git rm -q primus/configs/models/megatron/small.yaml").exit_code, 0);
  const ProcessResult preset = plan({"check", "--affected", "--changed-since", "HEAD", "examples"});
  EXPECT_EQ(preset.exit_code, 1) << preset.err;
  EXPECT_THAT(preset.out, HasSubstr("model preset small.yaml is not in"));
  EXPECT_EQ(sh("git mv exp/base.yaml exp/other.yaml").exit_code, 0);
  const ProcessResult base = plan({"check", "--affected", "--changed-since", "HEAD", "exp"});
  EXPECT_EQ(base.exit_code, 1) << base.err;
  EXPECT_THAT(base.out, HasSubstr("derived.yaml"));
  EXPECT_EQ(plan({"check", "--only-experiments", "exp/derived.yaml"}).exit_code, 1) << "its base is missing";
}

TEST_F(Hooks, ListsOfFiles) {
  write("good.yaml", good_experiment);
  write("bad.yaml", bad_experiment);
  write("values.yaml", "key: value\n");
  write("notes.txt", "text\n");
  EXPECT_EQ(plan({"check", "--files-from", "-"}, "good.yaml\nvalues.yaml\nnotes.txt\n").exit_code, 0);
  const ProcessResult result = plan({"check", "--files-from", "-"}, std::string("good.yaml\0bad.yaml\0", 19));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("bad.yaml:15:26: error"));
  write("list", "bad.yaml\r\n");
  EXPECT_EQ(plan({"check", "--files-from", "list", "good.yaml"}).exit_code, 1);
  const ProcessResult nothing = plan({"check", "--files-from", "-"}, "");
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_EQ(nothing.err, "primus-plan: no experiment to check\n");
  EXPECT_EQ(plan({"check", "--files-from", "-"}, "gone.yaml\n").exit_code, 2);
  EXPECT_EQ(plan({"check", "--files-from", "no-list"}).exit_code, 2);
  EXPECT_EQ(plan({"check"}).exit_code, 2);
  EXPECT_EQ(plan({"check", "values.yaml"}).exit_code, 1);
  EXPECT_EQ(plan({"check", "--only-experiments", "values.yaml", "good.yaml"}).exit_code, 0);
}

// What only experiments have tells one whose "modules" cannot be read.
TEST_F(Hooks, ABrokenExperimentIsNotPassedOver) {
  const std::string good(good_experiment);
  const std::size_t modules = good.find("modules:");
  const auto changed = [&](const std::string& to) { return std::string(good).replace(modules, 8, to); };
  std::string wide = "\xFF\xFE";
  for (const char c : good) wide += {c, '\0'};
  for (const std::string& text : {changed(" modules:"), changed("modules"), changed("module:"), wide}) {
    write("exp/broken.yaml", text);
    EXPECT_EQ(plan({"check", "--only-experiments", "exp/broken.yaml"}).exit_code, 1) << text.substr(0, 80);
    EXPECT_EQ(plan({"check", "exp"}).exit_code, 1) << text.substr(0, 80);
  }
  write("exp/broken.yaml", "workspace: of another tool\nitems: [1]\n");
  EXPECT_EQ(plan({"check", "--only-experiments", "exp/broken.yaml"}).exit_code, 0);
}

TEST_F(Hooks, ChangedSince) {
  write("exp/old.yaml", bad_experiment);
  write("exp/mine.yaml", good_experiment);
  write(".gitignore", "exp/scratch.yaml\n");
  commit("first");
  EXPECT_EQ(plan({"check", "--changed-since", "main"}).exit_code, 0) << "nothing has changed";
  sh("git checkout -q -b work");
  write("exp/mine.yaml", bad_experiment);
  write("exp/scratch.yaml", bad_experiment);
  const ProcessResult changed = plan({"check", "--changed-since", "main"});
  EXPECT_EQ(changed.exit_code, 1) << changed.err;
  EXPECT_THAT(changed.out, HasSubstr("exp/mine.yaml:15"));
  EXPECT_THAT(changed.out, Not(HasSubstr("old.yaml")));
  EXPECT_THAT(changed.out, Not(HasSubstr("scratch.yaml")));
  commit("second");
  EXPECT_EQ(plan({"check", "--changed-since", "main"}).exit_code, 1) << "committed or not";
  EXPECT_EQ(plan({"check", "--changed-since", "HEAD"}).exit_code, 0);
  write("new.yaml", bad_experiment);
  EXPECT_EQ(plan({"check", "--changed-since", "HEAD"}).exit_code, 1) << "new files count";
  EXPECT_EQ(plan({"check", "--changed-since", "HEAD", "exp"}).exit_code, 0) << "only below the given folders";
  sh("git checkout -q main && git commit -q --allow-empty -m third && rm new.yaml exp/old.yaml");
  EXPECT_EQ(plan({"check", "--changed-since", "main"}).exit_code, 0) << "deleted files are no files to check";
}

TEST_F(Hooks, ChangedSinceLooksAtTheWholeRepository) {
  write("exp/mine.yaml", good_experiment);
  write("jobs/other.txt", "no experiment\n");
  commit("first");
  write("exp/mine.yaml", bad_experiment);
  const std::string jobs = folder() + "/jobs";
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"check", "--changed-since", "HEAD"},
                                                    {"check", "--affected", "--changed-since", "HEAD"}}) {
    const ProcessResult result = run_plan(arguments, {.folder = jobs});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_THAT(result.out, HasSubstr("../exp/mine.yaml:15"));
  }
  EXPECT_EQ(run_plan({"check", "--changed-since", "HEAD", "."}, {.folder = jobs}).exit_code, 0);
}

TEST_F(Hooks, ChangedSinceNeedsARevisionAndARepository) {
  write("a.yaml", good_experiment);
  commit("first");
  EXPECT_EQ(plan({"check", "--changed-since", "nowhere"}).exit_code, 2);
  EXPECT_EQ(plan({"check", "--changed-since=--output=x"}).exit_code, 2);
  const TemporaryFolder plain;
  const ProcessResult result = run_plan({"check", "--changed-since", "main"}, {.folder = plain.path().string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no git repository"));
}

TEST_F(Hooks, AffectedExperimentsOfAPreset) {
  write_primus_tree();
  const auto checked = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check");
    arguments.push_back("-v");
    const ProcessResult result = plan(arguments);
    EXPECT_EQ(result.err, "");
    return result.out;
  };
  const std::string models = "primus/configs/models/megatron/";
  const std::string small = checked({"--affected", models + "small.yaml", "examples"});
  EXPECT_THAT(small, HasSubstr("examples/small.yaml: "));
  EXPECT_THAT(small, Not(HasSubstr("examples/large.yaml: ")));
  const std::string base = checked({"--affected", models + "base.yaml"});
  EXPECT_THAT(base, HasSubstr("examples/small.yaml: "))
      << "through extends, and without a folder everything below here";
  EXPECT_THAT(base, HasSubstr("examples/large.yaml: "));
  const std::string itself = checked({"--affected", "examples/large.yaml"});
  EXPECT_THAT(itself, HasSubstr("examples/large.yaml: "));
  EXPECT_THAT(itself, Not(HasSubstr("examples/small.yaml: ")));
  EXPECT_EQ(plan({"check", "--affected", "gone.yaml"}).exit_code, 2);
}

TEST_F(Hooks, AFaultInAPresetReachesItsExperiments) {
  write_primus_tree();
  commit("first");
  EXPECT_EQ(plan({"check", "--affected", "--changed-since", "main"}).exit_code, 0);
  write("primus/configs/models/megatron/small.yaml", "extends:\n  - base.yaml\nnum_layers: [\n");
  const ProcessResult broken = plan({"check", "--affected", "--changed-since", "main"});
  EXPECT_EQ(broken.exit_code, 1) << broken.err;
  EXPECT_THAT(broken.out, HasSubstr("small.yaml"));
  EXPECT_THAT(broken.out, Not(HasSubstr("large.yaml")));
}

TEST_F(Hooks, TheGitHookOfThePageStopsABadCommit) {
  const auto hooks = blocks_below(ci_page(), "A git hook without pre-commit");
  ASSERT_EQ(hooks.size(), 2U);
  install_hook("pre-commit", hooks[0]);
  write("old.yaml", bad_experiment);
  commit("what was there before");
  write("exp/a b.yaml", good_experiment);
  write("values.yaml", "key: value\n");
  const ProcessResult good = sh("git add -A && git commit -q -m good");
  EXPECT_EQ(good.exit_code, 0) << good.err << good.out;
  write("exp/a b.yaml", bad_experiment);
  const ProcessResult bad = sh("git add -A && git commit -q -m bad");
  EXPECT_NE(bad.exit_code, 0);
  EXPECT_THAT(bad.out + bad.err, HasSubstr("exp/a b.yaml:15:26: error"));
  EXPECT_THAT(bad.out + bad.err, Not(HasSubstr("old.yaml")));
  EXPECT_EQ(sh("git log --oneline | wc -l").out, "2\n");
  write("exp/a b.yaml", good_experiment);
  EXPECT_EQ(sh("git rm -q values.yaml && git add -A && git commit -q --allow-empty -m mended").exit_code, 0);
}

TEST_F(Hooks, ThePushHookOfThePageLooksAtTheBranch) {
  const auto hooks = blocks_below(ci_page(), "A git hook without pre-commit");
  ASSERT_EQ(hooks.size(), 2U);
  install_hook("pre-push", hooks[1]);
  write_primus_tree();
  commit("first");
  sh("git init -q --bare remote.git && git remote add origin remote.git && git push -q --no-verify origin main");
  sh("git checkout -q -b work && git fetch -q");
  write("primus/configs/models/megatron/large.yaml",
        "extends:\n  - base.yaml\nnum_attention_heads: 7\nnum_layers: 4\n");
  sh("git add primus && git commit -q -m change");
  const ProcessResult pushed = sh("git push -q origin work");
  EXPECT_NE(pushed.exit_code, 0);
  EXPECT_THAT(pushed.out + pushed.err, HasSubstr("large.yaml"));
}

TEST_F(Hooks, PreCommitRunsTheEntriesThatTheRepositoryOffers) {
  write("good.yaml", good_experiment);
  write("values.yaml", "key: value\n");
  write("bad.yaml", bad_experiment);
  const std::string offered = read_file(source_dir() / ".pre-commit-hooks.yaml");
  std::vector<std::string> entries;
  for (std::size_t at = offered.find("entry: "); at != std::string::npos; at = offered.find("entry: ", at + 1)) {
    entries.push_back(offered.substr(at + 7, offered.find('\n', at) - at - 7));
  }
  ASSERT_EQ(entries.size(), 2U);
  for (const std::string& entry : entries) {
    // As pre-commit does: the entry, then the names of the changed files of the asked types.
    EXPECT_EQ(sh(entry + " good.yaml values.yaml").exit_code, 0) << entry;
    EXPECT_EQ(sh(entry + " values.yaml").exit_code, 0) << entry;
    const ProcessResult bad = sh(entry + " values.yaml bad.yaml");
    EXPECT_EQ(bad.exit_code, 1) << entry << bad.err;
    EXPECT_THAT(bad.out, HasSubstr("bad.yaml:15:26: error"));
  }
}

/// The script of the action's last step, without its indent.
std::string action_script() {
  const std::string action = read_file(source_dir() / "action.yml");
  std::string script = action.substr(action.rfind("run: |\n") + 7);
  for (std::size_t at = 0; (at = script.find("        ", at)) != std::string::npos;) script.erase(at, 8);
  return script;
}

TEST_F(Hooks, TheActionsScriptChecksWhatItIsGiven) {
  write("exp/good.yaml", good_experiment);
  write("exp/bad.yaml", bad_experiment);
  commit("first");
  const std::string prefix = binary().parent_path().string();
  const auto act = [&](const std::string& paths, const std::string& since) {
    return sh("set -e -o pipefail\n" + action_script(),
              {{"PREFIX", prefix}, {"PATHS", paths}, {"CHANGED_SINCE", since}, {"ARGS", "--strict"}});
  };
  const ProcessResult all = act("exp", "");
  EXPECT_EQ(all.exit_code, 1) << all.err;
  EXPECT_THAT(all.out, HasSubstr("::error "));
  EXPECT_THAT(all.out, HasSubstr("file=exp/bad.yaml,line=15"));
  EXPECT_EQ(act("exp/good.yaml", "").exit_code, 0);
  EXPECT_EQ(act("exp", "main").exit_code, 0) << "nothing has changed";
  write("exp/good.yaml", bad_experiment);
  EXPECT_EQ(act("exp", "main").exit_code, 1);
}

TEST_F(Hooks, TheGitLabJobWritesItsReport) {
  write("experiments/bad.yaml", bad_experiment);
  const auto jobs = blocks_below(ci_page(), "GitLab");
  ASSERT_EQ(jobs.size(), 1U);
  const std::size_t at = jobs[0].find("    - primus-plan ");
  ASSERT_NE(at, std::string::npos);
  const ProcessResult result = sh(jobs[0].substr(at + 6, jobs[0].find('\n', at) - at - 6));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(read_file(folder_.path() / "gl-code-quality-report.json"), HasSubstr("\"experiments/bad.yaml\""));
}

TEST_F(Hooks, LongRunsSayHowFarTheyAre) {
  write("a.yaml", good_experiment);
  write("b.yaml", good_experiment);
  const ProcessResult slow = sh("(sleep 2.2; printf 'a.yaml\\nb.yaml\\n') | primus-plan check --files-from -");
  EXPECT_EQ(slow.exit_code, 0);
  EXPECT_THAT(slow.err, HasSubstr("primus-plan: 1 of 2 files\n"));
  EXPECT_EQ(sh("(sleep 2.2; printf 'a.yaml\\nb.yaml\\n') | primus-plan check -q --files-from -").err, "");
  EXPECT_EQ(sh("printf 'a.yaml\\nb.yaml\\n' | primus-plan check --files-from -").err, "");
}

#ifndef __SANITIZE_ADDRESS__
/// Seconds of processor time that ended children have taken.
double children_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST_F(Hooks, AHookOnOneChangedFileFeelsInstant) {
  write(".primus-plan.yaml", "launch: [{files: '*', world-size: 8}]\nseverity: {LN: note}\n");
  write("exp/a.yaml", good_experiment);
  double least = 1;
  for (int i = 0; i < 10; ++i) {
    const double before = children_seconds();
    ASSERT_EQ(plan({"check", "--files-from", "-"}, "exp/a.yaml\n").exit_code, 0);
    least = std::min(least, children_seconds() - before);
  }
  EXPECT_LT(least, 0.020 * patience());
}
#endif

}  // namespace
}  // namespace primus_plan::test
