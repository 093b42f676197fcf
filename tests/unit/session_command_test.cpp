// The other commands of a session, its help, its completion, its JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "primus_plan/support/text.h"
#include "session/command.h"
#include "session/draw.h"
#include "support/experiments.h"
#include "support/loaded_run.h"
#include "support/loaded_session.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string good(good_experiment);

TEST(SessionHelp, NamesEveryCommandAndFitsInSixtyColumns) {
  LoadedSession s(good);
  const std::string list = s.say("help");
  TextStyle narrow;
  narrow.wraps = true;
  narrow.width = 60;
  for (const session::Command& command : session::commands()) {
    EXPECT_THAT(list, HasSubstr("  " + std::string(command.name) + " "));
    EXPECT_FALSE(command.help.empty());
    const session::Result more = s.run("help " + std::string(command.name));
    EXPECT_TRUE(more.ok) << command.name;
  }
  for (const char* topic : {"help", "help write", "help set", "show"}) {
    std::istringstream lines(session::result_to_text(s.run(topic), narrow));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 60U) << line;
  }
}

TEST(SessionCommand, UnknownWordsGetTheNearest) {
  LoadedSession s(good);
  EXPECT_THAT(s.run("undu").error, HasSubstr("did you mean undo?"));
  EXPECT_THAT(s.run("shwo keys").error, HasSubstr("did you mean show?"));
  EXPECT_THAT(s.run("help wirte").error, HasSubstr("did you mean write?"));
  EXPECT_THAT(s.run("show memry").error, HasSubstr("did you mean memory?"));
  EXPECT_THAT(s.run("goal fist").error, HasSubstr("did you mean fits?"));
  EXPECT_THAT(s.run("why tensor_model_paralel_size").error, HasSubstr("tensor_model_parallel_size"));
  EXPECT_THAT(s.run("try tensor_model_paralel_size=1,2").error, HasSubstr("tensor_model_parallel_size"));
}

TEST(SessionCommand, BeginningsAreEnoughWhereNoOtherHasThem) {
  LoadedSession s(good);
  EXPECT_TRUE(s.run("tp 4").ok);
  EXPECT_TRUE(s.run("und").ok);
  EXPECT_FALSE(s.run("un").ok);
  EXPECT_TRUE(s.run("q").ends);
  EXPECT_TRUE(s.run("exit").ends);
}

TEST(SessionCommand, EmptyLinesAndCommentsDoNothing) {
  LoadedSession s(good);
  for (const char* line : {"", "   ", "# tp 4", "\t# x", "\r\n"}) {
    const session::Result result = s.run(line);
    EXPECT_TRUE(result.ok);
    EXPECT_FALSE(result.moved());
    EXPECT_EQ(session::result_to_text(result, {}), "");
  }
}

TEST(SessionCommand, CommentsStandBehindEveryCommand) {
  LoadedSession s(good);
  for (const char* line :
       {"tp 4 # four", "\xEF\xBB\xBFshow # the panel", "save four\t# kept", "try tp=1,2 # both", "explain MG203 #",
        "set recompute_modules [core_attn] # one", "undo # and back", "undo # #"}) {
    const session::Result result = s.run(line);
    EXPECT_TRUE(result.ok) << line << ": " << result.error;
    EXPECT_EQ(result.command.find('#'), std::string::npos) << result.command;
  }
  EXPECT_TRUE(s.session().state().is_empty());
  EXPECT_TRUE(s.run("set exp_note 'a # b'").ok);
  EXPECT_EQ(s.session().state().keys.at(0).value, "\"a # b\"");
  EXPECT_TRUE(s.run("write b#c.yaml").ok);
  EXPECT_TRUE(s.host().disk.contains("b#c.yaml"));
  EXPECT_TRUE(session::complete(s.session(), "show # ke").words.empty());
}

