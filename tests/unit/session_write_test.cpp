// write: into the experiment, elsewhere, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/experiments.h"
#include "support/loaded_run.h"
#include "support/loaded_session.h"

namespace primus_plan::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string good(good_experiment);
const std::string commented = good + "      # the last comment\n";

TEST(SessionWrite, WithoutAYesItOnlyShows) {
  LoadedSession s(commented);
  s.run("tp 4");
  EXPECT_THAT(s.say("write"), HasSubstr("tensor_model_parallel_size: 4\n"));
  EXPECT_EQ(s.host().disk.at("exp.yaml"), commented);
  s.host().answer = false;
  EXPECT_THAT(s.say("write"), HasSubstr("nothing was written"));
  EXPECT_EQ(s.host().disk.at("exp.yaml"), commented);
  EXPECT_EQ(s.host().disk.size(), 1U);
}

TEST(SessionWrite, KeepsCommentsAndTheWayBack) {
  LoadedSession s(commented);
  s.run("set tp=4 recompute_granularity=full recompute_method=uniform recompute_num_layers=1");
  s.host().answer = true;
  const session::Result result = s.run("write");
  ASSERT_TRUE(result.ok) << result.error;
  const std::string written = s.host().disk.at("exp.yaml");
  EXPECT_THAT(written, HasSubstr("      tensor_model_parallel_size: 4\n"));
  EXPECT_THAT(written, HasSubstr("recompute_granularity: full\n"));
  EXPECT_THAT(written, HasSubstr("# the last comment"));
  EXPECT_EQ(s.host().disk.at("exp.yaml.orig"), commented);
  EXPECT_THAT(s.host().questions.back(), HasSubstr("tensor_model_parallel_size: 4"));
  LoadedSession again(written);
  EXPECT_EQ(again.now().degrees.tensor, 4);
  EXPECT_THAT(s.say("write"), HasSubstr("holds that already"));
}

TEST(SessionWrite, UndoAndWriteTakeItBackByteForByte) {
  LoadedSession s(commented);
  s.host().answer = true;
  s.run("tp 4");
  s.run("write");
  EXPECT_NE(s.host().disk.at("exp.yaml"), commented);
  s.run("undo");
  ASSERT_TRUE(s.run("write").ok);
  EXPECT_EQ(s.host().disk.at("exp.yaml"), commented);
}

TEST(SessionWrite, RefusesAFileThatChangedMeanwhile) {
  LoadedSession s(good);
  s.run("tp 4");
  const std::string theirs = good + "      lr: 1.0e-4\n";
  s.host().disk["exp.yaml"] = theirs;
  const session::Result result = s.run("write --yes");
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.error, HasSubstr("changed since it was read"));
  EXPECT_EQ(s.host().disk.at("exp.yaml"), theirs);
  EXPECT_EQ(s.host().disk.size(), 1U);
  EXPECT_EQ(s.now().degrees.tensor, 4);
  EXPECT_TRUE(s.run("write mine.yaml").ok);
  EXPECT_THAT(s.host().disk.at("mine.yaml"), HasSubstr("tensor_model_parallel_size: 4"));
}

TEST(SessionWrite, AnEarlierWayBackStays) {
  LoadedSession s(good);
  s.host().disk["exp.yaml.orig"] = "older";
  s.run("tp 4");
  EXPECT_TRUE(s.run("write --yes").ok);
  EXPECT_EQ(s.host().disk.at("exp.yaml.orig"), "older");
  EXPECT_EQ(s.host().disk.at("exp.yaml.orig.2"), good);
}

TEST(SessionWrite, TheLaunchSizeGoesIntoTheComment) {
  LoadedSession s(good);
  s.run("set nodes=2 tp=4");
  EXPECT_THAT(s.say("write"), HasSubstr("# primus-plan: world-size=16\n"));
  ASSERT_TRUE(s.run("write --yes").ok);
  EXPECT_THAT(s.host().disk.at("exp.yaml"), ::testing::StartsWith("# primus-plan: world-size=16\nwork_group"));
  LoadedSession by_nodes("# primus-plan: nodes=1 gpus-per-node=8\n" + good.substr(good.find('\n') + 1));
  by_nodes.run("nodes 4");
  ASSERT_TRUE(by_nodes.run("write --yes").ok);
  EXPECT_THAT(by_nodes.host().disk.at("exp.yaml"),
              ::testing::StartsWith("# primus-plan: world-size=32 gpus-per-node=8\n"));
}

