// The ladder of presets, overrides and command line, and where each value came from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primus_plan/config/experiment.h"
#include "support/yaml.h"

namespace primus_plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A small Primus tree and an experiment beside it.
class Tree : public ::testing::Test {
 protected:
  Tree() {
    files.put("tree/primus/configs/modules/megatron/pre_trainer.yaml",
              "micro_batch_size: 2\nseq_length: 1024\nnested:\n  a: 1\n  b: 2\nname: preset\n_secret: 1\n");
    files.put("tree/primus/configs/models/megatron/small.yaml",
              "seq_length: 4096\nnum_layers: 24\nspare: \"null\"\nname: small\n");
    files.put("tree/primus/configs/models/megatron/llama3_8B.yaml", "num_layers: 32\n");
    files.put(
        "tree/primus/configs/platforms/platform_azure.yaml",
        "name: azure\nnum_nodes_env_key: MY_NODES\nnode_rank_env_key: NODE_RANK\nmaster_addr_env_key: MASTER_ADDR\n"
        "master_port_env_key: MASTER_PORT\ngpus_per_node_env_key: MY_GPUS\nmaster_sink_level: DEBUG\n"
        "workspace: ./output\n");
  }

  static std::string experiment(const std::string& module) {
    return "work_group: team\nuser_name: me\nexp_name: e\nworkspace: ./output\nmodules:\n  pre_trainer:\n" + module;
  }
  static std::string with_overrides(const std::string& overrides) {
    return experiment("    framework: megatron\n    config: pre_trainer.yaml\n    model: small.yaml\n    overrides:\n" +
                      overrides);
  }
  LoadResult load(const std::string& text, ExperimentOptions options = {}) const {
    if (!options.primus_root) options.primus_root = "tree";
    return Loader(files, environment).load_text("exp.yaml", text, options);
  }
  /// The names of the rules of what was found.
  static std::vector<std::string> names(const std::vector<Finding>& findings) {
    std::vector<std::string> result;
    for (const Finding& finding : findings) result.emplace_back(finding.rule->name);
    return result;
  }

  MemoryFiles files;
  Environment environment;
};

/// The layers that assigned a key, weakest first; losers in brackets.
std::vector<std::string> ladder(const Module& module, std::string_view key) {
  std::vector<std::string> result;
  const Entry* entry = module.params->entry_at_path(key);
  const Assignment* assignment = entry != nullptr ? entry->history.get() : nullptr;
  for (; assignment != nullptr; assignment = assignment->previous.get()) {
    const std::string text =
        std::string(to_string(assignment->value->origin.layer)) + " " + to_text(*assignment->value);
    result.insert(result.begin(), assignment->kept ? text : "(" + text + ")");
  }
  return result;
}

TEST_F(Tree, EveryLayerStaysInTheHistory) {
  environment.set("SEQ", "2048");
  const LoadResult result = load(with_overrides("      seq_length: ${SEQ:512}\n"),
                                 {.sets = {{"seq_length", "16384"}}, .tokens = {"seq_length=8192"}});
  ASSERT_EQ(result.experiments.size(), 1U) << result.errors.at(0).message;
  const Module& module = result.experiments[0].modules.at(0);
  EXPECT_EQ(module.params->get("seq_length")->integer, 16384);
  EXPECT_THAT(ladder(module, "seq_length"), ElementsAre("module preset 1024", "(model preset 4096)", "environment 2048",
                                                        "command line 8192", "command line 16384"));
  EXPECT_THAT(ladder(module, "num_layers"), ElementsAre("model preset 24"));
  EXPECT_EQ(to_string(module.params->get("micro_batch_size")->origin),
            "tree/primus/configs/modules/megatron/pre_trainer.yaml:1:19");
}

TEST_F(Tree, OverridesReachIntoMappings) {
  const LoadResult result = load(with_overrides("      nested:\n        b: 3\n        c: 4\n"));
  ASSERT_EQ(result.experiments.size(), 1U);
  const Module& module = result.experiments[0].modules.at(0);
  EXPECT_EQ(to_text(*module.params->get("nested")), "{a: 1, b: 3, c: 4}");
  EXPECT_THAT(ladder(module, "nested.b"), ElementsAre("module preset 2", "experiment 3"));
}

