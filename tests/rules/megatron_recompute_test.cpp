// The finer conditions of the recompute, offload, precision, CUDA graph and checkpoint rules, beyond their examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// What these keys give over the built-in presets on 8 GPUs, without advice.
std::set<std::string> rules_of(const std::string& keys, const Environment& environment = {}) {
  const MemoryFiles files;
  const Loader loader(files, environment);
  const LoadResult loaded = loader.load_text("case.yaml", "num_layers: 24\n" + keys, {});
  std::set<std::string> out;
  for (const Finding& error : loaded.errors) out.emplace(error.rule->id);
  for (const Experiment& experiment : loaded.experiments) {
    const Launch launch =
        find_launch({.world_size = 8, .nodes = {}, .gpus_per_node = {}}, environment, experiment.pragma);
    for (const Analysis& analysis : analyze(experiment, launch, environment, {})) {
      for (const Finding& finding : analysis.findings) {
        if (finding.rule->stage != Stage::advice) out.emplace(finding.rule->id);
      }
    }
  }
  return out;
}

constexpr const char* full = "recompute_granularity: full\nrecompute_method: ";
constexpr const char* experts = "num_experts: 8\nmoe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: true\n";

TEST(MegatronRecompute, UniformMustDivideEveryChunk) {
  const std::string uniform = std::string(full) + "uniform\nrecompute_num_layers: ";
  EXPECT_THAT(rules_of(uniform + "4\npipeline_model_parallel_size: 2\n"), IsEmpty());
  EXPECT_THAT(rules_of(uniform + "8\npipeline_model_parallel_size: 2\n"), ElementsAre("MG709"));
  // 24 layers on 2 ranks in 2 chunks each: 6 a chunk.
  const std::string interleaved = "\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n";
  EXPECT_FALSE(rules_of(uniform + "3" + interleaved).contains("MG709"));
  EXPECT_TRUE(rules_of(uniform + "4" + interleaved).contains("MG709"));
}

TEST(MegatronRecompute, BlockCountsTheLayersOfAChunk) {
  const std::string block = std::string(full) + "block\nrecompute_num_layers: ";
  EXPECT_THAT(rules_of(block + "12\npipeline_model_parallel_size: 2\n"), IsEmpty());
  EXPECT_THAT(rules_of(block + "13\npipeline_model_parallel_size: 2\n"), ElementsAre("MG710"));
  EXPECT_THAT(rules_of(block + "24\npipeline_model_parallel_size: 2\n"), IsEmpty()) << "a way to say: all layers";
  EXPECT_THAT(rules_of(block + "0\n"), IsEmpty());
  EXPECT_THAT(rules_of(block + "-1\n"), ElementsAre("MG710"));
}

TEST(MegatronRecompute, GranularityIsCheckedBeforeMoeLayerRecomputeSetsIt) {
  // moe_layer_recompute turns selective recompute on after the checks of selective recompute have run.
  EXPECT_THAT(rules_of(std::string(experts) + "moe_layer_recompute: true\nrecompute_num_layers: 1\n"), IsEmpty());
  EXPECT_THAT(rules_of(std::string(experts) + "moe_layer_recompute: true\ncpu_offloading_num_layers: 4\n"), IsEmpty());
}

TEST(MegatronRecompute, ModulesAreAList) {
  const std::string selective = "recompute_granularity: selective\nrecompute_modules: ";
  EXPECT_THAT(rules_of(selective + "core_attn\n"), ElementsAre("MG713"));
  EXPECT_THAT(rules_of(selective + "[]\n"), IsEmpty());
  EXPECT_THAT(rules_of("recompute_modules: [attn]\n"), IsEmpty()) << "ignored unless selective";
}

TEST(MegatronRecompute, DistributedActivationsWithSequenceParallel) {
  const std::string keys = std::string(full) + "block\nrecompute_num_layers: 4\ndistribute_saved_activations: true\n";
  EXPECT_THAT(rules_of(keys), ElementsAre("MG711"));
  EXPECT_THAT(rules_of(keys + "tensor_model_parallel_size: 2\n"), ElementsAre("MG712"));
  EXPECT_THAT(rules_of(keys + "tensor_model_parallel_size: 2\nsequence_parallel: false\n"), IsEmpty());
}

TEST(MegatronRecompute, LayerIdsTakeWhatPythonTakes) {
  const std::string ids = "recompute_granularity: full\nrecompute_layer_ids: ";
  for (const char* legal : {"\"0, 3,,5\"", "\" 1_0 \"", "[\"2\", 3.9, true]", "[1, 1]", "\"+4\""}) {
    EXPECT_THAT(rules_of(ids + legal + "\n"), IsEmpty()) << legal;
  }
  for (const char* illegal : {"\"0-3\"", "\"\"", "[]", "5", "\"1__0\"", "\"a\"", "[null]"}) {
    EXPECT_THAT(rules_of(ids + illegal + "\n"), ElementsAre("MG780")) << illegal;
  }
  EXPECT_THAT(rules_of(ids + "[-1]\n"), ElementsAre("MG781"));
  EXPECT_THAT(rules_of(ids + "[24]\nmtp_num_layers: 1\n"), IsEmpty()) << "the multi-token-prediction layer";
  EXPECT_THAT(rules_of(ids + "[25]\nmtp_num_layers: 1\n"), ElementsAre("MG781"));
  EXPECT_THAT(rules_of("recompute_layer_ids: [0]\n"), ElementsAre("MG782"));
}

