// FILE@REVISION: which files are read from git, which as they are now, and how the words are told apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string with(std::string_view text, const std::string& from, const std::string& to) {
  std::string out(text);
  return out.replace(out.find(from), from.size(), to);
}

class Revision : public testing::Test {
 protected:
  void SetUp() override {
    if (sh("git init -q -b main . && git config user.name t && git config user.email t@example.org") != 0) {
      GTEST_SKIP() << "no git here";
    }
  }
  int sh(const std::string& script) {
    return run_process("/bin/sh", {"-c", script}, {.environment = {{"HOME", at()}}, .folder = at()}).exit_code;
  }
  void commit() { ASSERT_EQ(sh("git add -A && git -c commit.gpgsign=false commit -q -m x"), 0); }
  ProcessResult diff(const std::string& a, const std::string& b) {
    return run_plan({"diff", a, b, "--exit-code"}, {.folder = at()});
  }
  std::string at() const { return folder_.path().string(); }

  TemporaryFolder folder_;
};

TEST_F(Revision, WhatAnExperimentExtendsIsOfTheRevisionToo) {
  folder_.write("bases/base.yaml", good_experiment);
  folder_.write("bases/middle.yaml", "extends: [base.yaml]\n");
  folder_.write("exp/child.yaml", "extends: [../bases/middle.yaml]\n");
  commit();
  EXPECT_EQ(diff("exp/child.yaml@HEAD", "exp/child.yaml").exit_code, 0);
  folder_.write("bases/base.yaml", with(good_experiment, "size: 32", "size: 64"));
  const ProcessResult changed = diff("exp/child.yaml@HEAD", "exp/child.yaml");
  EXPECT_EQ(changed.exit_code, 1) << changed.out << changed.err;
  EXPECT_THAT(changed.out, HasSubstr("global_batch_size: 32 -> 64"));
  // Neither the file nor its folder has to be there now.
  fs::remove_all(folder_.path() / "bases");
  folder_.write("now.yaml", good_experiment);
  EXPECT_EQ(diff("exp/child.yaml@HEAD", "now.yaml").exit_code, 0);
  EXPECT_EQ(diff("bases/middle.yaml@HEAD", "now.yaml").exit_code, 0);
  // What is there now, but was not then, does not count.
  folder_.write("exp/late.yaml", "extends: new.yaml\n");
  commit();
  folder_.write("exp/new.yaml", good_experiment);
  const ProcessResult missing = diff("exp/late.yaml@HEAD", "now.yaml");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("CF111"));
}

TEST_F(Revision, PresetsAndOtherRepositoriesAreReadAsTheyAreNow) {
  const std::string models = "primus/configs/models/megatron/llama3_8B.yaml";
  folder_.write("primus/configs/modules/megatron/pre_trainer.yaml", "trainable: true\n");
  folder_.write("primus/configs/platforms/platform_azure.yaml",
                "name: a\nnum_nodes_env_key: N\nnode_rank_env_key: N\nmaster_addr_env_key: N\nmaster_port_env_key: N\n"
                "gpus_per_node_env_key: N\nmaster_sink_level: INFO\nworkspace: w\n");
  folder_.write(models, "num_layers: 4\nnum_attention_heads: 8\nhidden_size: 64\n");
  folder_.write("exp.yaml", good_experiment);
  commit();
  folder_.write(models, "num_layers: 8\nnum_attention_heads: 8\nhidden_size: 64\n");
  const ProcessResult presets = diff("exp.yaml@HEAD", "exp.yaml");
  EXPECT_EQ(presets.exit_code, 0) << presets.out << presets.err;
  const TemporaryFolder other;
  other.write("base.yaml", good_experiment);
  folder_.write("outside.yaml", "extends: " + (other.path() / "base.yaml").string() + "\n");
  commit();
  EXPECT_EQ(diff("outside.yaml@HEAD", "exp.yaml").exit_code, 0);
}

TEST_F(Revision, PathsAndRevisionsMayHaveAnAt) {
  folder_.write("exp/a.yaml", good_experiment);
  folder_.write("team@home/b@2.yaml", good_experiment);
  commit();
  folder_.write("exp/a.yaml", with(good_experiment, "size: 32", "size: 64"));
  folder_.write("team@home/b@2.yaml", with(good_experiment, "size: 32", "size: 64"));
  commit();
  for (const char* name : {"exp/a.yaml@HEAD@{1}", "exp/a.yaml@@{1}", "exp/a.yaml@main@{1}", "exp/a.yaml@@~",
                           "team@home/b@2.yaml@HEAD~1", "team@home/b@2.yaml@HEAD@{1}"}) {
    const ProcessResult result = diff(name, "exp/a.yaml");
    EXPECT_EQ(result.exit_code, 1) << name << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("global_batch_size: 32 -> 64")) << name;
  }
  EXPECT_EQ(diff("team@home/b@2.yaml", "exp/a.yaml").exit_code, 0) << "a file that is called so";
  EXPECT_THAT(diff("exp/a.yaml@no@where", "exp/a.yaml").err, HasSubstr("git knows no revision no@where"));
  EXPECT_THAT(diff("exp/none.yaml@HEAD", "exp/a.yaml").err, HasSubstr("the file is not in that revision"));
  EXPECT_THAT(diff("exp@HEAD", "exp/a.yaml").err, HasSubstr("it is a folder"));
}

TEST_F(Revision, LinksAreFollowedWithinTheRevision) {
  folder_.write("real/base.yaml", good_experiment);
  fs::create_directories(folder_.path() / "exp");
  fs::create_symlink("../real/base.yaml", folder_.path() / "exp/link.yaml");
  fs::create_directory_symlink("real", folder_.path() / "folder");
  fs::create_symlink("/etc/hostname", folder_.path() / "exp/out.yaml");
  fs::create_symlink("gone.yaml", folder_.path() / "exp/nothing.yaml");
  folder_.write("exp/child.yaml", "extends: link.yaml\n");
  commit();
  folder_.write("real/base.yaml", with(good_experiment, "size: 32", "size: 64"));
  for (const char* name : {"exp/link.yaml@HEAD", "folder/base.yaml@HEAD", "exp/child.yaml@HEAD"}) {
    const ProcessResult result = diff(name, "real/base.yaml");
    EXPECT_EQ(result.exit_code, 1) << name << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("global_batch_size: 32 -> 64")) << name;
  }
  const ProcessResult out = diff("exp/out.yaml@HEAD", "real/base.yaml");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.err, HasSubstr("it is a symbolic link out of the repository, to /etc/hostname"));
  EXPECT_THAT(diff("exp/nothing.yaml@HEAD", "real/base.yaml").err,
              HasSubstr("symbolic link to what is not in revision"));
}

}  // namespace
}  // namespace primus_plan::test
