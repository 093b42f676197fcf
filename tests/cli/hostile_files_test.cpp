// Folders that cannot be read, files of other trees, sizes that contradict themselves, files beyond the limits.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(HostileFiles, AFolderThatCannotBeReadIsOneFinding) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  folder.write("a/good.yaml", good_experiment);
  folder.write("locked/good.yaml", good_experiment);
  folder.write("z/bad.yaml", bad_experiment);
  fs::permissions(folder.path() / "locked", fs::perms::none);
  const ProcessResult result = run_plan({"check", folder.path().string()});
  const ProcessResult named = run_plan({"check", (folder.path() / "locked").string()});
  fs::permissions(folder.path() / "locked", fs::perms::owner_all);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out, "locked: permission denied [CF101")) << result.out << result.err;
  EXPECT_TRUE(contains(result.out, "MG203")) << "the others have their turn";
  EXPECT_EQ(named.exit_code, 2);
}

TEST(HostileFiles, WhatIsNoFileIsRefusedAtOnce) {
  const TemporaryFolder folder;
  folder.write("good.yaml", good_experiment);
  ASSERT_EQ(::mkfifo((folder.path() / "pipe.yaml").c_str(), 0600), 0);
  fs::create_symlink("loop.yaml", folder.path() / "loop.yaml");
  fs::create_directory_symlink(".", folder.path() / "circle");
  fs::create_directory(folder.path() / "folder.yaml");
  const ProcessResult all = run_plan({"check", folder.path().string()});
  EXPECT_EQ(all.exit_code, 0) << all.out << all.err;
  EXPECT_TRUE(contains(run_plan({"check", (folder.path() / "pipe.yaml").string()}).out, "a named pipe"));
  EXPECT_TRUE(contains(run_plan({"check", (folder.path() / "loop.yaml").string()}).out, "symbolic links"));
  EXPECT_TRUE(contains(run_plan({"check", "/dev/zero"}).out, "a device"));
}

TEST(HostileFiles, PresetsExtendNothingOfOtherTrees) {
  const TemporaryFolder folder;
  folder.write("secret.yaml", "secret: 1\n");
  folder.write("tree/shared.yaml", "num_layers: 8\n");
  const std::string models = "tree/primus/configs/models/megatron/";
  const std::string experiment = "tree/exp.yaml";
  folder.write("tree/primus/configs/modules/megatron/pre_trainer.yaml", "micro_batch_size: 1\n");
  for (const std::string& base :
       {std::string("../../../../../secret.yaml"), (folder.path() / "secret.yaml").string()}) {
    folder.write(models + "llama3_8B.yaml", "extends: " + base + "\n");
    const ProcessResult result = run_plan({"check", folder.write(experiment, good_experiment)});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(contains(result.out, "within their own tree alone [CF113")) << result.out;
  }
  folder.write(models + "llama3_8B.yaml", "extends: ../../../../shared.yaml\n");
  const ProcessResult own = run_plan({"check", folder.write(experiment, good_experiment)});
  EXPECT_FALSE(contains(own.out, "CF113")) << own.out;
  const std::string direct =
      folder.write("tree/direct.yaml", "extends: ../secret.yaml\ntensor_model_parallel_size: 2\n");
  EXPECT_FALSE(contains(run_plan({"check", direct}).out, "CF113")) << "an experiment may name any file";
}

/// Primus would read them, so the bound is told and nothing of what Primus would do.
TEST(HostileFiles, TooManyBytesAreABreachOfTheBounds) {
  const TemporaryFolder folder;
  const std::string large = folder.write("large.yaml", "a: 1\n#" + std::string(17200042, 'x') + "\n");
  for (const std::string& path : {large, folder.write("extends.yaml", "extends: large.yaml\nmicro_batch_size: 2\n")}) {
    const ProcessResult result = run_plan({"check", path});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(contains(result.out, "it has 17200049 bytes, more than the limit of 16777216 [CF113")) << result.out;
    EXPECT_FALSE(contains(result.out, "FileNotFoundError")) << result.out;
  }
  const ProcessResult extended = run_plan(
      {"check", folder.write("tree/run.yaml", good_experiment), "--primus-root", (folder.path() / "tree").string()});
  EXPECT_FALSE(contains(extended.out, "CF113")) << extended.out;
  folder.write("tree/primus/configs/modules/megatron/pre_trainer.yaml", read_file(large));
  const ProcessResult preset = run_plan(
      {"check", folder.write("tree/run.yaml", good_experiment), "--primus-root", (folder.path() / "tree").string()});
  EXPECT_TRUE(contains(preset.out, "more than the limit of 16777216 [CF113")) << preset.out;
}