TEST(SessionWrite, WithoutAnOwnSizeNoneIsWritten) {
  const std::string bare = good.substr(good.find('\n') + 1);
  LoadedSession s(bare);
  s.run("tp 4");
  ASSERT_TRUE(s.run("write --yes").ok);
  EXPECT_THAT(s.host().disk.at("exp.yaml"), Not(HasSubstr("primus-plan:")));
  s.run("nodes 2");
  ASSERT_TRUE(s.run("write --yes").ok);
  EXPECT_THAT(s.host().disk.at("exp.yaml"), ::testing::StartsWith("# primus-plan: world-size=16\n"));
}

TEST(SessionWrite, TheSizeIsWrittenBesideOtherCommentsToPrimusPlan) {
  const std::string bare = good.substr(good.find('\n') + 1);
  const std::string ignoring =
      bare + "      # primus-plan: ignore[MG203] the launcher sets the batch that really runs\n";
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string& text : {ignoring, mark + bare}) {
    LoadedSession s(text);
    s.run("nodes 2");
    ASSERT_TRUE(s.run("write --yes").ok);
    EXPECT_EQ(LoadedSession(s.host().disk.at("exp.yaml")).now().launch.world_size, 16);
  }
}

TEST(SessionWrite, TheSizeBehindAByteOrderMarkIsReadAndChanged) {
  const std::string mark = "\xEF\xBB\xBF";
  LoadedSession s(mark + good);
  EXPECT_EQ(s.now().launch.world_size, 8);
  s.run("nodes 2");
  ASSERT_TRUE(s.run("write --yes").ok);
  EXPECT_THAT(s.host().disk.at("exp.yaml"), ::testing::StartsWith(mark + "# primus-plan: world-size=16\nwork_group"));
}

TEST(SessionWrite, ACopyIsAWholeExperiment) {
  LoadedSession s(commented);
  s.run("tp 4");
  EXPECT_FALSE(s.run("write --copy").ok);
  EXPECT_TRUE(s.run("write --copy copy.yaml").ok);
  EXPECT_THAT(s.host().disk.at("copy.yaml"), HasSubstr("work_group: team"));
  EXPECT_THAT(s.host().disk.at("copy.yaml"), HasSubstr("tensor_model_parallel_size: 4"));
  EXPECT_EQ(s.host().disk.at("exp.yaml"), commented);
  EXPECT_FALSE(s.run("write copy.yaml").ok);
  EXPECT_TRUE(s.run("write --yes copy.yaml").ok);
}

TEST(SessionWrite, ARefusedWriteIsNoWayBackYet) {
  LoadedSession s(good);
  s.run("tp 4");
  s.host().disk["exp.yaml"] = good + "# theirs\n";
  EXPECT_FALSE(s.run("write --yes").ok);
  s.host().disk["exp.yaml"] = good;
  ASSERT_TRUE(s.run("write --yes").ok);
  EXPECT_EQ(s.host().disk.at("exp.yaml.orig"), good);
}

TEST(SessionWrite, SaysThatChangedHardwareIsNotInTheExperiment) {
  LoadedSession s(good);
  s.run("hw MI355X:nic_gbs=25");
  s.run("tp 4");
  for (const char* line : {"write", "write block.yaml", "write --copy copy.yaml", "write --yes", "write --yes"}) {
    const std::string text = s.say(line);
    EXPECT_THAT(text, HasSubstr("hardware: MI355X:nic_gbs=25 in .primus-plan.yaml")) << line;
    EXPECT_THAT(text, HasSubstr("--hardware MI355X:nic_gbs=25")) << line;
  }
  EXPECT_THAT(s.host().disk.at("exp.yaml"), HasSubstr("tensor_model_parallel_size: 4"));
  s.run("unset tp");
  EXPECT_TRUE(s.run("write --yes").ok);
  EXPECT_EQ(s.host().disk.at("exp.yaml"), good);
  s.run("set tp=4");
  s.run("unset hw");
  EXPECT_THAT(s.say("write --yes"), Not(HasSubstr("hardware")));
}

