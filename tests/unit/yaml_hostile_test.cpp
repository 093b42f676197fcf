// Input made to hurt: refused with a clear rule, at once, with bounded memory.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "support/yaml.h"

namespace primus_plan::test {
namespace {

std::string repeat(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string rule_of(const std::string& refused) { return refused.substr(0, refused.find('@')); }

struct Hostile {
  std::string_view name;
  std::string text;
  std::string_view rule;
};

void PrintTo(const Hostile& example, std::ostream* out) { *out << example.name; }

class HostileText : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileText, IsRefusedSoon) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(rule_of(refusal(GetParam().text)), GetParam().rule);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

std::string alias_bomb() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    text += fmt::format("a{}: &a{} [{}]\n", i, i, repeat(fmt::format("*a{},", i - 1), 10));
  }
  return text;
}

std::string alias_ladder() {
  std::string text = "a0: &a0 1\n";
  for (int i = 1; i < 50; ++i)
    text += fmt::format("a{}: &a{} {}*a{}{}\n", i, i, repeat("[", 150), i - 1, repeat("]", 150));
  return text;
}

std::string deep_blocks() {
  std::string text;
  for (std::size_t i = 0; i < 1000; ++i) text += std::string(i, ' ') + "a:\n";
  return text;
}

INSTANTIATE_TEST_SUITE_P(Nesting, HostileText,
                         ::testing::Values(Hostile{"brackets", "a: " + repeat("[", 100'000), "limit-exceeded"},
                                           Hostile{"closed brackets", "a: " + repeat("[", 5'000) + repeat("]", 5'000),
                                                   "limit-exceeded"},
                                           Hostile{"braces", repeat("{a: ", 9'000), "limit-exceeded"},
                                           Hostile{"dashes", repeat("- ", 100'000), "limit-exceeded"},
                                           Hostile{"question marks", repeat("? ", 100'000), "limit-exceeded"},
                                           Hostile{"blocks", deep_blocks(), "limit-exceeded"},
                                           Hostile{"many brackets", "a: " + repeat("[", 4'000'000), "limit-exceeded"}));

INSTANTIATE_TEST_SUITE_P(Size, HostileText,
                         ::testing::Values(Hostile{"items on a line", "[" + repeat("1,", 3'000'000) + "]",
                                                   "limit-exceeded"},
                                           Hostile{"lines", repeat("- 1\n", 600'000), "limit-exceeded"},
                                           Hostile{"pairs of brackets", repeat("[]", 3'000'000), "limit-exceeded"},
                                           Hostile{"anchors", repeat("&a ", 300'000), "limit-exceeded"},
                                           Hostile{"digits", "a: " + std::string(2'000'000, '9'), "bad-value"},
                                           Hostile{"sixtieths", "a: 1" + repeat(":1", 1'000'000), "bad-value"},
                                           Hostile{"documents", repeat("---\na: 1\n", 100'000), "several-documents"}));

INSTANTIATE_TEST_SUITE_P(Aliases, HostileText,
                         ::testing::Values(Hostile{"bomb", alias_bomb(), "limit-exceeded"},
                                           Hostile{"ladder", alias_ladder(), "limit-exceeded"}));

TEST(HostileYaml, LargeHarmlessTextsAreRead) {
  EXPECT_EQ(refusal("a: |\n" + repeat("  some text\n", 200'000)), "accepted");
  EXPECT_EQ(refusal(repeat("# comment\n", 200'000) + "a: 1\n"), "accepted");
  EXPECT_EQ(refusal("a: \"" + repeat("word ", 400'000) + "\"\n"), "accepted");
}

TEST(HostileYaml, AKeySetVeryOftenIsCheap) {
  const ParsedYaml parsed = parse(repeat("a: 1\n", 100'000));
  EXPECT_EQ(parsed.remarks.size(), 1U);
  EXPECT_EQ(parsed.root->entries().size(), 1U);
}

TEST(HostileYaml, LimitsAreTheCallers) {
  Limits limits;
  limits.depth = 2;
  EXPECT_EQ(refusal("a: [1]\n", limits), "accepted");
  EXPECT_EQ(refusal("a: [[1]]\n", limits), "limit-exceeded@1:5");
  limits.nodes = 4;
  EXPECT_EQ(refusal("a: 1\n", limits), "accepted");
  EXPECT_EQ(refusal("a: 1\nb: 2\n", limits), "limit-exceeded@2:4");
}

// ---- files ----

class HostileFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("primus-plan-test-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(std::string_view name) const { return folder_ / name; }
  std::string reason(const std::string& name, std::size_t limit = DiskFiles::default_max_bytes) const {
    ReadFailure failure;
    const auto text = DiskFiles(limit).read(name, failure);
    return text ? "read " + *text : failure.reason;
  }

  std::filesystem::path folder_;
};

TEST_F(HostileFiles, OnlyRegularFilesWithinTheLimitAreRead) {
  std::ofstream(path("good")) << "a: 1";
  EXPECT_EQ(reason(path("good")), "read a: 1");
  EXPECT_EQ(reason(path("good"), 4), "read a: 1");
  EXPECT_EQ(reason(path("good"), 3), "it has 4 bytes, more than the limit of 3");
  ReadFailure failure;
  EXPECT_FALSE(DiskFiles(3).read(path("good"), failure));
  EXPECT_TRUE(failure.too_large);
  EXPECT_FALSE(DiskFiles(3).read(path("absent"), failure));
  EXPECT_FALSE(failure.too_large);
  EXPECT_EQ(reason(path("missing")), "no such file");
  EXPECT_EQ(reason(path("good") + "/below"), "no such file (a part of the path is not a folder)");
  EXPECT_EQ(reason(folder_), "it is a folder");
  EXPECT_EQ(reason("/dev/zero"), "it is a device, not a regular file");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(reason(path("pipe")), "it is a named pipe, not a regular file");
  ASSERT_EQ(::symlink("loop", path("loop").c_str()), 0);
  EXPECT_EQ(reason(path("loop")), "too many symbolic links");
}

TEST_F(HostileFiles, FilesThatMayNotBeReadAreSaidSo) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  std::ofstream(path("secret")) << "a: 1";
  std::filesystem::permissions(path("secret"), std::filesystem::perms::none);
  EXPECT_EQ(reason(path("secret")), "permission denied");
}

TEST(Files, MemoryFilesKnowOneFileByManyNames) {
  MemoryFiles files;
  files.put("configs/a.yaml", "a: 1");
  ReadFailure failure;
  EXPECT_EQ(files.read("configs/sub/../a.yaml", failure), "a: 1");
  EXPECT_EQ(files.read("./configs/a.yaml", failure), "a: 1");
  EXPECT_TRUE(files.exists("configs"));
  EXPECT_FALSE(files.exists("config"));
  EXPECT_EQ(files.read("configs", failure), std::nullopt);
  EXPECT_EQ(failure.reason, "it is a folder");
  EXPECT_EQ(files.read("b.yaml", failure), std::nullopt);
  EXPECT_TRUE(failure.missing);
}

}  // namespace
}  // namespace primus_plan::test