TEST(SessionCommand, QuotesHoldANameTogether) {
  LoadedSession s(good);
  s.run("tp 4");
  EXPECT_TRUE(s.run("write \"a b.yaml\"").ok);
  EXPECT_TRUE(s.run("write 'c # d.yaml' # e").ok);
  EXPECT_TRUE(s.run("write it's.yaml").ok);
  for (const char* name : {"a b.yaml", "c # d.yaml", "it's.yaml"}) EXPECT_TRUE(s.host().disk.contains(name)) << name;
  for (const char* line : {"write ''", "write \"a", "write 'a'b", "save \"\"", "script ''", "hw ''", "write a b"}) {
    EXPECT_FALSE(s.run(line).ok) << line;
  }
  EXPECT_EQ(s.host().disk.size(), 4U);
  EXPECT_TRUE(s.run("save 'my state'").ok);
  EXPECT_TRUE(s.run("undo").ok);
  EXPECT_TRUE(s.run("load \"my state\"").ok);
  EXPECT_TRUE(s.run("compare 'my state'").ok);
  s.host().disk["my script"] = "\xEF\xBB\xBFtp 2 # as it was\n";
  EXPECT_TRUE(s.run("script 'my script'").ok);
  EXPECT_EQ(s.now().degrees.tensor, 2);
  EXPECT_TRUE(s.run("hw 'MI355X'").ok);
  EXPECT_EQ(s.evaluation().part.hardware.name, "MI355X");
}

TEST(SessionCommand, CapitalsAreAsGood) {
  LoadedSession s(good);
  for (const char* line : {"TP 4", "SET gbs 64", "Set MBS=1", "SHOW", "WHY TP", "try TP=1,2", "UNSET TP", "HW MI355X",
                           "HELP Write", "Show KEYS", "Goal FITS", "UNDO"}) {
    const session::Result result = s.run(line);
    EXPECT_TRUE(result.ok) << line << ": " << result.error;
  }
  EXPECT_EQ(s.now().batch.global, 64);
  EXPECT_EQ(s.now().degrees.tensor, 2);
}

TEST(SessionCommand, WhatIsGivenTwiceIsNamed) {
  LoadedSession s(good);
  EXPECT_THAT(s.run("set tp=4 tp=8").error, HasSubstr("tp is given twice"));
  EXPECT_THAT(s.run("set tp=4 tensor_model_parallel_size=8").error, HasSubstr("given twice"));
  EXPECT_THAT(s.run("set nodes=1 NODES=2").error, HasSubstr("given twice"));
  EXPECT_THAT(s.run("set world=16 nodes=4").error, HasSubstr("give one of them"));
  EXPECT_THAT(s.run("try tp=2,2").error, HasSubstr("try tp: 2 is given twice"));
  EXPECT_THAT(s.run("try tp=2 TP=4").error, HasSubstr("twice"));
  EXPECT_TRUE(s.session().state().is_empty());
}

TEST(SessionPlan, SaysWhereItsFlagsAreAndHowFarItCame) {
  LoadedSession s(good);
  EXPECT_THAT(s.run("plan --pin tp=8").error, HasSubstr("primus-plan plan FILE has --pin"));
  EXPECT_THAT(s.say("plan"), ::testing::ContainsRegex("[0-9,]+ of [0-9,]+ candidates are legal and fit"));
  s.host().stops = true;
  EXPECT_THAT(s.say("plan"), ::testing::ContainsRegex("stopped: [0-9,]+ of [0-9,]+ candidates were judged"));
}

TEST(SessionCommand, HostileLinesChangeNothing) {
  LoadedSession s(good);
  for (const std::string& line : {std::string(100000, 'a'), std::string(5000, '['), std::string("\x1b[2J\x07"),
                                  std::string("set \xff\xfe 1\0x", 10), std::string("show layout 99999999999999999999"),
                                  std::string("plan --top 99999999999999999999"), std::string("apply -1"),
                                  std::string("try tp=1:9223372036854775807:1"), std::string("goal gbs=0"),
                                  std::string("write --nonsense"), std::string("set tp=4 tp"), std::string("unset")}) {
    const session::Result result = s.run(line);
    EXPECT_FALSE(result.ok) << line.substr(0, 40);
    EXPECT_TRUE(s.session().state().is_empty()) << line.substr(0, 40);
    EXPECT_THAT(session::result_to_text(result, {}), Not(HasSubstr("\x1b[2J")));
  }
}