TEST(SessionWrite, HardwareOfItsOwnNameGoesIntoTheComment) {
  LoadedSession s(good);
  s.run("hw mi355x");
  EXPECT_THAT(s.say("write"), HasSubstr("# primus-plan: hardware=MI355X\n"));
  ASSERT_TRUE(s.run("write --yes").ok);
  EXPECT_THAT(s.host().disk.at("exp.yaml"), ::testing::StartsWith("# primus-plan: world-size=8 hardware=MI355X\n"));
  s.run("unset hw");
  ASSERT_TRUE(s.run("write --yes").ok);
  EXPECT_EQ(s.host().disk.at("exp.yaml"), good);
}

TEST(SessionWrite, NothingChangedIsNothingWritten) {
  LoadedSession s(good);
  EXPECT_THAT(s.say("write --yes"), HasSubstr("nothing is changed"));
  s.run("hw MI355X:nic_gbs=25");
  EXPECT_THAT(s.say("write --yes"), HasSubstr("no key of the experiment"));
  EXPECT_EQ(s.host().disk.size(), 1U);
}

TEST(SessionWrite, WhatCannotBeEditedIsSaidAndNothingHappens) {
  const std::string list = good + "      recompute_modules:\n        - core_attn\n        - mlp\n";
  LoadedSession s(list);
  s.run("set recompute_modules [core_attn]");
  const session::Result result = s.run("write --yes");
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.error, HasSubstr("recompute_modules cannot be edited where it stands"));
  EXPECT_EQ(s.host().disk.at("exp.yaml"), list);
  EXPECT_EQ(s.host().disk.size(), 1U);
}

TEST(SessionWrite, AModuleWithoutOverridesGetsThem) {
  const std::string bare = good.substr(0, good.find("    overrides:\n"));
  std::string returns = bare;
  for (std::size_t at = 0; (at = returns.find('\n', at)) != std::string::npos; at += 2) returns.insert(at, "\r");
  const std::string open = bare.substr(0, bare.size() - 1);
  for (const std::string& text :
       {bare, bare + "    overrides:  # none yet\n", open, returns,
        bare + "  post_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n    model: llama3_8B.yaml\n"}) {
    LoadedSession s(text);
    s.run("set tp=4 gbs=64");
    const session::Result result = s.run("write --yes");
    ASSERT_TRUE(result.ok) << result.error;
    const std::string& written = s.host().disk.at("exp.yaml");
    EXPECT_EQ(written.substr(0, open.size()), text.substr(0, open.size()));
    EXPECT_THAT(written, HasSubstr("      tensor_model_parallel_size: 4"));
    EXPECT_EQ(LoadedSession(written).now().degrees.tensor, 4);
    EXPECT_EQ(LoadedSession(written).now().batch.global, 64);
    EXPECT_TRUE(s.run("unset all").ok);
    EXPECT_TRUE(s.run("write --yes").ok);
    EXPECT_EQ(s.host().disk.at("exp.yaml"), text);
  }
  EXPECT_EQ(returns.find("\n"), returns.find("\r\n") + 1);
}

TEST(SessionWrite, AnEmptyMappingOfOverridesIsNamed) {
  const std::string text = good.substr(0, good.find("    overrides:\n")) + "    overrides: {}\n";
  LoadedSession s(text);
  s.run("tp 4");
  EXPECT_THAT(s.run("write --yes").error, HasSubstr("give it a line \"overrides:\""));
  EXPECT_EQ(s.host().disk.size(), 1U);
}

TEST(SessionWrite, DottedKeysGoIntoTheirSections) {
  LoadedSession s(experiment_text("torchtitan", "llama3.1_8B", "training:\n  local_batch_size: 2"));
  s.run("set tp=2 mbs=1");
  const session::Result result = s.run("write --yes");
  ASSERT_TRUE(result.ok) << result.error;
  LoadedSession again(s.host().disk.at("exp.yaml"));
  EXPECT_EQ(again.now().degrees.tensor, 2);
}

}  // namespace
}  // namespace primus_plan::test
