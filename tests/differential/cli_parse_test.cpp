// Override tokens against Primus's own parse_cli_overrides.

#include <gtest/gtest.h>

#include "config/cli_tokens.h"
#include "primus_plan/diagnostics/load_error.h"
#include "support/node_json.h"
#include "support/paths.h"

namespace primus_plan {
namespace {

/// The oracle adds "repr" to floats.
void drop_repr(test::Json& value) {
  if (value.is_object()) value.erase("repr");
  for (test::Json& inside : value) {
    if (inside.is_structured()) drop_repr(inside);
  }
}

std::string judge(const test::Json& test_case) {
  Sources sources;
  Remarks remarks;
  NodePtr values;
  try {
    values = parse_cli_tokens(test_case["tokens"].get<std::vector<std::string>>(), sources, remarks);
  } catch (const LoadError& error) {
    return test_case["error"].is_null() ? std::string("refused: ") + error.what() : "";
  }
  if (!test_case["error"].is_null()) return "should be refused";
  if (remarks.size() != test_case["warnings"].size()) return "other number of warnings";
  test::Json expected = test_case["result"];
  drop_repr(expected);
  return test::difference(expected, test::typed(*values));
}

TEST(CliParse, AgreesWithPrimus) {
  const auto path = test::oracle_dir() / "cli_parse.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  std::size_t judged = 0;
  const test::Json oracle = test::read_json(path);
  for (const test::Json& test_case : oracle["cases"]) {
    if (test_case["mode"] != "modern") continue;  // the mode of Primus's runtime
    ++judged;
    EXPECT_EQ(judge(test_case), "") << test_case["name"];
  }
  EXPECT_GT(judged, 50U);
  RecordProperty("cases", static_cast<int>(judged));
}

}  // namespace
}  // namespace primus_plan
