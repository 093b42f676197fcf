// Time of each command of a session, without a terminal: decided, and printed as text.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "primus_plan/planner/written_plan.h"
#include "support/loaded_session.h"

namespace primus_plan {
namespace {

struct Subject {
  const char* name;
  const char* framework;
  const char* model;
  const char* nodes;
};
constexpr Subject subjects[] = {
    {"megatron 70B/64", "megatron", "llama3.1_70B", "nodes 8"},
    {"megatron 671B/1024", "megatron", "deepseek_v3", "nodes 128"},
    {"torchtitan 70B/64", "torchtitan", "llama3.1_70B", "nodes 8"},
    {"maxtext 70B/64", "maxtext", "llama3_70B", "nodes 8"},
};

/// Lines that are run in turn, so that none is "so already".
struct Lines {
  const char* name;
  std::vector<std::string> lines;
};
const std::vector<Lines>& rows() {
  static const std::vector<Lines> all{
      {"set", {"tp 4", "tp 8"}},
      {"set, illegal", {"tp 3", "tp 8"}},
      {"undo, redo", {"undo", "redo"}},
      {"show", {"show"}},
      {"show layout", {"show layout"}},
      {"show memory", {"show memory"}},
      {"show findings", {"show findings"}},
      {"why KEY", {"why tp"}},
      {"why NUMBER", {"why memory"}},
      {"explain", {"explain MG203"}},
      {"diff", {"diff"}},
      {"apply", {"apply 1", "undo"}},
      {"write", {"write"}},
      {"help", {"help"}},
      {"try", {"try tp=1,2,4,8"}},
      {"plan", {"plan"}},
  };
  return all;
}

void session_command(benchmark::State& state) {
  const Subject& subject = subjects[state.range(1)];
  const Lines& row = rows()[static_cast<std::size_t>(state.range(0))];
  test::LoadedSession session(experiment_around(subject.framework, subject.model));
  session.run(subject.nodes);
  session.run("set tp=8 gbs=1024");
  session.run("plan");
  std::size_t at = 0;
  double longest = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const session::Result result = session.run(row.lines[at++ % row.lines.size()]);
    benchmark::DoNotOptimize(session::result_to_text(result, {}) +
                             session::panel_to_text(session::panel_of(session.session()), {}));
    longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (!result.ok) state.SkipWithError(result.error.c_str());
  }
  state.counters["longest_ms"] = 1000 * longest;
  state.SetLabel(std::string(row.name) + ", " + subject.name);
}
BENCHMARK(session_command)
    ->ArgsProduct({benchmark::CreateDenseRange(0, 15, 1), benchmark::CreateDenseRange(0, 3, 1)})
    ->Unit(benchmark::kMillisecond);

void session_complete(benchmark::State& state) {
  test::LoadedSession session(experiment_around("megatron", "llama3.1_70B"));
  for (auto _ : state) benchmark::DoNotOptimize(session::complete(session.session(), "set tensor_m").words.data());
}
BENCHMARK(session_complete)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace primus_plan
