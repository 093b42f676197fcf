// Reports on terminals: no line is wider than the window. Pipes get every row in one line.

#include <gtest/gtest.h>

#include <filesystem>
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

/// docs/pictures.md: the pictures fit from 40 columns on, with all that stands below them.
TEST(NarrowPictures, FitFortyColumns) {
  const std::filesystem::path examples = source_dir() / "examples" / "megatron";  // no name is wider than the window
  for (const char* command : {"layout", "pipeline"}) {
    for (const char* file : {"llama3.1_70B-64gpu.yaml", "deepseek_v3-1024gpu.yaml"}) {
      Pty pty({command, file}, {.columns = 40, .folder = examples.string()});
      pty.exit_code();
      std::istringstream lines(plain_text(pty.seen()));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(display_width(line), 40U) << command << ' ' << file << ":\n" << line;
      }
    }
  }
}

TEST(Pipes, KeepRowsWhole) {
  const ProcessResult result = run_plan({"plan", (source_dir() / large).string(), "--top", "1"});
  EXPECT_NE(result.out.find("step  bubble  across nodes  settings\n"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace primus_plan::test
