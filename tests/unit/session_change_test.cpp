// set, unset, undo, redo, save, load, compare: how a session's state moves.
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

TEST(SessionSet, ShortNamesAndKeysComeToTheSame) {
  LoadedSession a(good);
  LoadedSession b(good);
  EXPECT_TRUE(a.run("set tp 4").ok);
  EXPECT_TRUE(b.run("set tensor_model_parallel_size 4").ok);
  EXPECT_EQ(a.now().degrees.tensor, 4);
  EXPECT_EQ(b.now().degrees.tensor, 4);
  EXPECT_EQ(a.now().degrees.data, 2);
}

TEST(SessionSet, SeveralAtOnceAreOneStep) {
  LoadedSession s(good);
  EXPECT_TRUE(s.run("set tp=4 nodes=2 mbs=1").ok);
  EXPECT_EQ(s.now().launch.world_size, 16);
  EXPECT_EQ(s.now().degrees.data, 4);
  EXPECT_EQ(s.now().batch.micro, 1);
  EXPECT_TRUE(s.run("undo").ok);
  EXPECT_EQ(s.now().launch.world_size, 8);
  EXPECT_EQ(s.now().degrees.tensor, 2);
  EXPECT_TRUE(s.session().state().is_empty());
}

TEST(SessionSet, TheWordItselfMayBeLeftOut) {
  LoadedSession s(good);
  EXPECT_TRUE(s.run("tp 4").ok);
  EXPECT_TRUE(s.run("GBS=64").ok);
  EXPECT_EQ(s.now().degrees.tensor, 4);
  EXPECT_EQ(s.now().batch.global, 64);
}

TEST(SessionSet, ValuesAreYaml) {
  LoadedSession s(good);
  EXPECT_TRUE(s.run("set recompute_modules [core_attn, mlp]").ok);
  EXPECT_EQ(s.session().state().keys.at(0).value, "[core_attn, mlp]");
  EXPECT_TRUE(s.run("set recompute_modules null   # none").ok);
  const Node* value = s.evaluation().module().params->at_path("recompute_modules");
  ASSERT_NE(value, nullptr);
  EXPECT_TRUE(value->is_null());
}

TEST(SessionSet, WrongInputChangesNothing) {
  for (const char* line :
       {"set", "set tp", "set tp x", "set tp 0", "set tp -4", "set tp=4 nodes", "set nodes 99999999999",
        "set hw MI301X", "set a [1", "set tp=4 hw=NOTHING", "set .a 1", "set =4", "set tp="}) {
    LoadedSession s(good);
    const session::Result result = s.run(line);
    EXPECT_FALSE(result.ok) << line;
    EXPECT_FALSE(result.error.empty()) << line;
    EXPECT_FALSE(result.moved()) << line;
    EXPECT_TRUE(s.session().state().is_empty()) << line;
  }
}

TEST(SessionSet, AnIllegalStateIsKeptAndSaysWhatIsNear) {
  LoadedSession s(good);
  const session::Result result = s.run("gbs 33");
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(s.now().batch.global, 33);
  EXPECT_FALSE(s.evaluation().is_legal());
  const std::string text = session::result_to_text(result, {});
  EXPECT_THAT(text, HasSubstr("new error: global_batch_size 33"));
  EXPECT_THAT(text, HasSubstr("help: legal with one change: global_batch_size 32"));
  EXPECT_THAT(s.say("undo"), HasSubstr("gone error: global_batch_size 33"));
  EXPECT_TRUE(s.evaluation().is_legal());
}