TEST(SessionShow, HasEveryTopic) {
  LoadedSession s("# primus-plan: world-size=8\n" +
                  experiment_text("megatron", "llama3_8B", "pipeline_model_parallel_size: 2\nmock_data: true"));
  EXPECT_THAT(s.say("show keys"), HasSubstr("nothing is changed"));
  s.run("tp 2");
  EXPECT_THAT(s.say("show keys"), HasSubstr("tensor_model_parallel_size: 1 -> 2"));
  EXPECT_THAT(s.say("show layout"), HasSubstr("tp"));
  EXPECT_THAT(s.say("show layout 1"), HasSubstr("1"));
  EXPECT_THAT(s.say("show memory"), HasSubstr("activations"));
  EXPECT_THAT(s.say("show stages"), HasSubstr("stage 1"));
  EXPECT_THAT(s.say("show schedule"), HasSubstr("stages idle"));
  EXPECT_TRUE(s.run("show findings").ok);
  const std::string panel = s.say("show");
  for (const char* part : {"TP 2", "PP 2", "DP ", "accumulation", "of 192 GiB", "tokens/s/GPU", "bubble", "starts"})
    EXPECT_THAT(panel, HasSubstr(part));
}

TEST(SessionShow, ABarIsFullHoweverMuchIsIn) {
  EXPECT_EQ(session::bar(1e30, 4), session::bar(1, 4));
  EXPECT_EQ(session::bar(-1, 4), session::bar(0, 4));
}

TEST(SessionShow, AnIllegalRunHasNoMemoryButAPanel) {
  LoadedSession s(good);
  s.run("tp 3");
  EXPECT_THAT(s.run("show memory").error, HasSubstr("will not start"));
  EXPECT_THAT(s.say("show"), HasSubstr("will not start"));
  EXPECT_FALSE(s.run("show layout").ok);
  EXPECT_THAT(s.say("show findings"), HasSubstr("world-not-divisible"));
}

TEST(SessionWhy, UnfoldsKeysAndNumbers) {
  LoadedSession s(good);
  s.run("tp 4");
  EXPECT_THAT(s.say("why tp"), HasSubstr("command line"));
  EXPECT_THAT(s.say("why memory"), HasSubstr("memory.weights"));
  EXPECT_THAT(s.say("why step"), HasSubstr("step."));
  EXPECT_THAT(s.say("explain MG203"), HasSubstr("global-batch-not-divisible"));
  EXPECT_THAT(s.say("explain tp"), HasSubstr("tensor_model_parallel_size"));
  EXPECT_FALSE(s.run("explain nosuchthing").ok);
}

TEST(SessionWhy, AnswersForTheWordsOfThePanel) {
  LoadedSession s(good);
  EXPECT_THAT(s.say("why world"), HasSubstr("8 GPUs = 1 node x 8, from"));
  EXPECT_THAT(s.say("why hw"), HasSubstr("MI300X with 192 GiB, from --hardware MI300X"));
  EXPECT_THAT(s.say("why dp"), HasSubstr("DP 4 = 8 GPUs / (TP 2 x PP 1 x CP 1)"));
  EXPECT_THAT(s.say("why accumulation"), HasSubstr("accumulation 4 = gbs 32 / (mbs 2 x DP 4)"));
  EXPECT_THAT(s.say("why tokens"), HasSubstr("gbs 32 x seq"));
  EXPECT_THAT(s.say("why MFU"), HasSubstr("step.matrix_products"));
  EXPECT_THAT(s.say("why speed"), HasSubstr("tokens/s/GPU = "));
  s.run("set nodes=2 pp=2");
  EXPECT_THAT(s.say("why nodes"), HasSubstr("16 GPUs = 2 nodes x 8, from set nodes 2"));
  EXPECT_THAT(s.say("why bubble"), HasSubstr("step.pipeline_bubble"));
  EXPECT_THAT(s.run("why zzzzqqq").error, HasSubstr("why takes a key, tp, "));
  s.run("tp 3");
  for (const char* line : {"why world", "why dp", "why accumulation", "why tokens"})
    EXPECT_TRUE(s.run(line).ok) << line;
  EXPECT_THAT(s.run("why mfu").error, HasSubstr("will not start"));
}

TEST(SessionWhy, ASizeWithoutAKeySaysWhatSetsIt) {
  LoadedSession s(experiment_text("maxtext", "llama3_8B", "dataset_type: synthetic\nper_device_batch_size: 1"));
  EXPECT_THAT(s.say("why pp"), HasSubstr("pp 1 (pipeline parallel): nothing sets"));
  EXPECT_THAT(s.say("why gbs"), HasSubstr("sets per_device_batch_size"));
}

