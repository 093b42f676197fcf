#include "primus_plan/config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primus_plan/backends/backend.h"

namespace primus_plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class SettingsTest : public testing::Test {
 protected:
  const Settings& nearest(const std::string& folder) { return finder_.nearest(folder); }

  std::vector<std::string> faults(const std::string& yaml) {
    files_.put("/bad/.primus-plan.yaml", yaml);
    SettingsFiles finder(files_, environment_, rules_);
    try {
      finder.nearest("/bad");
    } catch (const SettingsError& error) {
      return error.faults();
    }
    return {};
  }

  MemoryFiles files_;
  Environment environment_;
  std::vector<const RuleInfo*> rules_ = all_rules();
  SettingsFiles finder_{files_, environment_, rules_};
};

TEST_F(SettingsTest, NearestFileHoldsAlone) {
  files_.put("/repo/.primus-plan.yaml", "strict: true\nbaseline: base.json\n");
  files_.put("/repo/exp/.primus-plan.yaml", "strict: false\n");
  EXPECT_FALSE(nearest("/repo/exp/70b").strict->value);
  EXPECT_FALSE(nearest("/repo/exp/70b").baseline.has_value());
  EXPECT_TRUE(nearest("/repo/other").strict->value);
  EXPECT_EQ(nearest("/repo/other").baseline->value, "/repo/base.json");
  EXPECT_EQ(nearest("/elsewhere").path, "");
  EXPECT_FALSE(nearest("/elsewhere").strict.has_value());
}

TEST_F(SettingsTest, LongValuesAreNotRepeatedWhole) {
  const std::string text(10000, 'x');
  for (const std::string& yaml : {text, "strict: " + text, "launch: [" + text + "]", "launch: " + text}) {
    const std::vector<std::string> all = faults(yaml);
    ASSERT_EQ(all.size(), 1U) << yaml.substr(0, 20);
    EXPECT_LT(all[0].size(), 250U);
  }
}

TEST_F(SettingsTest, ExtendsIsWeaker) {
  files_.put("/repo/team.yaml",
             "strict: true\nbaseline: team.json\nseverity: {MG203: note, LN: off}\n"
             "launch: [{files: '*', world-size: 8}]\nignore: [{rules: TT, reason: old}]\n");
  files_.put("/repo/exp/.primus-plan.yaml",
             "extends: ../team.yaml\nstrict: false\nseverity: {MG203: error}\n"
             "launch: [{files: 70b/*, nodes: 8}]\n");
  const Settings& settings = nearest("/repo/exp");
  EXPECT_FALSE(settings.strict->value);
  EXPECT_EQ(settings.baseline->value, "/repo/team.json");
  EXPECT_EQ(to_string(settings.baseline->origin), "/repo/team.yaml:2:11");
  ASSERT_EQ(settings.severities.size(), 3U);
  EXPECT_EQ(settings.severities.back().level, Level::error) << "the strongest comes last";
  EXPECT_EQ(settings.severities[1].level, Level::off) << "a bare off is false in YAML 1.1";
  EXPECT_EQ(settings.launch_of("/repo/exp/70b/a.yaml")->nodes, 8);
  EXPECT_EQ(settings.launch_of("/repo/exp/8b/a.yaml")->world_size, 8);
  EXPECT_EQ(settings.launch_of("/other/a.yaml"), nullptr) << "globs are about what is below their file";
  EXPECT_EQ(settings.ignores_of("/anywhere/a.yaml").size(), 1U);
}

TEST_F(SettingsTest, VariablesAndRoot) {
  environment_.set("TREE", "/primus");
  files_.put("/primus/primus/configs/x.yaml", "a: 1\n");
  files_.put("/repo/.primus-plan.yaml", "primus_root: ${TREE}\n");
  EXPECT_EQ(nearest("/repo").primus_root->value, "/primus");
  EXPECT_THAT(faults("primus-root: /nowhere\n"), ElementsAre(HasSubstr("there is no folder /nowhere/primus/configs")));
  EXPECT_THAT(faults("primus-root: ${UNSET}\n"), ElementsAre(HasSubstr("UNSET")));
}

