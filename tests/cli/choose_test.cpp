// Choosing what is told: flags, settings, comments, baselines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Choose : public testing::Test {
 protected:
  ProcessResult plan(std::vector<std::string> arguments) { return run_plan(arguments, {.folder = folder()}); }
  std::string folder() const { return folder_.path().string(); }
  void write(const std::string& name, std::string_view text) { folder_.write(name, text); }
  json findings(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    json all = json::array();
    const ProcessResult result = plan(arguments);
    const json report = json::parse(result.out);
    for (const json& file : report["files"]) {
      for (const json& finding : file["findings"]) {
        if (finding["severity"] != "note") all.push_back(finding);
      }
    }
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(Choose, FlagsChooseRulesByIdNameAndFirstLetters) {
  write("a.yaml", bad_experiment);
  EXPECT_EQ(plan({"check", "a.yaml"}).exit_code, 1);
  for (const char* word : {"MG203", "mg2", "MG", "global-batch-not-divisible"}) {
    EXPECT_EQ(plan({"check", "a.yaml", "--ignore", word}).exit_code, 0) << word;
    EXPECT_EQ(plan({"check", "a.yaml", "--select", word}).exit_code, 1) << word;
  }
  EXPECT_EQ(plan({"check", "a.yaml", "--select", "LN,CF"}).exit_code, 0);
  EXPECT_EQ(plan({"check", "a.yaml", "--select", "MG2", "--ignore", "MG203"}).exit_code, 0);
}

TEST_F(Choose, SeveritiesDecideTheExitCode) {
  write("a.yaml", bad_experiment);
  const ProcessResult softer = plan({"check", "a.yaml", "--severity", "MG203=warning"});
  EXPECT_EQ(softer.exit_code, 0) << softer.err;
  EXPECT_THAT(softer.out, HasSubstr("a.yaml:15:26: warning: "));
  EXPECT_EQ(plan({"check", "a.yaml", "--severity", "MG203=warning", "--strict"}).exit_code, 1);
  EXPECT_EQ(plan({"check", "a.yaml", "--severity", "MG=off", "--strict"}).exit_code, 0);
  EXPECT_EQ(plan({"what-if", "a.yaml", "--set", "seed=1", "--severity", "MG203=note"}).exit_code, 0);
}

TEST_F(Choose, WrongWordsAreTrouble) {
  write("a.yaml", bad_experiment);
  const ProcessResult rule = plan({"check", "a.yaml", "--ignore", "MG2033"});
  EXPECT_EQ(rule.exit_code, 2);
  EXPECT_THAT(rule.err, HasSubstr("--ignore MG2033: no rule is called MG2033; did you mean MG203"));
  EXPECT_EQ(plan({"check", "a.yaml", "--severity", "MG203"}).exit_code, 2);
  EXPECT_EQ(plan({"check", "a.yaml", "--severity", "MG203=fatal"}).exit_code, 2);
  EXPECT_EQ(plan({"check", "a.yaml", "--baseline", "none.json"}).exit_code, 2);
  EXPECT_EQ(plan({"check", "a.yaml", "--config", "none.yaml"}).exit_code, 2);
}

TEST_F(Choose, CommentsSilence) {
  std::string text(bad_experiment);
  text.insert(text.find("global_batch_size: 33") + 21, "  # primus-plan: ignore[MG203] kept as it ran");
  write("a.yaml", text);
  const ProcessResult result = plan({"check", "a.yaml", "--strict"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(plan({"check", "a.yaml", "--set", "global_batch_size=32"}).out, HasSubstr("CF221 unused-ignore"));
}

TEST_F(Choose, SettingsHoldForTheExperimentsBelow) {
  std::string unsized_experiment(bad_experiment.substr(bad_experiment.find('\n') + 1));
  unsized_experiment.replace(unsized_experiment.find(": 33"), 4, ": 32");
  write("exp/70b/a.yaml", unsized_experiment);
  write("exp/old/b.yaml", bad_experiment);
  EXPECT_EQ(plan({"check", "exp/old/b.yaml"}).exit_code, 1);
  write("exp/.primus-plan.yaml",
        "launch: [{files: 70b/*, world-size: 24}]\n"
        "ignore: [{files: old, rules: MG203, reason: kept as it ran}]\n");
  const ProcessResult seventy = plan({"check", "exp/70b/a.yaml"});
  EXPECT_EQ(seventy.exit_code, 1);
  EXPECT_THAT(seventy.out, HasSubstr("24 GPUs"));
  EXPECT_EQ(plan({"check", "exp/70b/a.yaml", "--config", "none"}).exit_code, 0);
  EXPECT_EQ(plan({"check", "exp/70b/a.yaml", "--world-size", "8"}).exit_code, 0) << "flags beat settings";
  EXPECT_EQ(plan({"check", "exp/old/b.yaml"}).exit_code, 0);
  EXPECT_EQ(plan({"check", "exp", "--jobs", "3"}).exit_code, 1);
  write("exp/old/.primus-plan.yaml", "severity: {MG203: warning}\nstrict: true\n");
  const ProcessResult old = plan({"check", "exp/old/b.yaml"});
  EXPECT_EQ(old.exit_code, 1) << "the nearest file holds alone, and it is strict";
  EXPECT_THAT(old.out, HasSubstr(": warning: "));
}

TEST_F(Choose, WrongSettingsAreTroubleWithEveryFault) {
  write("a.yaml", good_experiment);
  write(".primus-plan.yaml", "strikt: true\nseverity: {MG203: loud}\n");
  const ProcessResult result = plan({"check", "a.yaml"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "primus-plan: .primus-plan.yaml:1:1: a file of settings has no key strikt; did you mean strict?\n"
            "primus-plan: .primus-plan.yaml:2:19: MG203 must be off, note, warning or error, not loud\n");
}

TEST_F(Choose, ConfigShowSaysWhereEachSettingComesFrom) {
  write("exp/70b/a.yaml", good_experiment);
  write("exp/70b/b.yaml", "micro_batch_size: 2\nglobal_batch_size: 32\n");
  write("team.yaml", "baseline: known.json\n");
  write("exp/.primus-plan.yaml",
        "extends: ../team.yaml\nstrict: true\nlaunch: [{files: 70b, nodes: 2}]\n"
        "ignore: [{rules: LN, reason: one switch}]\n");
  const ProcessResult text = plan({"config", "show", "exp/70b/b.yaml", "--severity", "MG2=note"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* part : {"16 GPUs = 2 x 8", "settings in exp/.primus-plan.yaml:3", "exp/.primus-plan.yaml:2:9",
                           "team.yaml:1:11", "(one switch)", "severity MG2", "--severity"}) {
    EXPECT_THAT(text.out, HasSubstr(part));
  }
  const json shown = json::parse(plan({"config", "show", "exp/70b/a.yaml", "--format", "json"}).out);
  std::map<std::string, json> rows;
  for (const json& row : shown["settings"]) rows[row["key"]] = row;
  EXPECT_EQ(rows["launch"]["origin"], "the comment in exp/70b/a.yaml:1");
  EXPECT_EQ(rows["strict"]["value"], "true");
  EXPECT_EQ(rows["primus-root"]["origin"], "default");
  EXPECT_EQ(plan({"config", "show"}).exit_code, 0);
  EXPECT_EQ(plan({"config", "set"}).exit_code, 2);
}

TEST_F(Choose, TheSettingsOfThePageAreGood) {
  const std::string page = read_file(source_dir() / "docs/settings.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  write("repo/.primus-plan.yaml", page.substr(begin, page.find("```", begin) - begin));
  write("team/.primus-plan.yaml", "strict: true\n");
  write("Primus/primus/configs/modules/megatron/pre_trainer.yaml", "micro_batch_size: 2\n");
  write("Primus/primus/configs/models/megatron/language_model.yaml", "seq_length: 1024\n");
  write("repo/exp/70b/a.yaml", "micro_batch_size: 2\nglobal_batch_size: 64\n");
  const ProcessResult result = plan({"config", "show", "repo/exp/70b/a.yaml"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("64 GPUs = 8 x 8"));
}

// The promise to whoever starts with an old tree: what is known stays silent, what is new is told, alone.
TEST_F(Choose, AThousandOldFindingsThenOneNew) {
  // Of as many files as a program under valgrind gets through: what counts is that all of them are old.
  const int many = std::max(250 / patience(), 20);
  const std::string files = std::to_string(many) + " files";
  for (int i = 0; i < many; ++i) {
    std::string text(bad_experiment);
    text += "      tensor_model_paralel_size: 2\n      moe_ruoter_topk: 2\n      nmu_layers: 4\n";
    write("exp/" + std::to_string(i) + ".yaml", text);
  }
  ASSERT_GE(findings({"check", "exp"}).size(), 4U * static_cast<std::size_t>(many));
  ASSERT_EQ(plan({"check", "exp"}).exit_code, 1);
  const ProcessResult written = plan({"check", "exp", "--write-baseline", "known.json"});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_THAT(written.err, HasSubstr(" findings of " + files + " written to known.json"));
  EXPECT_EQ(plan({"check", "exp", "--baseline", "known.json", "--strict"}).exit_code, 0);

  write("exp/7.yaml", "# moved\n\n" + std::string(bad_experiment) +
                          "      moe_ruoter_topk: 2\n      tensor_model_paralel_size: 2\n      nmu_layers: 4\n");
  EXPECT_EQ(plan({"check", "exp", "--baseline", "known.json", "--strict"}).exit_code, 0) << "lines do not matter";

  std::string changed(bad_experiment);
  changed.replace(changed.find("size: 33"), 8, "size: 35");
  write("exp/9.yaml", changed);
  EXPECT_EQ(plan({"check", "exp", "--baseline", "known.json"}).exit_code, 1);
  const json fresh = findings({"check", "exp", "--baseline", "known.json"});
  ASSERT_EQ(fresh.size(), 1U) << fresh.dump(2);
  EXPECT_EQ(fresh[0]["rule"], "MG203");
  // The same from another folder.
  const ProcessResult elsewhere = run_plan({"check", folder() + "/exp", "--baseline", folder() + "/known.json"}, {});
  EXPECT_EQ(elsewhere.exit_code, 1);
  EXPECT_TRUE(elsewhere.out.ends_with(files + ": 1 error\n")) << elsewhere.out;
}

TEST_F(Choose, TheBaselineOfTheSettingsIsReadAndWritten) {
  write("exp/a.yaml", bad_experiment);
  write("exp/.primus-plan.yaml", "baseline: known.json\n");
  EXPECT_EQ(plan({"check", "exp/a.yaml"}).exit_code, 2) << "a baseline that is not there is no baseline";
  EXPECT_EQ(plan({"check", "exp/a.yaml", "--write-baseline"}).exit_code, 0);
  EXPECT_FALSE(read_file(folder_.path() / "exp/known.json").empty());
  EXPECT_EQ(plan({"check", "exp/a.yaml"}).exit_code, 0);
  EXPECT_EQ(plan({"check", "exp/a.yaml", "--write-baseline"}).exit_code, 0) << "written anew, not emptied";
  EXPECT_EQ(plan({"check", "exp/a.yaml"}).exit_code, 0);
}

TEST_F(Choose, WriteBaselineOverwritesNothingElse) {
  write("a.yaml", bad_experiment);
  write("b.yaml", bad_experiment);
  const ProcessResult result = plan({"check", "a.yaml", "--write-baseline", "b.yaml"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("would overwrite a file that is no baseline"));
  EXPECT_EQ(read_file(folder_.path() / "b.yaml"), bad_experiment);
}

TEST_F(Choose, StatisticsInsteadOfFindings) {
  write("exp/a.yaml", bad_experiment);
  write("exp/b.yaml", bad_experiment);
  const ProcessResult text = plan({"check", "exp", "--statistics"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.out, HasSubstr("      2       2  error    MG203  global-batch-not-divisible\n"));
  EXPECT_THAT(text.out, Not(HasSubstr("a.yaml")));
  const json counted = json::parse(plan({"check", "exp", "--statistics", "--format", "json"}).out);
  const auto is_rule = [](const json& row) { return row["rule"] == "MG203"; };
  EXPECT_TRUE(std::any_of(counted["statistics"].begin(), counted["statistics"].end(), is_rule)) << counted;
  EXPECT_EQ(counted["summary"]["errors"], 2);
}

}  // namespace
}  // namespace primus_plan::test
