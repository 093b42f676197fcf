// Random joint configurations: the verdict of the framework's own code, the numbers, and what deserves a warning.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "support/oracle.h"
#include "torchtitan_case.h"

namespace primus_plan::torchtitan {
namespace {

using nlohmann::json;

constexpr const char* oracle_file = "torchtitan_random.json";

const std::map<std::string, std::string> warnings_for{
    {"cp_with_turbo_attention", "turbo-attention-with-context-parallel"},
    {"mixed_precision_off", "mixed-precision-off"},
    {"negative_global_batch_size", "global-batch-negative"},
    {"pipeline_keys_ignored", "pipeline-keys-without-pipeline"},
    {"unknown_key_ignored", "torchtitan-key-unknown"},
    {"ep_on_dense_model", "expert-parallel-on-dense-model"},
    {"stage_without_layers", "stage-without-layers"}};

std::set<std::string> names_at(const Analysis& analysis, Severity severity) {
  std::set<std::string> out;
  for (const Finding& finding : analysis.findings) {
    if (finding.severity == severity) out.emplace(finding.rule->name);
  }
  return out;
}

/// Layers of each virtual stage, in the order of the stages.
std::vector<std::int64_t> layers_of(const RunDescription& run) {
  std::vector<StageChunk> chunks;
  for (const auto& rank : run.stages) chunks.insert(chunks.end(), rank.begin(), rank.end());
  std::stable_sort(chunks.begin(), chunks.end(), [](const StageChunk& a, const StageChunk& b) {
    if (a.loss != b.loss) return b.loss;
    return a.first_layer != b.first_layer ? a.first_layer < b.first_layer : a.layers < b.layers;
  });
  std::vector<std::int64_t> out;
  for (const StageChunk& chunk : chunks) out.push_back(chunk.layers);
  return out;
}

void compare_numbers(const json& derived, const Analysis& analysis) {
  EXPECT_EQ(analysis.run.degrees.data_shard, derived.at("dp_shard"));
  EXPECT_EQ(analysis.run.degrees.data, derived.at("batch_degree"));
  EXPECT_EQ(analysis.run.batch.global, derived.at("global_batch_size"));
  EXPECT_EQ(analysis.run.batch.accumulation_steps, derived.at("gradient_accumulation_steps"));
  EXPECT_EQ(effective_number(analysis, "seq_len_divisor"), derived.at("seq_len_divisor"));
  EXPECT_EQ(effective_number(analysis, "n_layers"), derived.at("n_layers"));
  if (!derived.contains("num_virtual_stages")) return;
  EXPECT_EQ(effective_number(analysis, "num_virtual_stages"), derived.at("num_virtual_stages"));
  EXPECT_EQ(effective_number(analysis, "stages_per_rank"), derived.at("stages_per_rank"));
  EXPECT_EQ(effective_number(analysis, "n_microbatches"), derived.at("n_microbatches"));
  EXPECT_EQ(json(layers_of(analysis.run)), derived.at("layers_per_stage"));
}

TEST(TorchTitanRandom, VerdictsNumbersAndWarnings) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  for (const json& one : oracle->at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const Case run(one.at("model"), one.at("overrides"));
    const Analysis analysis = run.decide(one.at("world"));
    const auto errors = names_at(analysis, Severity::error);
    EXPECT_EQ(errors.empty(), one.at("error").is_null()) << one.at("error") << json(errors);
    if (!one.at("error").is_null()) continue;
    compare_numbers(one.at("derived"), analysis);
    const auto warnings = names_at(analysis, Severity::warning);
    for (const json& note : one.at("notes")) EXPECT_TRUE(warnings.contains(warnings_for.at(note))) << note;
  }
}

}  // namespace
}  // namespace primus_plan::torchtitan
