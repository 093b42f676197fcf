// The first choice of degrees, and the experiment that is written from it.
#include "primus_plan/planner/first_guess.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/planner/new_experiment.h"

namespace primus_plan {
namespace {

/// About Llama 3.1 70B.
ModelSize seventy_billion() {
  ModelSize size;
  size.layers = 80;
  size.hidden = 8192;
  size.heads = 64;
  size.kv_heads = 8;
  size.ffn = 28672;
  size.vocabulary = 128256;
  size.dense_parameters = 70.6e9;
  return size;
}

GuessTask task_of(std::int64_t gpus, double gigabytes) {
  GuessTask task;
  task.model = seventy_billion();
  task.gpus = gpus;
  task.memory_bytes = gigabytes * 1e9;
  return task;
}

TEST(FirstGuess, TakesTheLeastSplitThatFits) {
  const auto guesses = first_guesses(task_of(64, 192));
  ASSERT_FALSE(guesses.empty());
  const FirstGuess& first = guesses.front();
  EXPECT_TRUE(first.fits);
  EXPECT_LE(first.tensor, 8);
  EXPECT_EQ(first.tensor * first.pipeline * first.context * first.data, 64);
  for (const FirstGuess& guess : guesses) {
    const bool whole = guess.tensor * guess.pipeline == 1;  // 423 GB of weights and gradients on one GPU
    EXPECT_FALSE(whole && guess.fits);
  }
}

TEST(FirstGuess, BytesFallWithTensorParallelAndRiseWithoutRecompute) {
  GuessTask task = task_of(64, 1e6);  // everything fits
  const auto guesses = first_guesses(task);
  const auto find = [&](std::int64_t tensor, bool recompute) {
    return std::ranges::find_if(guesses, [&](const FirstGuess& g) {
      return g.tensor == tensor && g.pipeline == 1 && g.recompute == recompute;
    });
  };
  EXPECT_GT(find(1, true)->bytes, find(8, true)->bytes);
  EXPECT_GT(find(8, false)->bytes, find(8, true)->bytes);
}

TEST(FirstGuess, FillsThePipeline) {
  for (const FirstGuess& guess : first_guesses(task_of(64, 192))) {
    EXPECT_EQ(guess.global_batch % (guess.data * guess.micro_batch), 0);
    const std::int64_t least = guess.pipeline > 1 ? 4 * guess.pipeline : 1;
    EXPECT_GE(guess.global_batch / (guess.data * guess.micro_batch), least);
  }
}

TEST(FirstGuess, SplitsLongSamplesOnly) {
  GuessTask task = task_of(64, 1e6);
  EXPECT_EQ(first_guesses(task).front().context, 1);
  task.sequence_length = 131'072;
  EXPECT_EQ(first_guesses(task).front().context, 8);
}

TEST(FirstGuess, SaysWhatNothingFits) {
  const auto guesses = first_guesses(task_of(1, 192));
  ASSERT_FALSE(guesses.empty());
  EXPECT_FALSE(guesses.front().fits);
}

TEST(FirstGuess, SplitsWithinANodeOnlyWhereItsMeshDoes) {
  GuessTask task = task_of(64, 1e6);
  task.model.experts = 64;
  task.model.expert_parameters = 1e9;
  task.state = StateLayout::weight_shards;
  task.sequence_length = 65'536;
  task.splits_within_node = true;
  const auto guesses = first_guesses(task);
  ASSERT_FALSE(guesses.empty());
  for (const FirstGuess& guess : guesses) EXPECT_EQ(8 % (guess.tensor * guess.context * guess.expert), 0);
}

struct Wanted {
  const char* framework;
  const char* model;
  std::int64_t gpus;
};

class NewExperiments : public testing::TestWithParam<Wanted> {};

TEST_P(NewExperiments, PassCheck) {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, environment);
  NewExperimentRequest request;
  request.hardware = find_hardware("MI300X", files);
  request.gpus = GetParam().gpus;
  for (ListedModel& model : list_models(loader, std::nullopt, GetParam().framework)) {
    if (model.name() == GetParam().model) request.model = std::move(model);
  }
  ASSERT_GT(request.model.size.layers, 0) << GetParam().model;
  const NewExperiment made = make_experiment(request, loader, {});
  ASSERT_FALSE(made.text.empty()) << made.reason;
  const LoadResult loaded = loader.load_text("made.yaml", made.text, {});
  ASSERT_EQ(loaded.experiments.size(), 1U);
  const Launch launch = find_launch({}, environment, loaded.experiments.front());
  EXPECT_EQ(launch.world_size, GetParam().gpus);
  for (const Analysis& analysis : analyze(loaded.experiments.front(), launch, environment, {})) {
    EXPECT_EQ(analysis.verdict, Verdict::ok) << made.text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, NewExperiments,
                         testing::Values(Wanted{"megatron", "llama3.2_1B", 1}, Wanted{"megatron", "llama3.1_70B", 64},
                                         Wanted{"megatron", "qwen3_235B_A22B", 64},
                                         Wanted{"megatron", "deepseek_v3", 1024},
                                         Wanted{"torchtitan", "llama3.1_70B", 16},
                                         Wanted{"torchtitan", "deepseek_v3_671b", 1024},
                                         Wanted{"maxtext", "llama3.3_70B", 64}, Wanted{"maxtext", "mixtral_8x7B", 8}));

struct Published {
  const char* framework;
  const char* model;
  double billions;
};

class ModelSizes : public testing::TestWithParam<Published> {};

/// Published counts of parameters, to a percent.
TEST_P(ModelSizes, AreThePublishedOnes) {
  const MemoryFiles files;
  const Loader loader(files, Environment());
  bool found = false;
  for (const ListedModel& model : list_models(loader, std::nullopt, GetParam().framework)) {
    if (model.name() != GetParam().model) continue;
    found = true;
    EXPECT_NEAR(model.size.parameters_without_prediction() / 1e9, GetParam().billions, 0.01 * GetParam().billions)
        << model.name();
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(
    All, ModelSizes,
    testing::Values(Published{"megatron", "llama2_7B", 6.74}, Published{"megatron", "llama3.1_8B", 8.03},
                    Published{"megatron", "llama3.1_70B", 70.6}, Published{"megatron", "llama3.1_405B", 405.9},
                    Published{"megatron", "mixtral_8x7B_v0.1", 46.7}, Published{"megatron", "qwen2.5_7B", 7.62},
                    Published{"megatron", "qwen3_30B_A3B", 30.5}, Published{"megatron", "qwen3_235B_A22B", 235.1},
                    Published{"megatron", "deepseek_v2_lite", 15.7}, Published{"megatron", "deepseek_v3", 671.0},
                    Published{"torchtitan", "llama3.1_8B", 8.03}, Published{"torchtitan", "qwen3_0.6b", 0.596},
                    Published{"torchtitan", "deepseek_v3_671b", 671.0},
                    Published{"torchtitan", "llama4_17Bx16E", 107.8}, Published{"maxtext", "llama3_8B", 8.03},
                    Published{"maxtext", "mixtral_8x22B", 140.6}, Published{"maxtext", "deepseek_v2_16B", 15.7}));

/// Every matrix, bias, norm and router counts: numbers of the checkpoints' own files.
TEST(ModelSizes, AreExact) {
  struct Exact {
    const char* framework;
    const char* model;
    double parameters;
  };
  constexpr Exact exact[] = {{"megatron", "llama3.1_8B", 8'030'261'248},
                             {"megatron", "mixtral_8x7B_v0.1", 46'702'792'704},
                             {"megatron", "qwen3_235B_A22B", 235'093'634'560},
                             {"maxtext", "llama3_8B", 8'030'261'248}};
  const MemoryFiles files;
  const Loader loader(files, Environment());
  for (const Exact& one : exact) {
    double counted = 0;
    for (const ListedModel& model : list_models(loader, std::nullopt, one.framework)) {
      if (model.name() == one.model) counted = model.size.parameters();
    }
    EXPECT_EQ(counted, one.parameters) << one.model;
  }
}

TEST(ModelSizes, AVocabularyThatIsNotKnownIsLeftOut) {
  ModelShape shape{.layers = 2, .hidden = 64, .heads = 4, .kv_heads = 4, .head_width = 16};
  shape.value_width = 16;
  shape.kinds = {{.count = 2, .feed_forward = FeedForward::none}};
  NewExperimentRequest request;
  request.model = {.framework = "megatron", .preset = "own.yaml", .shape = shape, .size = size_of(shape)};
  EXPECT_LT(request.model.size.parameters(), 100'000);
  EXPECT_GT(guess_task(request).model.parameters(), 64 * 100'000) << "a rough count needs some";
}

TEST(FirstGuess, SharedStatesHaveTheBytesOfTheFramework) {
  NewExperimentRequest request;
  request.model.size = seventy_billion();
  request.model.framework = "torchtitan";
  EXPECT_EQ(guess_task(request).shared_bytes_of_parameter, 16);
  request.model.framework = "maxtext";  // bfloat16 weights, moments and gradients
  EXPECT_EQ(guess_task(request).shared_bytes_of_parameter, 8);
}

}  // namespace
}  // namespace primus_plan