TEST(SessionText, BreaksBetweenWordsInSixtyColumns) {
  LoadedSession s(good);
  s.run("set tp=4 recompute_modules=[core_attn,layernorm,moe_act,mlp,shared_experts]");
  TextStyle narrow;
  narrow.wraps = true;
  narrow.width = 60;
  for (const char* command : {"show keys", "diff", "why tp", "why step", "why speed", "why accumulation",
                              "try tensor_model_parallel_size=1,2 recompute_granularity=full,selective gbs=32,33"}) {
    const std::string text = session::result_to_text(s.run(command), narrow);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      // A path or a rule's name may be wider by itself.
      const bool is_one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
      EXPECT_TRUE(is_one_word || display_width(line) <= 60U) << command << ": " << line;
    }
  }
}

TEST(SessionTry, IsATableAndChangesNothing) {
  LoadedSession s(good);
  const std::string text = s.say("try tp=1,2,3");
  EXPECT_THAT(text, HasSubstr("against now"));
  EXPECT_THAT(text, HasSubstr("A  illegal: "));
  EXPECT_TRUE(s.session().state().is_empty());
  EXPECT_GT(s.host().told, 0U);
  s.host().stops = true;
  EXPECT_THAT(s.say("try tp=1,2,4"), HasSubstr("stopped"));
  EXPECT_TRUE(s.session().state().is_empty());
}

TEST(SessionPlan, AppliesWhatItFound) {
  LoadedSession s(experiment_text("megatron", "llama3.1_70B", "mock_data: true\nglobal_batch_size: 64"));
  EXPECT_FALSE(s.run("apply 1").ok);
  s.run("nodes 4");
  EXPECT_FALSE(s.evaluation().fits());
  EXPECT_THAT(s.say("goal fits"), HasSubstr("not met"));
  EXPECT_THAT(s.say("plan --top 3"), HasSubstr("apply N"));
  const session::Result applied = s.run("apply 2");
  ASSERT_TRUE(applied.ok) << applied.error;
  EXPECT_TRUE(s.evaluation().is_legal());
  EXPECT_TRUE(s.evaluation().fits());
  EXPECT_EQ(s.now().launch.world_size, 32);
  EXPECT_EQ(s.now().batch.global, 64);
  EXPECT_THAT(session::result_to_text(applied, {}), HasSubstr("goal fits: met"));
  // Another plan of the same search takes the place of the first one, whatever was changed since.
  const std::size_t changed = s.session().state().keys.size();
  ASSERT_TRUE(s.run("apply 1").ok);
  ASSERT_TRUE(s.run("apply 2").ok);
  EXPECT_EQ(s.session().state().keys.size(), changed);
  EXPECT_FALSE(s.run("apply 9").ok);
}

TEST(SessionPlan, AppliesOnlyWhatDiffers) {
  LoadedSession s(experiment_text("maxtext", "llama3_8B", "dataset_type: synthetic\nper_device_batch_size: 1"));
  s.run("world 8");
  ASSERT_TRUE(s.run("plan").ok);
  const std::vector<ProposedPlan>& plans = s.session().desk.planned->result.plans;
  ASSERT_FALSE(plans.empty());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    ASSERT_TRUE(s.run("apply " + std::to_string(i + 1)).ok);
    EXPECT_LE(s.session().state().keys.size(), plans[i].changes);
    EXPECT_EQ(s.now().degrees.tensor, plans[i].run.degrees.tensor);
    EXPECT_EQ(s.now().degrees.data, plans[i].run.degrees.data);
    EXPECT_EQ(s.now().batch.global, plans[i].run.batch.global);
    EXPECT_NEAR(s.evaluation().estimate->memory.device.expected / plans[i].point.memory.expected, 1, 1e-6);
    EXPECT_NEAR(s.evaluation().estimate->step.seconds / plans[i].point.seconds, 1, 0.02);
  }
}

TEST(SessionFindings, TheSameRuleWithOtherNumbersGoesOn) {
  LoadedSession s(good);
  s.run("gbs 33");
  const std::string text = s.say("gbs 35");
  EXPECT_THAT(text, HasSubstr("now error: global_batch_size 35"));
  EXPECT_THAT(text, Not(HasSubstr("gone")));
}