TEST(MegatronRecompute, LayerIdsHideFullRecomputeFromGraphs) {
  const std::string graphs = "cuda_graph_impl: transformer_engine\nrecompute_granularity: full\n";
  EXPECT_THAT(rules_of(graphs + "recompute_layer_ids: [0]\n"), ElementsAre("MG784"));
  EXPECT_THAT(rules_of(graphs + "recompute_method: block\nrecompute_num_layers: 1\n"), ElementsAre("MG719"));
}

TEST(MegatronCudaGraphs, ScopesAreRead) {
  EXPECT_THAT(rules_of("cuda_graph_scope: [nothing]\n"), ElementsAre("MG752")) << "read even without graphs";
  EXPECT_THAT(rules_of("cuda_graph_scope: full\n"), IsEmpty());
  EXPECT_THAT(rules_of("cuda_graph_impl: transformer_engine\ncuda_graph_scope: \"attn,mlp\"\n"), IsEmpty());
  EXPECT_THAT(rules_of("cuda_graph_impl: transformer_engine\ncuda_graph_scope: [full, attn]\n"), ElementsAre("MG752"));
  EXPECT_THAT(rules_of("cuda_graph_impl: transformer_engine\ncuda_graph_scope: [full_iteration]\n"),
              ElementsAre("MG754"));
  EXPECT_THAT(rules_of("cuda_graph_impl: null\n"), ElementsAre("MG751"));
}

TEST(MegatronCudaGraphs, LocalGraphsTakeTheRouterWithItsPreprocessing) {
  const std::string preprocess = std::string(experts) + "cuda_graph_scope: [moe_preprocess]\ncuda_graph_impl: ";
  EXPECT_THAT(rules_of(preprocess + "local\n"), IsEmpty());
  EXPECT_THAT(rules_of(preprocess + "transformer_engine\n"), ElementsAre("MG754"));
}

TEST(MegatronCudaGraphs, NoDropoutInsideARecomputedGraph) {
  const std::string keys = "cuda_graph_impl: transformer_engine\nrecompute_granularity: selective\n";
  EXPECT_THAT(rules_of(keys + "attention_dropout: 0.1\n"), ElementsAre("MG719"));
  EXPECT_THAT(rules_of(keys + "attention_dropout: 0.0\n"), IsEmpty());
  EXPECT_THAT(rules_of(keys + "attention_dropout: 0.1\ncuda_graph_scope: [mlp]\n"), IsEmpty());
}

TEST(MegatronPrecision, LayersInBf16FitAStage) {
  const std::string keys =
      "fp8: hybrid\nfp8_recipe: tensorwise\nfirst_last_layers_bf16: true\n"
      "pipeline_model_parallel_size: 2\nnum_layers_at_start_in_bf16: ";
  EXPECT_THAT(rules_of(keys + "12\n"), IsEmpty());
  EXPECT_THAT(rules_of(keys + "13\n"), ElementsAre("MG738"));
}

TEST(MegatronRunModes, DeterminismLooksAtTheEnvironment) {
  const std::string keys = "deterministic_mode: true\nuse_flash_attn: false\n";
  Environment environment;
  environment.set("NVTE_ALLOW_NONDETERMINISTIC_ALGO", "0");
  environment.set("TORCH_COMPILE_DISABLE", "1");
  environment.set("ROCBLAS_DEFAULT_ATOMICS_MODE", "0");
  environment.set("PRIMUS_TURBO_AUTO_TUNE", "0");
  environment.set("PRIMUS_DETERMINISTIC", "1");
  EXPECT_THAT(rules_of(keys, environment), ElementsAre("MG755")) << "NCCL_ALGO is missing";
  environment.set("NCCL_ALGO", "Ring");
  EXPECT_THAT(rules_of(keys, environment), IsEmpty());
  EXPECT_THAT(rules_of(keys + "cross_entropy_loss_fusion: true\n", environment), ElementsAre("MG755"));
}

TEST(MegatronCheckpoints, LegacyModelsKnowOneFormat) {
  EXPECT_THAT(rules_of("use_legacy_models: true\nckpt_format: torch\n"), IsEmpty());
  EXPECT_THAT(rules_of("use_legacy_models: true\nckpt_format: torch\nmtp_num_layers: 1\n"
                       "position_embedding_type: rope\n"),
              ElementsAre("MG761"));
}

TEST(MegatronCheckpoints, AsyncSaveMattersForDistributedCheckpointsOnly) {
  EXPECT_THAT(rules_of("async_save: true\n"), ElementsAre("MG757"));
  EXPECT_THAT(rules_of("async_save: true\nckpt_format: torch\n"), IsEmpty());
}

}  // namespace
}  // namespace primus_plan