TEST_F(Tree, TheRuntimesShapeLeavesSomeKeysOut) {
  const LoadResult result =
      load(experiment("    framework: megatron\n    config: pre_trainer\n    model: small.yaml\n"
                      "    trainer_class: Mine\n    extra: 7\n    seq_length: 9\n"));
  ASSERT_EQ(result.experiments.size(), 1U) << result.errors.at(0).message;
  const Module& module = result.experiments[0].modules.at(0);
  EXPECT_EQ(module.trainer_class, "Mine");
  EXPECT_EQ(module.config, "pre_trainer");
  EXPECT_EQ(module.model, "small.yaml");
  EXPECT_EQ(module.params->get("name"), nullptr);
  EXPECT_EQ(module.params->get("framework"), nullptr);
  EXPECT_EQ(module.params->get("_secret"), nullptr);
  EXPECT_EQ(module.params->get("trainer_class"), nullptr);
  EXPECT_EQ(module.params->get("extra")->integer, 7);
  EXPECT_EQ(module.params->get("model")->text, "small.yaml");
  EXPECT_EQ(module.params->get("seq_length")->integer, 1024) << "a key beside config loses against the module preset";
  EXPECT_THAT(ladder(module, "seq_length"), ElementsAre("module preset 1024", "(experiment 9)", "(model preset 4096)"));
}

TEST_F(Tree, TheTextNullIsNullOnceNamespacesMerge) {
  const LoadResult result = load(with_overrides("      seq_length: \"null\"\n      fresh:\n        inner: \"null\"\n"));
  ASSERT_EQ(result.experiments.size(), 1U);
  const Node& params = *result.experiments[0].modules.at(0).params;
  EXPECT_TRUE(params.get("seq_length")->is_null());
  EXPECT_TRUE(params.get("spare")->is_null());
  EXPECT_TRUE(params.at_path("fresh.inner")->is_string()) << "a mapping that is added whole keeps its texts";
}

TEST_F(Tree, SetReadsYamlAndPointsIntoTheFlag) {
  const LoadResult result = load(with_overrides("      seq_length: 1\n"),
                                 {.sets = {{"nested.b", "[1, 1.0e-5, null]"}, {"new", "{\"x\": true}"}}});
  ASSERT_EQ(result.experiments.size(), 1U) << result.errors.at(0).message;
  const Module& module = result.experiments[0].modules.at(0);
  EXPECT_EQ(to_text(*module.params->get("nested")), "{a: 1, b: [1, 1.0e-05, null]}");
  const Origin& origin = module.params->at_path("new.x")->origin;
  EXPECT_EQ(to_string(origin), "--set:1:11");
  EXPECT_EQ(origin.source->line(1), "new={\"x\": true}");
  EXPECT_EQ(origin.layer, Layer::command_line);
}

TEST_F(Tree, SetWithoutKeyOrWithBadYamlIsRefused) {
  EXPECT_THAT(names(load(with_overrides("      a: 1\n"), {.sets = {{"", "4"}}}).errors), ElementsAre("bad-set"));
  EXPECT_THAT(names(load(with_overrides("      a: 1\n"), {.sets = {{"a", "[1"}}}).errors), ElementsAre("invalid-yaml"));
  const LoadResult result = load(with_overrides("      a: 1\n"), {.sets = {{"abc", "[1"}}});
  EXPECT_EQ(to_string(result.errors.at(0).primary.origin), "--set:1:5");
  EXPECT_EQ(result.errors.at(0).primary.origin.source->line(1), "abc=[1");
}

TEST_F(Tree, AllMissingKeysAreListedAtOnce) {
  const LoadResult result = load("work_group: team\nmodules:\n  pre_trainer: {config: a.yaml}\n  other: {}\n");
  EXPECT_TRUE(result.experiments.empty());
  EXPECT_THAT(names(result.errors), ElementsAre("missing-key", "missing-key", "missing-key", "framework-missing",
                                                "config-without-model", "unsupported-module"));
}

