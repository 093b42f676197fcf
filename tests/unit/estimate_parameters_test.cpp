// Parameters of the built-in presets against the published sizes of the models.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/files.h"
#include "primus_plan/estimate/parameters.h"
#include "support/loaded_run.h"

namespace primus_plan {
namespace {

std::shared_ptr<const Workload> workload_of(const std::string& preset, const std::string& overrides = "") {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  const std::string text = fmt::format(
      "work_group: team\nuser_name: user\nexp_name: size\nworkspace: ./output\nmodules:\n  pre_trainer:\n"
      "    framework: megatron\n    config: pre_trainer.yaml\n    model: {}.yaml\n    overrides:\n"
      "      micro_batch_size: 1\n      global_batch_size: 1024\n{}",
      preset, overrides);
  const LoadResult loaded = loader.load_text("exp.yaml", text, {});
  if (loaded.experiments.empty()) return nullptr;
  const AnalyzeOptions options{.with_text = false, .with_workload = true};
  return analyze(loaded.experiments[0], Launch(), environment, options).at(0).workload;
}

struct Published {
  const char* preset;
  double total;          ///< billions, without MTP layers
  double active;         ///< billions that a token uses; equal for dense models
  double within = 0.01;  ///< published numbers are rounded
  bool ties = false;     ///< the published model ties its embeddings, the preset does not
};

void PrintTo(const Published& p, std::ostream* out) { *out << p.preset; }

class PublishedSize : public testing::TestWithParam<Published> {};

double without_mtp(const Parameters& p) { return p.total() - p[ParameterPart::mtp] - p[ParameterPart::mtp_experts]; }

TEST_P(PublishedSize, IsMet) {
  const Published& published = GetParam();
  const auto workload = workload_of(published.preset);
  ASSERT_NE(workload, nullptr);
  EXPECT_TRUE(workload->unknown.empty());
  ModelShape model = workload->model;
  if (published.ties) model.tied_embeddings = true;
  EXPECT_NEAR(without_mtp(model_parameters(model)) / 1e9 / published.total, 1, published.within);
  EXPECT_NEAR(without_mtp(active_parameters(model)) / 1e9 / published.active, 1, published.within);
}

// Sources: the models' papers, cards and parameter counts of their published checkpoints. Round numbers are as
// published.
constexpr Published published_sizes[] = {
    {"llama2_7B", 6.738, 6.738, 0.001},
    {"llama2_13B", 13.016, 13.016, 0.001},
    {"llama2_70B", 68.977, 68.977, 0.001},
    {"llama3_8B", 8.030, 8.030, 0.001},
    {"llama3_70B", 70.554, 70.554, 0.001},
    {"llama3.1_8B", 8.030, 8.030, 0.001},
    {"llama3.1_405B", 405.853, 405.853, 0.001},
    {"llama3.2_1B", 1.236, 1.236, 0.001, true},
    {"llama3.2_3B", 3.213, 3.213, 0.001, true},
    {"llama4_17B16E", 109, 17, 0.02},
    {"llama4_17B128E", 400, 17, 0.02},
    {"qwen2.5_3B", 3.086, 3.086, 0.001, true},
    {"qwen2.5_7B", 7.616, 7.616, 0.001},
    {"qwen2.5_14B", 14.770, 14.770, 0.001},
    {"qwen2.5_32B", 32.764, 32.764, 0.001},
    {"qwen2.5_72B", 72.706, 72.706, 0.001},
    {"qwen3_8B", 8.191, 8.191, 0.001},
    {"qwen3_14B", 14.768, 14.768, 0.001},
    {"qwen3_30B_A3B", 30.532, 3.35, 0.002},
    {"qwen3_235B_A22B", 235.094, 22.19, 0.002},
    {"qwen3_5_35B_A3B", 35, 3.4, 0.02},
    {"mixtral_8x7B_v0.1", 46.703, 12.880, 0.001},
    {"mixtral_8x22B_v0.1", 140.630, 39.15, 0.001},
    {"deepseek_v2", 235.741, 21.4, 0.002},
    {"deepseek_v2_lite", 15.706, 2.66, 0.002},
    {"deepseek_v3", 671.026, 37.5, 0.002},
    {"kimi_k2", 1026, 32.9, 0.002},
    {"glm4_7", 355, 33, 0.01},
    {"grok1", 314, 83, 0.01},
    {"minimax_m2.5", 228.7, 11, 0.01},
    {"mamba_370M", 0.368, 0.368, 0.005},
    {"zebra_llama_300M_gdn_pure", 0.309, 0.309, 0.01},
};

INSTANTIATE_TEST_SUITE_P(Models, PublishedSize, testing::ValuesIn(published_sizes));

/// The same model in each framework. Source of the count: kv_norm = RMSNorm(kv_lora_rank), and with a q_lora_rank also
/// q_norm = RMSNorm(q_lora_rank), in every layer of all three.
TEST(EstimateParameters, LatentsAreNormedInEveryFramework) {
  const auto attention_of = [](const std::string& framework, const std::string& model) {
    const test::LoadedRun run(test::experiment_text(framework, model, ""), 64);
    return model_parameters(run.analysis().workload->model)[ParameterPart::attention];
  };
  // Without a rank of queries: 27 layers of hidden 2048, 16 heads of 128 + 64 and 128, kv rank 512.
  const double lite = 27 * (2048.0 * 16 * 192 + 2048 * (512 + 64) + 512.0 * 16 * 256 + 16 * 128 * 2048.0 + 512);
  EXPECT_EQ(attention_of("megatron", "deepseek_v2_lite"), lite);
  EXPECT_EQ(attention_of("torchtitan", "deepseek_v3_16b"), lite);
  EXPECT_EQ(attention_of("maxtext", "deepseek_v2_16B"), lite);
  // With one: 61 layers of hidden 7168, 128 heads, ranks 1536 and 512.
  const double large = 61 * (7168.0 * 1536 + 1536.0 * 128 * 192 + 7168 * (512 + 64) + 512.0 * 128 * 256 +
                             128 * 128 * 7168.0 + 1536 + 512);
  EXPECT_EQ(attention_of("megatron", "deepseek_v3"), large);
  EXPECT_EQ(attention_of("torchtitan", "deepseek_v3_671b"), large);
}

TEST(EstimateParameters, MtpIsCountedByItself) {
  // The DeepSeek-V3 report: 14 B in the MTP module, of which the shared embedding and output are 2 x 0.93 B here.
  const Parameters p = model_parameters(workload_of("deepseek_v3")->model);
  EXPECT_NEAR((p[ParameterPart::mtp] + p[ParameterPart::mtp_experts]) / 1e9, 11.6, 0.1);
}

TEST(EstimateParameters, RanksHoldTheModel) {
  const auto whole = workload_of("llama3.1_70B");
  const auto split =
      workload_of("llama3.1_70B", "      tensor_model_parallel_size: 8\n      pipeline_model_parallel_size: 4\n");
  ASSERT_EQ(split->run.stages.size(), 4U);
  double sum = 0;
  for (std::size_t rank = 0; rank < 4; ++rank) sum += 8 * rank_parameters(*split, rank).total();
  // Norms are on every tensor-parallel rank; the vocabulary is padded to a multiple of 128 x 8.
  ModelShape model = whole->model;
  EXPECT_EQ(split->model.padded_vocabulary, 129024);
  model.vocabulary = split->model.padded_vocabulary;
  const double norms = (2 * 80 + 1) * 8192.0;
  EXPECT_NEAR(sum, model_parameters(model).total() + 7 * norms, 1);
}

TEST(EstimateParameters, TiedEmbeddingsAreOnBothEndsOfAPipeline) {
  const std::string tied = "      untie_embeddings_and_output_weights: false\n";
  const auto one = workload_of("llama3.2_1B", tied);
  EXPECT_EQ(rank_parameters(*one, 0)[ParameterPart::output], 0);
  const auto two = workload_of("llama3.2_1B", tied + "      pipeline_model_parallel_size: 2\n");
  EXPECT_EQ(rank_parameters(*two, 0)[ParameterPart::embedding], 128256.0 * 2048);
  EXPECT_EQ(rank_parameters(*two, 1)[ParameterPart::output], 128256.0 * 2048);
}

TEST(EstimateParameters, TheVocabularyIsPadded) {
  const auto workload = workload_of("deepseek_v2_lite", "      vocab_size: 100002\n");
  EXPECT_EQ(workload->model.vocabulary, 100002);
  EXPECT_EQ(workload->model.padded_vocabulary, 100096);
}

TEST(EstimateParameters, ExpertsAreSplitByTheirOwnDegrees) {
  const auto one = workload_of("qwen3_30B_A3B");
  const auto split = workload_of("qwen3_30B_A3B", "      expert_model_parallel_size: 8\n");
  EXPECT_NEAR(rank_parameters(*split, 0).expert() * 8, rank_parameters(*one, 0).expert(), 1);
  EXPECT_EQ(rank_parameters(*split, 0).dense(), rank_parameters(*one, 0).dense());
}

TEST(EstimateParameters, HybridModelsFollowTheirPattern) {
  const auto workload =
      workload_of("zebra_llama_300M_gdn_hybrid", "      spec: [primus.hybrid, gdn_hybrid_stack_spec]\n");
  std::int64_t attention = 0;
  std::int64_t linear = 0;
  for (const LayerKind& kind : workload->model.kinds) {
    if (kind.mixer == Mixer::latent_attention) attention += kind.count;
    if (kind.mixer == Mixer::gated_delta) linear += kind.count;
  }
  EXPECT_EQ(attention, 3);
  EXPECT_EQ(linear, 9);
}

}  // namespace
}  // namespace primus_plan