TEST(HostileFiles, PresetsAreNoLinksOutOfTheirTree) {
  const TemporaryFolder folder;
  const fs::path root = folder.path() / "tree";
  const fs::path models = root / "primus/configs/models/megatron";
  const std::string secret = folder.write("out/secret.yaml", "secret: 1\n");
  folder.write("tree/primus/configs/modules/megatron/pre_trainer.yaml", "micro_batch_size: 1\n");
  folder.write("tree/primus/configs/models/megatron/base.yaml", "num_layers: 8\n");
  folder.write("tree/primus/configs/models/megatron/llama3_8B.yaml", "extends: link.yaml\n");
  folder.write("exp.yaml", good_experiment);
  const auto check = [&](const fs::path& primus) {
    return run_plan({"check", (folder.path() / "exp.yaml").string(), "--primus-root", primus.string()}).out;
  };
  fs::create_symlink(secret, models / "link.yaml");
  EXPECT_TRUE(contains(check(root), "is a link to " + secret)) << check(root);
  EXPECT_TRUE(contains(check(root), "[CF113"));
  // The preset itself.
  fs::rename(models / "link.yaml", models / "llama3_8B.yaml");
  EXPECT_TRUE(contains(check(root), "[CF113")) << check(root);
  // Within the tree links are fine, whoever the tree is reached by.
  fs::remove(models / "llama3_8B.yaml");
  fs::create_symlink("base.yaml", models / "llama3_8B.yaml");
  EXPECT_FALSE(contains(check(root), "CF113")) << check(root);
  fs::create_directory_symlink("tree", folder.path() / "other");
  EXPECT_FALSE(contains(check(folder.path() / "other"), "CF113"));
  // Nor does it matter that configs, or every single file, is a link into another tree.
  fs::create_directories(folder.path() / "configs-only/primus");
  fs::create_directory_symlink(root / "primus/configs", folder.path() / "configs-only/primus/configs");
  EXPECT_FALSE(contains(check(folder.path() / "configs-only"), "CF113"));
  fs::rename(root / "primus/configs", folder.path() / "moved");
  fs::create_directory_symlink("../../moved", root / "primus/configs");
  EXPECT_FALSE(contains(check(root), "CF113")) << check(root);
  const fs::path store = folder.path() / "store/primus/configs";
  const fs::path links = folder.path() / "links/primus/configs";
  fs::create_directories(store.parent_path());
  fs::copy(folder.path() / "moved", store, fs::copy_options::recursive);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(store)) {
    const fs::path link = links / entry.path().lexically_relative(store);
    fs::create_directories(link.parent_path());
    if (!entry.is_directory()) fs::create_symlink(entry.path(), link);
  }
  EXPECT_FALSE(contains(check(folder.path() / "links"), "CF113")) << check(folder.path() / "links");
}

// A file of settings that cannot be read is trouble, and no reason to take the next one further up.
TEST(HostileFiles, SettingsThatCannotBeReadAreTold) {
  const TemporaryFolder folder;
  folder.write(".primus-plan.yaml", "strict: true\n");
  const std::string file = folder.write("sub/e.yaml", good_experiment);
  const fs::path settings = folder.path() / "sub/.primus-plan.yaml";
  const auto refused = [&](const std::string& reason) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"config", "show", file}, {"check", file}, {"check", folder.path().string()}}) {
      const ProcessResult result = run_plan(command);
      EXPECT_EQ(result.exit_code, 2) << command[0] << result.out;
      EXPECT_TRUE(contains(result.err, ".primus-plan.yaml: " + reason)) << result.err;
    }
    fs::remove(settings);
  };
  fs::create_symlink("../../nope/team.yaml", settings);
  refused("it is a symbolic link to nothing");
  fs::create_symlink(".primus-plan.yaml", settings);
  refused("too many symbolic links");
  fs::create_symlink("/dev/null", settings);
  refused("it is a device");
  ASSERT_EQ(::mkfifo(settings.c_str(), 0600), 0);
  refused("it is a named pipe");
  folder.write("team.yaml", "strict: false\n");
  fs::create_symlink("../team.yaml", settings);
  EXPECT_TRUE(contains(run_plan({"config", "show", file}).out, "false")) << "a link to a file is one";
}

TEST(HostileFiles, SizesThatContradictThemselvesAreTold) {
  const ProcessResult pragma = run_plan(
      {"check", "-"}, {.input = "# primus-plan: world-size=12 nodes=3 gpus-per-node=8\ntensor_model_parallel_size: 2\n"
                                "global_batch_size: 24\n"});
  EXPECT_TRUE(contains(pragma.out, "world-size=12 does not fit nodes=3: 12 ranks take 2 nodes of 8 GPUs [CF213"))
      << pragma.out;
  const TemporaryFolder folder;
  folder.write(".primus-plan.yaml", "launch: [{world-size: 12, nodes: 5}]\n");
  const ProcessResult settings = run_plan({"check", folder.write("a.yaml", good_experiment)});
  EXPECT_EQ(settings.exit_code, 2);
  EXPECT_TRUE(contains(settings.err, ".primus-plan.yaml:1:10: world-size=12 does not fit nodes=5")) << settings.err;
  const ProcessResult even =
      run_plan({"check", "-"}, {.input = "# primus-plan: world-size=12 nodes=3\ntensor_model_parallel_size: 2\n"
                                         "global_batch_size: 24\n"});
  EXPECT_FALSE(contains(even.out, "CF213")) << "nodes of 4 GPUs";
}

TEST(HostileFiles, GrowthIsBoundedByLimitsOrLinear) {
  const auto repeated = [](const std::string& text, int times) {
    std::string out = "tensor_model_parallel_size: 2\n";
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  std::string unknown = "tensor_model_parallel_size: 2\n";
  for (int i = 0; i < 5000; ++i) unknown += "tensor_model_parallel_siz" + std::to_string(i) + ": 1\n";
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text :
       {repeated("# primus-plan: ignore[MG203] x\n", 20000), repeated("# primus-plan: nonsense\n", 20000), unknown}) {
    EXPECT_EQ(run_plan({"check", "-", "--format", "concise"}, {.input = text}).exit_code, 0);
  }
  const ProcessResult documents =
      run_plan({"check", "-"}, {.input = repeated("---\ntensor_model_parallel_size: 2\n", 2000)});
  EXPECT_TRUE(contains(documents.out, "more than 1000, the limit of this reader [CF113")) << documents.out;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(40) * patience());
}

}  // namespace
}  // namespace primus_plan::test