TEST_F(Tree, NamesOfTheOutputFolderAreText) {
  std::string text = with_overrides("      a: 1\n");
  text.replace(text.find("me\n"), 2, "${USER_ID:1000}");
  const LoadResult result = load(text);
  ASSERT_EQ(result.experiments.size(), 1U) << "the modules are as plain as before";
  const std::vector<Finding>& refusals = result.experiments[0].refusals;
  ASSERT_THAT(names(refusals), ElementsAre("wrong-shape"));
  EXPECT_THAT(refusals[0].message, HasSubstr("user_name must be text"));
}

TEST_F(Tree, ANameThatIsNearlyAPresetIsSuggested) {
  const LoadResult result =
      load(experiment("    framework: megatron\n    config: pre_trainer.yaml\n    model: lama3_8B\n"));
  ASSERT_THAT(names(result.errors), ElementsAre("preset-not-found"));
  EXPECT_THAT(result.errors[0].help.at(0), HasSubstr("llama3_8B.yaml"));
  EXPECT_EQ(to_string(result.errors[0].primary.origin), "exp.yaml:9:12");
}

// Primus finds the presets of ./megatron, and then no backend of that name.
TEST_F(Tree, AFrameworkIsNoPath) {
  for (const char* name : {"./megatron", "megatron/", "../modules/megatron"}) {
    const LoadResult result =
        load(experiment("    framework: " + std::string(name) + "\n    config: pre_trainer\n    model: small\n"));
    ASSERT_THAT(names(result.errors), ElementsAre("wrong-shape")) << name;
    EXPECT_THAT(result.errors[0].message, HasSubstr("framework must be a name, not a path"));
  }
}

TEST_F(Tree, PresetsMayNotLieOutsideOfConfigs) {
  files.put("tree/primus/evil.yaml", "a: 1\n");
  for (const char* name : {"../../../evil.yaml", "/etc/passwd", "x/../../../../evil"}) {
    const LoadResult result =
        load(experiment("    framework: megatron\n    config: pre_trainer\n    model: " + std::string(name) + "\n"));
    EXPECT_THAT(names(result.errors), ElementsAre("path-traversal")) << name;
  }
  const LoadResult inside =
      load(experiment("    framework: x\n    config: ../megatron/pre_trainer\n    model: ../megatron/small\n"));
  EXPECT_EQ(inside.experiments.size(), 1U) << "leaving the framework's folder alone is no traversal";
}

TEST_F(Tree, KeysMustBeText) {
  const LoadResult result = load(with_overrides("      a: [{on: 1}]\n"));
  ASSERT_THAT(names(result.errors), ElementsAre("key-not-text"));
  EXPECT_EQ(result.errors[0].primary.origin.line, 11U);
  files.put("tree/primus/configs/models/megatron/odd.yaml", "1: 2\n");
  const LoadResult preset = load(experiment("    framework: megatron\n    config: pre_trainer\n    model: odd\n"));
  ASSERT_THAT(names(preset.errors), ElementsAre("key-not-text"));
  EXPECT_EQ(to_string(preset.errors[0].related.at(0).origin), "exp.yaml:9:12");
}

TEST_F(Tree, AModuleWithoutConfigIsLeftAsItIs) {
  const LoadResult result =
      load(experiment("    framework: megatron\n    model: small.yaml\n    params: {a: 1}\n    b: 2\n"));
  ASSERT_EQ(result.experiments.size(), 1U) << result.errors.at(0).message;
  const Module& module = result.experiments[0].modules.at(0);
  EXPECT_EQ(module.name, "exp.modules.pre_trainer");
  EXPECT_EQ(to_text(*module.params), "{a: 1, b: 2, model: small.yaml}");
  EXPECT_THAT(names(result.experiments[0].remarks), ElementsAre("module-without-config"));
}

