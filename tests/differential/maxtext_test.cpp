// MaxText's own numbers: filling of axes, whole meshes, batch sizes, the shipped examples.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backends/maxtext/mesh.h"
#include "maxtext_case.h"
#include "support/oracle.h"
#include "support/paths.h"
#include "support/sha256.h"

namespace primus_plan::maxtext {
namespace {

using nlohmann::json;

constexpr const char* oracle_file = "maxtext.json";

/// Runs `check` on each case of a kind; skips without the oracle.
template <class Check>
std::size_t for_each(std::string_view kind, Check&& check) {
  const auto oracle = testing::load_oracle(oracle_file);
  std::size_t count = 0;
  if (!oracle) return count;
  for (const json& each : oracle->at("cases")) {
    if (each.at("kind") != kind) continue;
    SCOPED_TRACE(each.at("name").get<std::string>());
    check(each);
    ++count;
  }
  return count;
}

bool stops_before_training(const Analysis& analysis) {
  return std::any_of(analysis.findings.begin(), analysis.findings.end(), [](const Finding& finding) {
    const Stage stage = finding.rule->stage;
    return finding.severity == Severity::error && (stage == Stage::arguments || stage == Stage::model_parallel);
  });
}

void compare_config(const json& config, const Analysis& analysis) {
  for (const char* key : {"num_target_devices",
                          "num_slices",
                          "micro_batch_size_to_train_on",
                          "global_batch_size_to_load",
                          "global_batch_size_to_train_on",
                          "global_batch_size_to_load_eval",
                          "global_batch_size_to_eval_on",
                          "using_pipeline_parallelism",
                          "num_pipeline_repeats",
                          "num_pipeline_microbatches",
                          "num_layers_per_pipeline_stage",
                          "emb_dim",
                          "num_query_heads",
                          "num_kv_heads",
                          "mlp_dim",
                          "num_decoder_layers",
                          "num_experts",
                          "max_target_length",
                          "steps",
                          "gradient_accumulation_steps"}) {
    EXPECT_EQ(effective(analysis, key), config.at(key)) << key;
  }
  EXPECT_EQ(analysis.run.batch.global, config.at("global_batch_size_to_train_on"));
  EXPECT_EQ(analysis.run.batch.accumulation_steps, config.at("gradient_accumulation_steps"));
}

/// Axes above 1 of a list in the order of mesh_axes.
json by_axis(const json& axes, const json& sizes) {
  json out = json::object();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (sizes.at(i) != 1) out[axes.at(i).get<std::string>()] = sizes.at(i);
  }
  return out;
}

void compare_mesh(const json& out, const Analysis& analysis, const RankLayout& layout) {
  const json& axes = out.at("mesh_axes");
  EXPECT_EQ(effective(analysis, "mesh_axes"), axes);
  EXPECT_EQ(effective(analysis, "ici_resolved"), by_axis(axes, out.at("ici_resolved")));
  if (!out.at("dcn_resolved").is_null()) {
    EXPECT_EQ(effective(analysis, "dcn_resolved"), by_axis(axes, out.at("dcn_resolved")));
  }
  EXPECT_EQ(effective(analysis, "mesh_shape"), out.at("mesh_by_axis"));
  const auto devices = devices_in_mesh_order(layout, axes.get<std::vector<std::string>>());
  std::string list;
  for (const std::int64_t device : devices) list += (list.empty() ? "[" : ",") + std::to_string(device);
  EXPECT_EQ(sha256(list + "]"), out.at("mesh_sha256"));
}

void compare_case(const json& each, const Case& subject) {
  const std::int64_t devices = each.at("in").at("devices");
  const std::int64_t slices = each.at("in").at("slices");
  const Analysis analysis = subject.decide(devices, slices);
  EXPECT_EQ(stops_before_training(analysis), !each.at("error").is_null());
  if (!each.at("error").is_null()) return;
  compare_config(each.at("out").at("config"), analysis);
  compare_mesh(each.at("out"), analysis, subject.layout(devices, slices));
}

json over_defaults(const json& overrides) {
  json keys = {{"hardware", "gpu"}, {"attention", "dot_product"}, {"enable_checkpointing", false}};
  keys.update(overrides);
  return keys;
}

TEST(MaxTextFill, EveryList) {
  const std::size_t count = for_each("fill", [](const json& each) {
    auto values = each.at("in").at("vals").get<std::vector<Int>>();
    const FillResult result = fill(values, each.at("in").at("target").get<Int>());
    EXPECT_EQ(result.fault == FillFault::none, each.at("error").is_null());
    if (!each.at("error").is_null()) return;
    EXPECT_EQ(values, each.at("out").get<std::vector<Int>>());
  });
  if (count == 0) GTEST_SKIP() << testing::missing_oracle(oracle_file);
}

TEST(MaxTextMesh, EveryMesh) {
  const std::size_t count = for_each(
      "mesh", [](const json& each) { compare_case(each, Case::bare(over_defaults(each.at("in").at("overrides")))); });
  if (count == 0) GTEST_SKIP() << testing::missing_oracle(oracle_file);
}

TEST(MaxTextBatch, EveryBatch) {
  const std::size_t count = for_each(
      "batch", [](const json& each) { compare_case(each, Case::bare(over_defaults(each.at("in").at("overrides")))); });
  if (count == 0) GTEST_SKIP() << testing::missing_oracle(oracle_file);
}

TEST(MaxTextExamples, EveryShippedExample) {
  const auto corpus = test::corpus_dir() / "primus";
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "no corpus at " << corpus << " (set PRIMUS_PLAN_CORPUS_DIR)";
  const std::size_t count = for_each("example", [&](const json& each) {
    const std::string config = each.at("in").at("config");
    compare_case(each, Case::file((corpus / config).string(), corpus.string()));
  });
  if (count == 0) GTEST_SKIP() << testing::missing_oracle(oracle_file);
}

}  // namespace
}  // namespace primus_plan::maxtext
