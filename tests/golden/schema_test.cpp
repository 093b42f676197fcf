// The schema of experiments, as the binary writes it.
#include <gtest/gtest.h>

#include "support/golden.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

TEST(ExperimentSchema, IsWhatTheBinaryWrites) {
  const ProcessResult result = run_plan({"schema"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_file("schemas/experiment.schema.json", result.out);
}

}  // namespace
}  // namespace primus_plan::test
