// One set of findings in every format, and the manual of rules.
#include <gtest/gtest.h>

#include "support/golden.h"
#include "support/process.h"
#include "support/reports.h"

namespace primus_plan::test {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  return names;
}

class EveryFormat : public testing::TestWithParam<std::string> {};

TEST_P(EveryFormat, OfOneSetOfFindings) {
  const std::vector<FileReport> files = {clean_report(), broken_report(), unloadable_report(), unchecked_report()};
  const auto formatter = find_format(GetParam())->make({}, some_tool());
  expect_golden("formats/findings." + GetParam(), format_report(*formatter, files));
}

TEST_P(EveryFormat, OfTextsThatWouldLikeToBeMarkup) {
  const auto formatter = find_format(GetParam())->make({}, some_tool());
  expect_golden("formats/hostile." + GetParam(), format_report(*formatter, {{hostile_report()}}));
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, testing::ValuesIn(format_names()),
                         [](const auto& test) { return test.param; });

TEST(Manual, IsWhatTheProgramPrints) {
  const ProcessResult result = run_plan({"rules", "--format", "markdown", "--full"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_file("docs/rules.md", result.out);
}

TEST(Manual, APageInTheTerminal) {
  const ProcessResult result = run_plan({"explain", "MG203"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_golden("explain.txt", result.out);
}

}  // namespace
}  // namespace primus_plan::test
