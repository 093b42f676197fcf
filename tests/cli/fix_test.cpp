// check --fix, --fix-unsafe and --diff on files of a folder.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class Fix : public ::testing::Test {
 protected:
  Fix() : path_(folder_.write("bad.yaml", bad_experiment)) {}

  std::string fixed() const { return with(std::string(bad_experiment), ": 33\n", ": 32\n"); }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(Fix, UnsafeFixesNeedTheirOwnFlag) {
  const ProcessResult safe = run_plan({"check", "--fix", path_});
  EXPECT_EQ(safe.exit_code, 1);
  EXPECT_EQ(read_file(path_), bad_experiment);
  EXPECT_TRUE(contains(safe.err, "1 fix more with --fix-unsafe")) << safe.err;
  const ProcessResult unsafe = run_plan({"check", "--fix-unsafe", path_});
  EXPECT_EQ(unsafe.exit_code, 0) << unsafe.out;
  EXPECT_EQ(read_file(path_), fixed());
  EXPECT_TRUE(contains(unsafe.err, "MG203 set global_batch_size to 32")) << unsafe.err;
  EXPECT_FALSE(contains(unsafe.out, "MG203")) << "the report tells what is left";
  EXPECT_EQ(files(), 1) << "no temporary file is left";
}

TEST_F(Fix, ReadOnlyFilesAndOtherNamesAreLeftAlone) {
  fs::permissions(path_, fs::perms::owner_read);
  const ProcessResult read_only = run_plan({"check", "--fix-unsafe", path_});
  EXPECT_EQ(read_only.exit_code, 1);
  EXPECT_TRUE(contains(read_only.err, "not edited: it is read-only")) << read_only.err;
  fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_hard_link(path_, folder_.path() / "twin.yaml");
  const ProcessResult linked = run_plan({"check", "--fix-unsafe", path_});
  EXPECT_TRUE(contains(linked.err, "hard links")) << linked.err;
  EXPECT_EQ(read_file(path_), bad_experiment);
}

TEST_F(Fix, DiffWritesNothing) {
  const ProcessResult result = run_plan({"check", "--fix-unsafe", "--diff", path_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(read_file(path_), bad_experiment);
  EXPECT_TRUE(result.out.starts_with("--- " + path_ + "\n+++ " + path_ + "\n@@ ")) << result.out;
  EXPECT_TRUE(contains(result.out, "\n-      global_batch_size: 33\n+      global_batch_size: 32\n")) << result.out;
  const ProcessResult piped =
      run_plan({"check", "--fix-unsafe", "--diff", "-"}, {.input = std::string(bad_experiment)});
  EXPECT_TRUE(contains(piped.out, "+      global_batch_size: 32\n")) << piped.out << piped.err;
  const std::string good = folder_.write("good.yaml", good_experiment);
  EXPECT_EQ(run_plan({"check", "--fix-unsafe", "--diff", good}).exit_code, 0);
}

TEST_F(Fix, KeepsTheMode) {
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  EXPECT_EQ(run_plan({"check", "--fix-unsafe", path_}).exit_code, 0);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST_F(Fix, RefusesSymbolicLinks) {
  const std::string link = (folder_.path() / "link.yaml").string();
  fs::create_symlink(path_, link);
  const ProcessResult result = run_plan({"check", "--fix-unsafe", link});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.err, "link.yaml: not edited: it is a symbolic link")) << result.err;
  EXPECT_EQ(read_file(path_), bad_experiment);
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(Fix, AFolderThatCannotBeWrittenLosesNothing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const ProcessResult result = run_plan({"check", "--fix-unsafe", path_});
  fs::permissions(folder_.path(), fs::perms::owner_all);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(read_file(path_), bad_experiment);
}

TEST_F(Fix, ManyFilesAtOnce) {
  for (int i = 0; i < 20; ++i) folder_.write("more/" + std::to_string(i) + ".yaml", bad_experiment);
  EXPECT_EQ(run_plan({"check", "--fix-unsafe", folder_.path().string()}).exit_code, 0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(read_file(folder_.path() / ("more/" + std::to_string(i) + ".yaml")), fixed());
}

TEST_F(Fix, StandardInputCannotBeEdited) {
  const ProcessResult result = run_plan({"check", "--fix", "-"}, {.input = std::string(bad_experiment)});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "--diff")) << result.err;
}

TEST_F(Fix, ValuesOfVariablesAreLeftAlone) {
  const std::string text = with(std::string(bad_experiment), ": 33\n", ": ${GBS:33}\n");
  const std::string path = folder_.write("variable.yaml", text);
  EXPECT_EQ(run_plan({"check", "--fix-unsafe", path}).exit_code, 1);
  EXPECT_EQ(read_file(path), text);
}

/// TP 4 ends all errors, the batch's among them: DP is then 6, and the batch is not adapted to the DP 8 of TP 3.
TEST_F(Fix, NothingIsAdaptedToADegreeThatIsWrong) {
  std::string text =
      with(std::string(bad_experiment), "tensor_model_parallel_size: 2", "tensor_model_parallel_size: 3");
  text = with(with(text, "micro_batch_size: 2", "micro_batch_size: 1"), ": 33\n", ": 36\n");
  const std::string path = folder_.write("tensor.yaml", text);
  const ProcessResult result = run_plan({"check", "--fix-unsafe", "--world-size", "24", path});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.out, "MG203")) << result.out;
  EXPECT_TRUE(contains(result.out, "legal with one change: tensor_model_parallel_size 4")) << result.out;
  EXPECT_EQ(read_file(path), text) << result.err;
}

TEST_F(Fix, TheReportNamesTheSmallestRepair) {
  const ProcessResult text = run_plan({"check", path_});
  EXPECT_TRUE(contains(text.out, "legal with one change: global_batch_size 32 (32,768 tokens a step, -3.0 %)"))
      << text.out;
  const ProcessResult json = run_plan({"check", "--format", "json", path_});
  EXPECT_TRUE(contains(json.out, R"({"key": "global_batch_size", "from": 33, "to": 32})")) << json.out;
}

}  // namespace
}  // namespace primus_plan::test
