// Meshes, gradient accumulation and pipeline split, as TorchTitan's own code computed them.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "support/oracle.h"
#include "support/sha256.h"
#include "torchtitan_case.h"

namespace primus_plan::torchtitan {
namespace {

using nlohmann::json;

constexpr const char* oracle_file = "torchtitan.json";
constexpr const char* model = "llama3.1_8B.yaml";

/// The oracle's short names of degrees and ours.
const std::map<std::string, std::string> degree_keys{{"tp", "tensor_parallel_degree"},
                                                     {"pp", "pipeline_parallel_degree"},
                                                     {"cp", "context_parallel_degree"},
                                                     {"ep", "expert_parallel_degree"},
                                                     {"etp", "expert_tensor_parallel_degree"},
                                                     {"dp_shard", "data_parallel_shard_degree"},
                                                     {"dp_replicate", "data_parallel_replicate_degree"}};

json degrees_of(const json& in) {
  json out = json::object();
  for (const auto& [name, value] : in.items()) {
    if (name != "world") out[degree_keys.at(name)] = value;
  }
  return out;
}

bool has_error_below(const Analysis& analysis, Stage stage) {
  return std::any_of(analysis.findings.begin(), analysis.findings.end(), [&](const Finding& finding) {
    return finding.severity == Severity::error && finding.rule->stage <= stage;
  });
}

/// Calls `compare` for each case of a kind; says how many there were.
template <class Compare>
void for_each_case(const std::string& kind, Compare&& compare) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  std::size_t cases = 0;
  for (const json& one : oracle->at("cases")) {
    if (one.at("kind") != kind) continue;
    SCOPED_TRACE(one.at("name").get<std::string>());
    compare(one);
    ++cases;
  }
  EXPECT_GT(cases, 0U);
}

void compare_groups(const json& expected, const RankLayout& layout) {
  ASSERT_EQ(layout.groups.size(), expected.size());
  for (const GroupKind& kind : layout.groups) {
    const json& group = expected.at(kind.name());
    std::vector<std::vector<std::int64_t>> groups;
    for (std::int64_t index = 0; index < kind.count(); ++index) groups.push_back(kind.group(index));
    std::sort(groups.begin(), groups.end());
    EXPECT_EQ(kind.count(), group.at("count")) << kind.name();
    const std::string text = json(groups).dump();
    EXPECT_EQ(sha256(text), group.at("sha256")) << kind.name() << " " << text.substr(0, 200);
  }
}

TEST(TorchTitanOracle, MeshesAndTheirRankGroups) {
  for_each_case("dims", [](const json& one) {
    const json& in = one.at("in");
    const std::int64_t world = in.at("world");
    const Case run(model, {{"parallelism", degrees_of(in)}});
    const Analysis analysis = run.decide(world);
    ASSERT_EQ(has_error_below(analysis, Stage::model_parallel), !one.at("error").is_null()) << one.at("error");
    if (!one.at("error").is_null()) return;
    const json& out = one.at("out");
    const Degrees& degrees = analysis.run.degrees;
    EXPECT_EQ(degrees.data_shard, out.at("dp_shard"));
    EXPECT_EQ(degrees.data, out.at("mesh_sizes").at("batch"));
    EXPECT_EQ(degrees.expert_data, out.at("mesh_sizes").at("efsdp").get<std::int64_t>() *
                                       out.at("mesh_sizes").at("dp_replicate").get<std::int64_t>());
    EXPECT_EQ(effective_number(analysis, "seq_len_divisor"), out.at("seq_len_divisor"));
    const RankLayout layout = run.layout(world);
    for (const GroupKind& kind : layout.groups)
      EXPECT_EQ(kind.size(), out.at("mesh_sizes").at(kind.name())) << kind.name();
    compare_groups(out.at("groups"), layout);
  });
}

TEST(TorchTitanOracle, GradientAccumulation) {
  for_each_case("grad_accum", [](const json& one) {
    const json& in = one.at("in");
    const Case run(
        model,
        {{"parallelism", degrees_of(in.at("dims"))},
         {"training",
          {{"local_batch_size", in.at("local_batch_size")}, {"global_batch_size", in.at("global_batch_size")}}}});
    const Analysis analysis = run.decide(in.at("dims").at("world"));
    // The oracle ran the batch arithmetic alone. Before it the data loader refuses a float, after it range() does.
    const bool has_float = in.at("local_batch_size").is_number_float() || in.at("global_batch_size").is_number_float();
    const bool stops = has_float || !one.at("error").is_null();
    ASSERT_EQ(has_error_below(analysis, Stage::model_build), stops) << one.at("error");
    if (!one.at("error").is_null()) return;
    EXPECT_EQ(analysis.run.degrees.data, one.at("out").at("batch_degree"));
    EXPECT_EQ(analysis.run.batch.global, one.at("out").at("global_batch_size"));
    EXPECT_EQ(analysis.run.batch.accumulation_steps, one.at("out").at("gradient_accumulation_steps"));
  });
}

/// The modules of each virtual stage, in the order of the stages.
json modules_of(const RunDescription& run) {
  json out = json::array();
  const auto ranks = static_cast<std::int64_t>(run.stages.size());
  const std::int64_t stages = ranks * run.degrees.virtual_pipeline;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    const StageChunk& chunk =
        run.stages.at(static_cast<std::size_t>(stage % ranks)).at(static_cast<std::size_t>(stage / ranks));
    json modules = json::array();
    if (chunk.embedding) modules.push_back("tok_embeddings");
    for (std::int64_t layer = 0; layer < chunk.layers; ++layer)
      modules.push_back("layers." + std::to_string(chunk.first_layer + layer));
    if (chunk.loss) modules.insert(modules.end(), {"norm", "output"});
    out.push_back(modules);
  }
  return out;
}

TEST(TorchTitanOracle, StagesOfAPipeline) {
  for_each_case("pipeline", [](const json& one) {
    const json& in = one.at("in");
    const std::int64_t ranks = in.at("pp");
    const Case run(model, {{"model", {{"n_layers", in.at("n_layers")}}},
                           {"compile", {{"enable", false}}},
                           {"training", {{"local_batch_size", in.at("local")}}},
                           {"parallelism",
                            {{"pipeline_parallel_degree", in.at("pp")},
                             {"pipeline_parallel_schedule", in.at("sched")},
                             {"pipeline_parallel_layers_per_stage", in.at("lps")},
                             {"pipeline_parallel_first_stage_less_layers", in.at("first")},
                             {"pipeline_parallel_last_stage_less_layers", in.at("last")},
                             {"pipeline_parallel_microbatch_size", in.at("mb")}}}});
    const Analysis analysis = run.decide(ranks);
    if (ranks == 1) {  // a trainer does not call pipeline_llm then; the oracle did
      EXPECT_EQ(analysis.errors, 0U);
      EXPECT_EQ(effective_number(analysis, "num_virtual_stages"), 0);
      return;
    }
    ASSERT_EQ(analysis.errors > 0, !one.at("error").is_null()) << one.at("error");
    if (!one.at("error").is_null()) return;
    const json& out = one.at("out");
    EXPECT_EQ(effective_number(analysis, "num_virtual_stages"), out.at("num_virtual_stages"));
    EXPECT_EQ(analysis.run.degrees.virtual_pipeline, out.at("stages_per_rank"));
    EXPECT_EQ(analysis.run.batch.pipeline_micro_batches, out.at("n_microbatches"));
    EXPECT_EQ(modules_of(analysis.run), out.at("stages"));
  });
}

}  // namespace
}  // namespace primus_plan::torchtitan
