// Random joint configurations: the verdict of MaxText's own code, the numbers, and what deserves a warning.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "maxtext_case.h"
#include "support/oracle.h"

namespace primus_plan::maxtext {
namespace {

using nlohmann::json;

constexpr const char* oracle_file = "maxtext_random.json";

const std::map<std::string, std::string> warnings_for{
    {"axis_without_effect", "axis-without-effect"},
    {"batch_truncated", "per-device-batch-truncated"},
    {"expert_axis_on_dense_model", "expert-axis-on-dense-model"},
    {"micro_batch_does_not_fill_batch_shards", "micro-batch-underfills-shards"},
    {"micro_batch_does_not_fill_batch_shards_explicit", "micro-batch-underfills-shards"},
    {"one_slice_over_nodes", "one-slice-over-nodes"},
    {"overridden_by_model_file", "overridden-by-model-file"},
    {"sparse_matmul_megablox_on_gpu", "megablox-on-gpu"}};

std::set<std::string> names_at(const Analysis& analysis, Severity severity) {
  std::set<std::string> out;
  for (const Finding& finding : analysis.findings) {
    if (finding.severity == severity) out.emplace(finding.rule->name);
  }
  return out;
}

/// Axes above 1 of a map of all axes.
json above_one(const json& sizes) {
  json out = json::object();
  for (const auto& [axis, size] : sizes.items()) {
    if (size != 1) out[axis] = size;
  }
  return out;
}

void compare_numbers(const json& derived, const Analysis& analysis) {
  for (const char* key :
       {"num_target_devices", "num_slices", "gradient_accumulation_steps", "micro_batch_size_to_train_on",
        "global_batch_size_to_load", "global_batch_size_to_train_on", "global_batch_size_to_load_eval",
        "global_batch_size_to_eval_on", "max_target_length", "num_decoder_layers", "num_query_heads", "num_kv_heads",
        "num_experts", "using_pipeline_parallelism", "pipeline_parallel_layers", "num_layers_per_pipeline_stage",
        "num_pipeline_repeats", "num_pipeline_microbatches", "mesh_axes"}) {
    EXPECT_EQ(effective(analysis, key), derived.at(key)) << key;
  }
  EXPECT_EQ(effective(analysis, "ici_resolved"), above_one(derived.at("ici_resolved")));
  if (!derived.at("dcn_resolved").is_null()) {
    EXPECT_EQ(effective(analysis, "dcn_resolved"), above_one(derived.at("dcn_resolved")));
  }
  EXPECT_EQ(analysis.run.degrees.context, derived.at("context_parallel_size"));
  if (derived.contains("num_stages")) {
    EXPECT_EQ(analysis.run.degrees.pipeline, derived.at("num_stages"));
  }
  const Degrees& degrees = analysis.run.degrees;
  EXPECT_EQ(degrees.tensor * degrees.pipeline * degrees.context * degrees.data, derived.at("num_target_devices"));
}

TEST(MaxTextRandom, EveryVerdictNumberAndWarning) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  for (const json& each : oracle->at("cases")) {
    SCOPED_TRACE(each.at("name").get<std::string>() + " " + each.at("overrides").dump());
    const Analysis analysis =
        Case::experiment(each.at("model"), each.at("overrides")).decide(each.at("devices"), each.at("slices"));
    const auto errors = names_at(analysis, Severity::error);
    EXPECT_EQ(errors.empty(), each.at("error").is_null()) << (errors.empty() ? "missed" : *errors.begin());
    if (!each.at("error").is_null()) continue;
    compare_numbers(each.at("derived"), analysis);
    const auto warnings = names_at(analysis, Severity::warning);
    for (const json& note : each.at("notes")) {
      const std::string& expected = warnings_for.at(note.get<std::string>());
      EXPECT_TRUE(warnings.contains(expected)) << expected;
    }
  }
}

/// The other way round: nothing is told where the oracle has no note. It notes keys behind a model file only for the
/// number of layers, so those may be told more often.
TEST(MaxTextRandom, NoWarningWithoutItsReason) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  for (const json& each : oracle->at("cases")) {
    if (!each.at("error").is_null()) continue;
    SCOPED_TRACE(each.at("name").get<std::string>() + " " + each.at("overrides").dump());
    std::set<std::string> reasons;
    reasons.insert("overridden-by-model-file");
    for (const json& note : each.at("notes")) reasons.insert(warnings_for.at(note.get<std::string>()));
    const Analysis analysis =
        Case::experiment(each.at("model"), each.at("overrides")).decide(each.at("devices"), each.at("slices"));
    for (const std::string& name : names_at(analysis, Severity::warning)) {
      const bool noted =
          std::any_of(warnings_for.begin(), warnings_for.end(), [&](const auto& pair) { return pair.second == name; });
      EXPECT_TRUE(!noted || reasons.contains(name)) << name;
    }
  }
}

}  // namespace
}  // namespace primus_plan::maxtext
