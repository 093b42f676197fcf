// Reports on terminals: no line is wider than the window. Pipes get every row in one line.

#include <gtest/gtest.h>

#include <sstream>

#include "primus_plan/support/text.h"
#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/pty.h"

namespace primus_plan::test {
namespace {

const std::string large = "examples/megatron/llama3.1_70B-64gpu.yaml";

struct Case {
  const char* name;
  std::vector<std::string> arguments;
};

class NarrowTerminal : public ::testing::TestWithParam<Case> {};

TEST_P(NarrowTerminal, IsNotOverrun) {
  for (const int columns : {80, 60}) {
    Pty pty(GetParam().arguments, {.columns = columns, .folder = source_dir().string()});
    pty.exit_code();
    std::istringstream lines(plain_text(pty.seen()));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(columns)) << line;
    }
    EXPECT_GT(count, 4U) << pty.seen();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Reports, NarrowTerminal,
    ::testing::Values(Case{"plan", {"plan", large}}, Case{"plans_of_sizes", {"plan", large, "--gpus", "64,128"}},
                      Case{"no_plan", {"plan", large, "--gpus", "8", "--hardware", "MI300X:memory_gib=16"}},
                      Case{"estimate", {"estimate", large, "-v"}}, Case{"advise", {"advise", large}},
                      Case{"sweep", {"sweep", large, "--over", "world=8:256"}},
                      Case{"sweep_of_two", {"sweep", large, "--over", "tp=1,3", "--over", "pp=1,2"}},
                      Case{"diff", {"diff", large, large, "--set-b", "tensor_model_parallel_size=4"}},
                      Case{"pipeline", {"pipeline", large}}, Case{"layout", {"layout", large}},
                      Case{"why", {"why", large, "memory.activations"}},
                      Case{"what_if", {"what-if", large, "--set", "tp=4"}}, Case{"check", {"check", large}},
                      Case{"rules", {"rules"}}, Case{"keys", {"keys", "*parallel_size"}}, Case{"models", {"models"}},
                      Case{"hardware", {"hardware"}}, Case{"accuracy", {"accuracy"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Pipes, KeepRowsWhole) {
  const ProcessResult result = run_plan({"plan", (source_dir() / large).string(), "--top", "1"});
  EXPECT_NE(result.out.find("step  bubble  across nodes  settings\n"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace primus_plan::test
