// docs/planning.md says what this program says: every row below "<!-- plans -->" begins with what was asked, and the
// rest of it is made again.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "primus_plan/support/number.h"
#include "support/golden.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

using nlohmann::json;

constexpr std::string_view page = "docs/planning.md";
constexpr std::string_view marker = "<!-- plans -->";

std::string layout_of(const json& c) {
  std::string out;
  const std::pair<const char*, const char*> degrees[] = {
      {"TP", "tensor"}, {"PP", "pipeline"}, {"VPP", "virtual_pipeline"}, {"CP", "context"}, {"EP", "expert"}};
  for (const auto& [name, key] : degrees) {
    if (c.at(key).get<int>() > 1) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, c.at(key).get<int>());
  }
  return out;
}

/// "| `--model llama2_7B --gpus 8` | DP 8, … | 13,314 | 129 |" of what was asked.
std::string row_of(const std::string& ask) {
  std::vector<std::string> arguments{"plan", "--backend", "megatron", "--format", "json", "--quiet"};
  std::istringstream words(ask);
  for (std::string word; words >> word;) arguments.push_back(word);
  if (ask.find("--hardware") == std::string::npos) arguments.insert(arguments.end(), {"--hardware", "MI300X"});
  const ProcessResult result = run_plan(arguments);
  EXPECT_EQ(result.exit_code, 0) << ask << ": " << result.err;
  const json plan = json::parse(result.out).at("plans").at(0);
  const json& c = plan.at("candidate");
  std::string what = layout_of(c);
  what += fmt::format("{}DP {}, micro-batch {}", what.empty() ? "" : ", ", plan.at("data").get<int>(),
                      c.at("micro_batch").get<int>());
  if (c.at("pipeline").get<int>() > 1) what += ", " + c.at("schedule").get<std::string>();
  const std::string recompute = c.at("recompute");
  what += recompute == "none" ? ", no recompute" : ", recompute " + recompute;
  return fmt::format("| `{}` | {} | {} | {:.0f} | {:.1f} % |\n", ask, what,
                     with_commas(std::llround(plan.at("tokens_per_second_per_gpu").get<double>())),
                     plan.at("memory_bytes").at("expected").get<double>() / gib,
                     100 * plan.at("bubble_share").get<double>());
}

TEST(PlanningPage, SaysWhatTheProgramSays) {
  std::ifstream file(source_dir() / page);
  std::string out;
  bool in_table = false;
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line == marker) in_table = true;
    if (line.empty()) in_table = false;
    const std::size_t end = line.find("` |");
    if (in_table && line.starts_with("| `") && end < line.size()) {
      out += row_of(line.substr(3, end - 3));
      ++rows;
    } else {
      out += line + '\n';
    }
  }
  EXPECT_GE(rows, 10U);
  expect_file(page, out);
}

}  // namespace
}  // namespace primus_plan::test