TEST(SessionPlan, AGoalsBatchIsPlannedFor) {
  LoadedSession s(good);
  EXPECT_TRUE(s.run("goal gbs=64 throughput").ok);
  EXPECT_TRUE(s.run("plan").ok);
  ASSERT_TRUE(s.run("apply 1").ok);
  EXPECT_EQ(s.now().batch.global, 64);
  EXPECT_THAT(s.say("goal"), HasSubstr("met"));
  EXPECT_THAT(s.say("goal none"), HasSubstr("no goal"));
}

TEST(SessionPlan, AStoppedSearchKeepsTheState) {
  LoadedSession s(good);
  s.run("tp 4");
  s.host().stops = true;
  EXPECT_TRUE(s.run("plan").ok);
  EXPECT_EQ(s.now().degrees.tensor, 4);
}

TEST(SessionScript, StopsAtTheFirstWrongLineAndNamesIt) {
  LoadedSession s(good);
  s.host().disk["a.session"] = "# a comment\ntp 4\n\nset tp nonsense\ngbs 64\n";
  const session::Result result = s.run("script a.session");
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.error, HasSubstr("a.session:4: tp takes a whole number"));
  EXPECT_EQ(s.now().degrees.tensor, 4);
  EXPECT_EQ(s.now().batch.global, 32);
  EXPECT_FALSE(s.run("script missing").ok);
  s.host().disk["loop"] = "script loop\n";
  EXPECT_THAT(s.run("script loop").error, HasSubstr("too deep"));
}

TEST(SessionComplete, KnowsWhatMayStandWhere) {
  LoadedSession s(good);
  const auto words = [&s](const std::string& line) { return session::complete(s.session(), line).words; };
  EXPECT_THAT(words("und"), ElementsAre("undo"));
  EXPECT_THAT(words("set tensor_model_par"), ElementsAre("tensor_model_parallel_size"));
  EXPECT_THAT(words("set recompute_granularity fu"), ElementsAre("full"));
  EXPECT_THAT(words("set recompute_granularity=fu"), ElementsAre("recompute_granularity=full"));
  EXPECT_THAT(words("set sequence_parallel "), Contains("false"));
  EXPECT_THAT(words("set hw MI35"), Contains("MI355X"));
  EXPECT_THAT(words("set tp "), Contains("8"));
  EXPECT_THAT(words("try t"), Contains("tp="));
  EXPECT_THAT(words("show f"), ElementsAre("findings"));
  EXPECT_THAT(words("explain global-batch-not-d"), ElementsAre("global-batch-not-divisible"));
  EXPECT_THAT(words("why memory.act"), ElementsAre("memory.activations"));
  EXPECT_THAT(words("unset "), Not(Contains("hw")));
  s.run("save one");
  EXPECT_THAT(words("load "), ElementsAre("one"));
  EXPECT_THAT(words("help wr"), ElementsAre("write"));
  EXPECT_TRUE(session::complete(s.session(), "write ").files);
  EXPECT_EQ(session::complete(s.session(), "set tp=4 mb").start, 9U);
}

TEST(SessionJson, EveryCommandIsAnObject) {
  LoadedSession s(good);
  for (const char* line :
       {"show",          "show layout", "show memory", "show keys", "show findings", "tp 4",      "tp 3",
        "undo",          "try tp=1,2",  "plan",        "apply 1",   "diff",          "why tp",    "why memory",
        "explain MG203", "help",        "nonsense",    "write",     "save a",        "compare a", "goal fits"}) {
    const json object = json::parse(session::result_to_json(s.run(line)));
    EXPECT_EQ(object.at("command"), line);
    EXPECT_EQ(object.at("ok"), std::string(line) != "nonsense");
    for (const char* key : {"error", "changes", "numbers", "findings", "new", "gone", "goal", "output"})
      EXPECT_TRUE(object.contains(key)) << line << " " << key;
  }
  const json moved = json::parse(session::result_to_json(s.run("set gbs=64 mbs=1")));
  EXPECT_EQ(moved.at("numbers").at("global"), 64);
  EXPECT_GT(moved.at("numbers").at("memory_bytes"), 0);
  EXPECT_FALSE(moved.at("changes").empty());
}

}  // namespace
}  // namespace primus_plan::test
