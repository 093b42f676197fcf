#include <gtest/gtest.h>

#include "support/golden.h"
#include "support/reports.h"

namespace primus_plan::test {
namespace {

std::vector<FileReport> all_reports() {
  return {clean_report(), broken_report(), unloadable_report(), unchecked_report()};
}

std::string as_text(const std::vector<FileReport>& files, const TextStyle& style) {
  return format_report(*make_text_formatter(style), files);
}

TEST(TextReport, CleanFileIsShort) { expect_golden("clean.txt", as_text({clean_report()}, {})); }

TEST(TextReport, FindingsWithPlacesReasonsAndWaysOut) { expect_golden("broken.txt", as_text({broken_report()}, {})); }

TEST(TextReport, VerboseShowsStagesRewritesAndValues) {
  TextStyle style;
  style.verbose = true;
  style.worlds = true;
  expect_golden("verbose.txt", as_text({clean_report(), broken_report()}, style));
}

TEST(TextReport, QuietShowsFindingsOnly) {
  TextStyle style;
  style.quiet = true;
  expect_golden("quiet.txt", as_text(all_reports(), style));
}

TEST(TextReport, SeveralFilesEndWithTheirSum) { expect_golden("several.txt", as_text(all_reports(), {})); }

TEST(TextReport, FolderLeavesOutCleanFiles) {
  TextStyle style;
  style.brief_if_clean = true;
  expect_golden("folder.txt", as_text(all_reports(), style));
  style.verbose = true;
  expect_golden("folder_verbose.txt", as_text(all_reports(), style));
}

TEST(TextReport, ColorsOnlyTheSameText) {
  TextStyle style;
  style.color = true;
  expect_golden("color.txt", as_text(all_reports(), style));
}

TEST(TextReport, NarrowTerminalCutsSourceLines) {
  TextStyle style;
  style.width = 40;
  expect_golden("narrow.txt", as_text({broken_report()}, style));
}

TEST(JsonReport, FollowsTheContract) {
  expect_golden("report.json", format_report(*make_json_formatter(some_tool()), all_reports()));
}

TEST(JsonReport, OfNothingIsWhole) {
  EXPECT_EQ(format_report(*make_json_formatter(some_tool()), {}),
            "{\n  \"schema\": \"primus-plan/1\",\n  \"tool\": {\"version\": \"0.1.0\", \"pins\": {\"megatron\": "
            "\"Megatron-LM d3528a21\"}},\n  \"files\": [\n    \n  ],\n  \"summary\": {\"files\": 0, \"errors\": 0, "
            "\"warnings\": 0, \"notes\": 0, \"not_checked\": 0}\n}\n");
}

}  // namespace
}  // namespace primus_plan::test