TEST_F(SettingsTest, HardwareFilesAreBesideTheirSettingsWithChangesToo) {
  files_.put("/repo/part.yaml", "name: Own\nbase: MI300X\n");
  for (const char* spec : {"part.yaml", "part.yaml:nic_gbs=25"}) {
    files_.put("/repo/.primus-plan.yaml", std::string("hardware: ") + spec + "\n");
    SettingsFiles finder(files_, environment_, rules_);
    EXPECT_EQ(finder.nearest("/repo/exp").hardware->value, std::string("/repo/") + spec);
  }
  files_.put("/repo/.primus-plan.yaml", "hardware: MI300X:nic_gbs=25\n");
  EXPECT_EQ(nearest("/repo").hardware->value, "MI300X:nic_gbs=25");
}

TEST_F(SettingsTest, AFolderMayBeginWithDots) {
  files_.put("/repo/.primus-plan.yaml", "launch: [{files: '*.yaml', world-size: 8}]\n");
  EXPECT_NE(nearest("/repo").launch_of("/repo/..old/a.yaml"), nullptr);
  EXPECT_EQ(nearest("/repo").launch_of("/a.yaml"), nullptr);
}

TEST_F(SettingsTest, AllFaultsAreToldWithTheirPlace) {
  EXPECT_THAT(
      faults("strikt: true\nlaunch: [{worldsize: 8}]\nseverity: {MG203: loud, MG2033: off}\n"
             "ignore: [{rules: MG203}, {reason: x}, {rules: [GM203], reason: x}]\n"),
      ElementsAre("/bad/.primus-plan.yaml:1:1: a file of settings has no key strikt; did you mean strict?",
                  "/bad/.primus-plan.yaml:2:11: an entry of launch has no key worldsize; did you mean world-size?",
                  HasSubstr(":3:19: MG203 must be off, note, warning or error, not loud"),
                  HasSubstr("no rule is called MG2033; did you mean MG203"), HasSubstr("ignoring MG203 needs a reason"),
                  HasSubstr("must name its rules"), HasSubstr("no rule is called GM203")));
}

TEST_F(SettingsTest, WrongShapes) {
  EXPECT_THAT(faults("- a\n"), ElementsAre(HasSubstr("settings must be a mapping")));
  EXPECT_THAT(faults("strict: 1\n"), ElementsAre(HasSubstr("strict must be true or false, not 1")));
  EXPECT_THAT(faults("launch: 8\n"), ElementsAre(HasSubstr("launch must be a list of entries, not 8")));
  EXPECT_THAT(faults("launch: [8]\n"), ElementsAre(HasSubstr("an entry of launch must be a mapping, not 8")));
  EXPECT_THAT(faults("launch: [{files: a}]\n"), ElementsAre(HasSubstr("must have world-size, nodes or gpus-per-node")));
  EXPECT_THAT(faults("launch: [{world-size: -8}]\n"),
              ElementsAre(HasSubstr("world-size must be a whole number from 1")));
  EXPECT_THAT(faults("baseline: [a]\n"), ElementsAre(HasSubstr("baseline must be text")));
  EXPECT_THAT(faults("strict: true\nstrict: false\n"), ElementsAre(HasSubstr("strict")));
  EXPECT_THAT(faults("a: [\n"), testing::SizeIs(1));
  EXPECT_THAT(faults(""), testing::IsEmpty());
}

TEST_F(SettingsTest, ExtendsCannotGoInACircleOrNowhere) {
  files_.put("/bad/other.yaml", "extends: .primus-plan.yaml\n");
  EXPECT_THAT(faults("extends: other.yaml\n"), ElementsAre(HasSubstr("goes in a circle")));
  EXPECT_THAT(faults("extends: none.yaml\n"), ElementsAre(HasSubstr("there is no file /bad/none.yaml")));
}

TEST_F(SettingsTest, ExtendsDoesNotGrowWithoutEnd) {
  for (int i = 0; i < 40; ++i) {
    const std::string next = std::to_string(i + 1) + ".yaml";
    for (const char* twin : {"a", "b"}) {
      files_.put(std::string("/bad/") + twin + std::to_string(i) + ".yaml",
                 "extends: [a" + next + ", b" + next + "]\n");
    }
  }
  for (const char* twin : {"/bad/a40.yaml", "/bad/b40.yaml"}) files_.put(twin, "strict: true\n");
  EXPECT_THAT(faults("extends: a0.yaml\n"), Contains(HasSubstr("extends leads to more than 256 files")));
}

}  // namespace
}  // namespace primus_plan