TEST_F(Tree, CommandLineGoesToTheModuleThatWouldRun) {
  const std::string module = "    framework: megatron\n    config: pre_trainer.yaml\n    model: small.yaml\n";
  const LoadResult result = load("work_group: t\nuser_name: m\nexp_name: e\nworkspace: o\nmodules:\n  a_trainer:\n" +
                                     module + "  post_trainer:\n" + module,
                                 {.tokens = {"x=1"}});
  ASSERT_EQ(result.experiments.size(), 1U);
  EXPECT_EQ(result.experiments[0].modules.at(0).params->get("x"), nullptr);
  EXPECT_NE(result.experiments[0].modules.at(1).params->get("x"), nullptr);
}

TEST_F(Tree, DigitsOfEveryScriptAreNumbersOnTheCommandLine) {  // as to Python's int
  const LoadResult result =
      load(with_overrides("      a: 1\n"), {.tokens = {"b=\xE0\xA5\xA7\xE0\xA5\xA8", "c=\xF0\x9D\x9F\x96"}});
  const Node& params = *result.experiments.front().modules.front().params;
  EXPECT_EQ(test::describe(*params.get("b")), "int 12");
  EXPECT_EQ(test::describe(*params.get("c")), "int 8");
}

TEST_F(Tree, SkippedTokensAreRemarks) {
  const LoadResult result = load(with_overrides("      a: 1\n"), {.tokens = {"-x", "micro_batch_size", "4"}});
  ASSERT_EQ(result.experiments.size(), 1U);
  EXPECT_THAT(names(result.experiments[0].remarks),
              ElementsAre("bad-override-token", "bad-override-token", "bad-override-token", "model-preset-loses"));
  const LoadResult refused = load(with_overrides("      a: 1\n"), {.tokens = {"a=1", "a.b=2"}});
  EXPECT_THAT(names(refused.errors), ElementsAre("override-key-type"));
}

TEST_F(Tree, PlatformDefaultsToAzureWithOneOverride) {
  const LoadResult result = load(with_overrides("      a: 1\n"));
  ASSERT_EQ(result.experiments.size(), 1U);
  const Node& exp = *result.experiments[0].exp;
  EXPECT_EQ(exp.at_path("platform.master_sink_level")->text, "INFO");
  EXPECT_EQ(exp.at_path("platform.config")->text, "platform_azure.yaml");
  EXPECT_EQ(exp.get("name")->text, "PrimusConfig");
  EXPECT_EQ(exp.get("modules"), nullptr);
}

TEST_F(Tree, PresetsAreFoundInTheOrderOfThePromise) {
  const auto presets = [&](ExperimentOptions options, const std::string& path) {
    options.tokens = {};
    const LoadResult result = Loader(files, environment).load_text(path, with_overrides("      a: 1\n"), options);
    return result.experiments.empty() ? result.errors.at(0).message : result.experiments[0].presets;
  };
  files.put("flag/primus/configs/modules/megatron/pre_trainer.yaml", "a: 1\n");
  for (const char* root : {"flag", "env", "path"}) {
    for (const char* name : {"modules/megatron/pre_trainer", "models/megatron/small", "platforms/platform_azure"}) {
      ReadFailure failure;
      files.put(std::string(root) + "/primus/configs/" + name + ".yaml",
                *files.read(std::string("tree/primus/configs/") + name + ".yaml", failure));
    }
  }
  EXPECT_EQ(presets({}, "tree/examples/deep/exp.yaml"), "tree");
  environment.set("PRIMUS_PATH", "path");
  EXPECT_EQ(presets({}, "tree/examples/deep/exp.yaml"), "path");
  environment.set("PRIMUS_ROOT", "env");
  EXPECT_EQ(presets({}, "tree/examples/deep/exp.yaml"), "env");
  EXPECT_EQ(presets({.primus_root = "flag"}, "tree/examples/deep/exp.yaml"), "flag");
  EXPECT_THAT(presets({.primus_root = "nowhere"}, "exp.yaml"), HasSubstr("nowhere/primus/configs"));
}

}  // namespace
}  // namespace primus_plan
