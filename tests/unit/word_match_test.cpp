#include "primus_plan/support/word_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace primus_plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NamesWithWords, HaveAllOfThemInTheirOrder) {
  const std::vector<std::string_view> names{"tensor_model_parallel_size", "expert_tensor_parallel_size",
                                            "parallelism.tensor_parallel_degree", "tensorboard_dir", "lr"};
  EXPECT_THAT(names_with_words("tensor_parallel", names, 2),
              ElementsAre("tensor_model_parallel_size", "expert_tensor_parallel_size"));
  EXPECT_THAT(names_with_words("parallel_tensor", names, 9), ElementsAre("parallelism.tensor_parallel_degree"));
  EXPECT_THAT(names_with_words("TENSOR", names, 1), ElementsAre("tensorboard_dir"));
  EXPECT_THAT(names_with_words("parallel_tensor_lr", names, 9), IsEmpty());
  EXPECT_THAT(names_with_words("", names, 9), IsEmpty());
  EXPECT_THAT(names_with_words("_-", names, 9), IsEmpty());
}

}  // namespace
}  // namespace primus_plan