TEST(SessionSet, SaysWhatMovedWithSigns) {
  LoadedSession s(good);
  const std::string text = s.say("tp 4");
  EXPECT_THAT(text, HasSubstr("TP                 2 -> 4\n"));
  EXPECT_THAT(text, HasSubstr("DP                 4 -> 2\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("memory +[0-9.]+ -> [0-9.]+ GiB   -[0-9.]+ GiB"));
  EXPECT_THAT(text, ::testing::ContainsRegex("tokens/s/GPU +[0-9,]+ -> [0-9,]+   -[0-9.]+ %"));
  EXPECT_THAT(text, Not(HasSubstr("expert DP")));
  EXPECT_THAT(s.say("tp 4"), HasSubstr("it is so already"));
}

TEST(SessionSet, MemoryThatDoesNotFitIsAFinding) {
  LoadedSession s("# primus-plan: world-size=8\n" +
                  experiment_text("megatron", "llama3.1_70B", "tensor_model_parallel_size: 4\nmock_data: true"));
  EXPECT_FALSE(s.evaluation().fits());
  EXPECT_THAT(s.say("show findings"), HasSubstr("FT1"));
  EXPECT_THAT(s.say("set tp=8 nodes=8"), HasSubstr("gone warning"));
  EXPECT_TRUE(s.evaluation().fits());
}

TEST(SessionSet, HardwareIsAChangeToo) {
  LoadedSession s(good);
  EXPECT_THAT(s.say("hw MI355X"), HasSubstr("MI300X -> MI355X"));
  EXPECT_EQ(s.evaluation().part.hardware.name, "MI355X");
  EXPECT_TRUE(s.run("unset hw").ok);
  EXPECT_EQ(s.evaluation().part.hardware.name, "MI300X");
}

struct Framework {
  const char* name;
  const char* model;
};

class SessionOfFramework : public ::testing::TestWithParam<Framework> {};

TEST_P(SessionOfFramework, TakesShortNames) {
  const std::string data = GetParam().name == std::string("maxtext") ? "dataset_type: synthetic" : "";
  LoadedSession s(experiment_text(GetParam().name, GetParam().model, data));
  ASSERT_TRUE(s.run("set nodes 2").ok);
  const session::Result result = s.run("set tp=4 seq=2048");
  ASSERT_TRUE(result.ok) << result.error;
  EXPECT_EQ(s.now().degrees.tensor, 4);
  EXPECT_EQ(s.now().batch.sequence_length, 2048);
  EXPECT_EQ(s.now().launch.world_size, 16);
  ASSERT_TRUE(s.run("unset tp").ok);
  EXPECT_EQ(s.now().degrees.tensor, 1);
  EXPECT_EQ(s.now().batch.sequence_length, 2048);
}

INSTANTIATE_TEST_SUITE_P(All, SessionOfFramework,
                         ::testing::Values(Framework{"megatron", "llama3_8B"}, Framework{"torchtitan", "llama3.1_8B"},
                                           Framework{"maxtext", "llama3_8B"}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(SessionSet, KeysOfSectionsNeedNoSection) {
  LoadedSession s(experiment_text("torchtitan", "llama3.1_8B", "training:\n  local_batch_size: 2"));
  EXPECT_TRUE(s.run("set tensor_parallel_degree 2").ok);
  EXPECT_EQ(s.session().state().keys.at(0).key, "parallelism.tensor_parallel_degree");
  EXPECT_EQ(s.now().degrees.tensor, 2);
}

TEST(SessionUnset, TakesBackAKeyOrEverything) {
  LoadedSession s(good);
  s.run("set tp=4 gbs=64");
  s.run("nodes 2");
  EXPECT_TRUE(s.run("unset tp").ok);
  EXPECT_EQ(s.now().degrees.tensor, 2);
  EXPECT_EQ(s.now().batch.global, 64);
  EXPECT_THAT(s.run("unset cp").error, HasSubstr("changed are"));
  EXPECT_TRUE(s.run("unset all").ok);
  EXPECT_TRUE(s.session().state().is_empty());
  EXPECT_EQ(s.now().launch.world_size, 8);
}

TEST(SessionUndo, GoesBackAndForthAndForgetsWhatWasUndone) {
  LoadedSession s(good);
  EXPECT_FALSE(s.run("undo").ok);
  EXPECT_FALSE(s.run("redo").ok);
  s.run("tp 4");
  s.run("gbs 64");
  s.run("undo");
  EXPECT_EQ(s.now().batch.global, 32);
  s.run("redo");
  EXPECT_EQ(s.now().batch.global, 64);
  s.run("undo");
  s.run("mbs 1");
  EXPECT_FALSE(s.run("redo").ok);
  EXPECT_EQ(s.now().degrees.tensor, 4);
}

TEST(SessionSet, TheFilesOwnValueIsNoChange) {
  LoadedSession s(good);
  s.run("tp 4");
  s.run("tp 2");
  EXPECT_TRUE(s.session().state().is_empty());
}

TEST(SessionSave, KeepsStatesByName) {
  LoadedSession s(good);
  s.run("tp 4");
  EXPECT_TRUE(s.run("save four").ok);
  s.run("tp 8");
  EXPECT_THAT(s.say("compare four"), HasSubstr("tensor_model_parallel_size: 4 -> 8"));
  EXPECT_TRUE(s.run("load four").ok);
  EXPECT_EQ(s.now().degrees.tensor, 4);
  s.run("undo");
  EXPECT_EQ(s.now().degrees.tensor, 8);
  EXPECT_THAT(s.run("load five").error, HasSubstr("there are four"));
  EXPECT_THAT(s.say("diff"), HasSubstr("tensor_model_parallel_size: 2 -> 8"));
}

TEST(SessionModule, TheOneThatWasAskedForIsChanged) {
  const std::string two = good +
                          "  post_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n    model: "
                          "llama3_8B.yaml\n    overrides:\n      tensor_model_parallel_size: 4\n";
  LoadedSession usual(two);
  EXPECT_EQ(usual.evaluation().module().name, "pre_trainer");
  LoadedSession s(two, "post_trainer");
  EXPECT_EQ(s.now().degrees.tensor, 4);
  EXPECT_TRUE(s.run("tp 8").ok);
  EXPECT_EQ(s.now().degrees.tensor, 8);
  EXPECT_EQ(s.evaluation().analyses.at(0).run.degrees.tensor, 2);
}

}  // namespace
}  // namespace primus_plan::test
