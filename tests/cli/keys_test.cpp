// keys, as a user runs it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(KeysCommand, ListsWhatAPatternFits) {
  const ProcessResult result = run_plan({"keys", "--backend", "torchtitan", "parallelism.*_degree"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "parallelism.tensor_parallel_degree")) << result.out;
  EXPECT_TRUE(contains(result.out, "Ranks that split each layer's matrices between them (TP).")) << result.out;
  EXPECT_FALSE(contains(result.out, "tensor_model_parallel_size")) << result.out;
}

TEST(KeysCommand, GivesJsonAndMarkdown) {
  const json keys = json::parse(run_plan({"keys", "--format", "json", "lr_decay_style"}).out);
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys.at(0).at("choices").at(0), "constant");
  EXPECT_TRUE(
      contains(run_plan({"keys", "--format", "markdown", "lr_decay_style"}).out, "| `lr_decay_style` | Megatron-LM |"));
}

TEST(KeysCommand, NamesTheNearestWhenThereIsNone) {
  const ProcessResult result = run_plan({"keys", "tensor_model_parallel_sze"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result.err, "did you mean tensor_model_parallel_size")) << result.err;
}

}  // namespace
}  // namespace primus_plan::test
