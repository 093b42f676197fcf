// explain and rules, as a user runs them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "primus_plan/backends/backend.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Explain, ByIdInAnyCaseAndByName) {
  const ProcessResult result = run_plan({"explain", "MG203"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"MG203 global-batch-not-divisible: error\n", "\nwhy\n", "\nwhat the runtime does\n",
                           "\nbad, on 16 GPUs\n", "\nwhat check says of it\n", "\nhow to fix\n", "\ngood, on 16 GPUs\n",
                           "\nsource\n", "nearest legal values: 96, 128"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << result.out;
  }
  EXPECT_EQ(run_plan({"explain", "mg203"}).out, result.out);
  EXPECT_EQ(run_plan({"explain", "global-batch-not-divisible"}).out, result.out);
}

TEST(Explain, UnknownRulesNameTheNearest) {
  const ProcessResult slip = run_plan({"explain", "global-batch-not-divisble"});
  EXPECT_EQ(slip.exit_code, 2);
  EXPECT_EQ(slip.out, "");
  EXPECT_TRUE(contains(slip.err, "did you mean global-batch-not-divisible")) << slip.err;
  EXPECT_TRUE(contains(run_plan({"explain", "xyzzyplugh"}).err, "primus-plan rules")) << "where they are listed";
  EXPECT_EQ(run_plan({"explain", "MG203", "nothing-so"}).out, "") << "all or nothing";
}

TEST(Explain, UnknownKeysNameTheNearestOfEveryFramework) {
  // A slip of a name that neither framework has, but other tools do.
  for (const char* word : {"tensor_parallel_sze", "tensor_parallel_size", "tensor_paralel_size"}) {
    const ProcessResult result = run_plan({"explain", word});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.err,
                         "did you mean tensor_model_parallel_size, parallelism.tensor_parallel_degree, "
                         "ici_tensor_parallelism?"))
        << result.err;
  }
  EXPECT_TRUE(contains(run_plan({"explain", "local_batch_sizee"}).err, "training.local_batch_size"));
  EXPECT_TRUE(contains(run_plan({"explain", "seq_lenght"}).err, "seq_length"));
}

TEST(Explain, AsJson) {
  const json page = json::parse(run_plan({"explain", "MG203", "--format", "json"}).out);
  EXPECT_EQ(page["id"], "MG203");
  EXPECT_EQ(page["bad"]["world_size"], 16);
  EXPECT_TRUE(contains(page["message"].get<std::string>(), "global_batch_size 100"));
  EXPECT_EQ(page["help"][0], "nearest legal values: 96, 128");
}

TEST(Explain, EveryRuleHasAWholePage) {
  const json pages = json::parse(run_plan({"rules", "--full", "--format", "json"}).out);
  EXPECT_EQ(pages.size(), all_rules().size());
  for (const json& page : pages) {
    EXPECT_TRUE(page.contains("message")) << page["id"] << ": its bad example does not fire it";
    EXPECT_FALSE(page["owner"].get<std::string>().empty()) << page["id"];
    EXPECT_FALSE(page["explanation"].empty()) << page["id"];
  }
}

TEST(Rules, TableHasALineForEach) {
  const ProcessResult result = run_plan({"rules"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(count_lines(result.out), all_rules().size());
  EXPECT_TRUE(contains(result.out, "MG203  error    global-batch-not-divisible "));
  const ProcessResult table = run_plan({"rules", "--format", "markdown"});
  EXPECT_EQ(count_lines(table.out), all_rules().size() + 2);
}

TEST(Rules, AreFiltered) {
  const auto ids = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"rules", "--format", "json"});
    return json::parse(run_plan(arguments).out);
  };
  const json megatron = ids({"MG2"});
  EXPECT_GT(megatron.size(), 3U);
  for (const json& rule : megatron) EXPECT_TRUE(rule["id"].get<std::string>().starts_with("MG2"));
  EXPECT_EQ(ids({"mg2"}), megatron);
  EXPECT_EQ(ids({"maxtext"}), ids({"MX"}));
  for (const json& rule : ids({"--severity", "note"})) EXPECT_EQ(rule["severity"], "note");
  EXPECT_EQ(ids({"MG203", "MG201"}).size(), 2U);
  const ProcessResult none = run_plan({"rules", "ZZ"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(contains(none.err, "no rules begin with ZZ")) << none.err;
}

}  // namespace
}  // namespace primus_plan::test
