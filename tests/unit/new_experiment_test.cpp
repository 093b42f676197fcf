// What init writes passes check and fits, whatever the first guess was; what it offers, it can write.
#include "primus_plan/planner/new_experiment.h"

#include <gtest/gtest.h>

#include <string>

#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/estimate/estimate.h"
#include "support/whole_number.h"

namespace primus_plan {
namespace {

struct Asked {
  const char* framework;
  const char* model;
  const char* hardware;
  std::int64_t gpus;
  std::int64_t gpus_per_node = 8;
  std::int64_t sequence_length = 0;
};

class AskedExperiments : public testing::TestWithParam<Asked> {
 protected:
  NewExperimentRequest request() const {
    const Asked& asked = GetParam();
    NewExperimentRequest out;
    out.hardware = find_hardware(asked.hardware, files_);
    out.gpus = asked.gpus;
    out.gpus_per_node = asked.gpus_per_node;
    out.sequence_length = asked.sequence_length;
    for (ListedModel& model : list_models(loader_, std::nullopt, asked.framework)) {
      if (model.name() == asked.model) out.model = std::move(model);
    }
    return out;
  }

  NewExperiment make(const NewExperimentRequest& request) const { return make_experiment(request, loader_, {}); }

  /// Check passes, at the size that the text states, and memory suffices.
  void expect_sound(const std::string& text, const NewExperimentRequest& request) const {
    const LoadResult loaded = loader_.load_text("made.yaml", text, {});
    ASSERT_EQ(loaded.experiments.size(), 1U) << text;
    const Launch launch = find_launch({}, environment_, loaded.experiments.front());
    EXPECT_EQ(launch.world_size, request.gpus);
    AnalyzeOptions how;
    how.with_workload = true;
    for (const Analysis& analysis : analyze(loaded.experiments.front(), launch, environment_, how)) {
      EXPECT_EQ(analysis.errors, 0U) << text;
      if (request.sequence_length > 0) {
        EXPECT_EQ(analysis.run.batch.sequence_length, request.sequence_length);
      }
      ASSERT_NE(analysis.workload, nullptr);
      const MemoryEstimate memory = estimate_memory(*analysis.workload, memory_device(&request.hardware));
      EXPECT_NE(compare_with_hardware(memory, request.hardware.memory_bytes), Fit::does_not_fit) << text;
    }
  }

 private:
  MemoryFiles files_;
  Environment environment_;
  Loader loader_{files_, environment_};
};

using Written = AskedExperiments;

TEST_P(Written, PassesAndFits) {
  const NewExperimentRequest asked = request();
  ASSERT_GT(asked.model.size.layers, 0);
  const NewExperiment made = make(asked);
  ASSERT_FALSE(made.text.empty()) << made.reason;
  expect_sound(made.text, asked);
}

// Long samples, where context parallel needs other keys.
INSTANTIATE_TEST_SUITE_P(MaxTextContext, Written,
                         testing::Values(Asked{"maxtext", "llama3_8B", "MI300X", 8, 8, 32'768},
                                         Asked{"maxtext", "llama3_70B", "MI300X", 64, 8, 65'536},
                                         Asked{"maxtext", "mixtral_8x7B", "MI300X", 64, 8, 32'768},
                                         Asked{"maxtext", "deepseek_v2_16B", "MI300X", 16, 8, 65'536}));

// ... and models that have none.
INSTANTIATE_TEST_SUITE_P(WithoutContext, Written,
                         testing::Values(Asked{"torchtitan", "gpt_oss_20b", "MI300X", 8, 8, 32'768},
                                         Asked{"torchtitan", "deepseek_v3_671b", "MI325X", 128, 8, 32'768},
                                         Asked{"megatron", "qwen3_5_35B_A3B", "MI300X", 16, 8, 131'072}));

// What the rough count takes for too large.
INSTANTIATE_TEST_SUITE_P(Smaller, Written,
                         testing::Values(Asked{"maxtext", "deepseek_v2_16B", "MI300X", 1},
                                         Asked{"maxtext", "llama2_70B", "MI300X", 4},
                                         Asked{"maxtext", "qwen3_30B_A3B", "MI300X", 2},
                                         Asked{"maxtext", "mixtral_8x7B", "MI300X", 2}));

// Degrees that are no powers of two.
INSTANTIATE_TEST_SUITE_P(OddDegrees, Written,
                         testing::Values(Asked{"megatron", "qwen3_30B_A3B", "MI300X", 21, 7},
                                         Asked{"megatron", "llama3.1_70B", "MI300X", 21, 7},
                                         Asked{"megatron", "deepseek_v3", "MI300X", 10'000}));

using Refused = AskedExperiments;

TEST_P(Refused, OffersOnlyWhatItCanWrite) {
  NewExperimentRequest asked = request();
  ASSERT_GT(asked.model.size.layers, 0);
  const NewExperiment made = make(asked);
  ASSERT_TRUE(made.text.empty()) << made.text;
  EXPECT_NE(made.reason.find("does not fit"), std::string::npos) << made.reason;
  const std::size_t end = made.reason.rfind(" would do");
  if (end == std::string::npos) return;
  const std::size_t begin = made.reason.rfind(' ', end - 1) + 1;
  const auto enough = whole_number(std::string_view(made.reason).substr(begin, end - begin));
  ASSERT_TRUE(enough) << made.reason;
  EXPECT_GT(*enough, asked.gpus);
  asked.gpus = *enough;
  const NewExperiment offered = make(asked);
  ASSERT_FALSE(offered.text.empty()) << made.reason << "\n" << offered.reason;
  expect_sound(offered.text, asked);
}

INSTANTIATE_TEST_SUITE_P(All, Refused,
                         testing::Values(Asked{"megatron", "llama3.1_70B", "MI300X", 1},
                                         Asked{"megatron", "deepseek_v3", "MI300X", 8},
                                         Asked{"torchtitan", "llama3.1_405B", "MI250X", 14, 7, 2048},
                                         Asked{"maxtext", "llama3.1_405B", "B200", 1, 8, 32'768},
                                         Asked{"torchtitan", "gpt_oss_20b", "MI325X", 1, 8, 1'048'576},
                                         Asked{"megatron", "deepseek_v4_pro", "MI250X", 14, 7, 1}));

}  // namespace
}  // namespace primus_plan
