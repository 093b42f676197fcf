// What the rules say beside their own examples: each bad example once more with other degrees and sizes, where the
// numbers, the ways out and the neighbouring rules differ. A line holds one digest a variant; docs/rules.md has the
// messages of the examples themselves in full.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <map>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "primus_plan/backends/example.h"
#include "primus_plan/report/rules.h"
#include "support/golden.h"

namespace primus_plan::test {
namespace {

constexpr std::string_view arguments = "# run with: ";

/// Arguments that an example gets beside its own, for the rules of one owner.
const std::vector<std::string>& variants_of(std::string_view owner) {
  static const std::map<std::string_view, std::vector<std::string>> variants{
      {"megatron",
       {"--world-size 24", "--world-size 64 --set tensor_model_parallel_size=2", "--set pipeline_model_parallel_size=2",
        "--set pipeline_model_parallel_size=4 --set num_layers=30", "--set mtp_num_layers=1",
        "--set context_parallel_size=2 --set seq_length=1000", "--set num_experts=6 --set expert_model_parallel_size=4",
        "--set micro_batch_size=3 --set global_batch_size=100"}},
      {"torchtitan",
       {"--world-size 24", "--world-size 64 --set parallelism.tensor_parallel_degree=2",
        "--set parallelism.pipeline_parallel_degree=2", "--set parallelism.pipeline_parallel_degree=4",
        "--set parallelism.context_parallel_degree=2", "--set parallelism.expert_parallel_degree=4",
        "--set training.local_batch_size=3", "--set training.global_batch_size=100"}},
      {"maxtext",
       {"--world-size 24", "--world-size 64 --set ici_tensor_parallelism=2", "--set ici_pipeline_parallelism=2",
        "--set ici_context_parallelism=4", "--set ici_expert_parallelism=2", "--set per_device_batch_size=1.5",
        "--set mtp_num_layers=1", "--set gradient_accumulation_steps=3"}}};
  static const std::vector<std::string> others{"--world-size 24"};
  const auto found = variants.find(owner);
  return found == variants.end() ? others : found->second;
}

std::string with_arguments(std::string_view yaml, const std::string& more) {
  if (!yaml.starts_with(arguments)) return fmt::format("{}{}\n{}", arguments, more, yaml);
  // What the example asks for itself comes last, and "--" ends it.
  return fmt::format("{}{} {}", arguments, more, yaml.substr(arguments.size()));
}

std::string text_of(const CheckedExample& checked) {
  std::string out;
  for (const Finding& finding : checked.findings) {
    out += fmt::format("{} {} {}\n", finding.rule->id, to_string(finding.severity), finding.message);
    out += fmt::format("{}:{} {}\n", finding.primary.origin.line, finding.primary.origin.column, finding.primary.text);
    for (const Label& label : finding.related) out += fmt::format("{} {}\n", label.origin.line, label.text);
    for (const std::string& line : finding.because) out += "because " + line + '\n';
    for (const std::string& line : finding.help) out += "help " + line + '\n';
    for (const Fix& fix : finding.fixes) out += fmt::format("fix {} {}\n", fix.title, fix.safe);
  }
  return out;
}

/// FNV-1a, folded to 32 bits.
std::uint32_t digest(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

/// "MG203 60b5a83c 2e885322 …"
std::string line_of(const RuleInfo& rule, const ExampleChecker& checker) {
  std::string line(rule.id);
  for (const std::string& variant : variants_of(rule_owner(rule))) {
    const std::string yaml = with_arguments(rule.bad.yaml, variant);
    Example example = rule.bad;
    example.yaml = yaml;
    line += fmt::format(" {:08x}", digest(text_of(checker.check(example))));
  }
  return line + '\n';
}

class RuleVariants : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RuleVariants, SayWhatTheySaid) {
  const bool others = GetParam() == "others";
  std::map<std::string_view, std::future<std::string>> lines;
  const ExampleChecker checker;
  std::counting_semaphore<> cores(std::max(1U, std::thread::hardware_concurrency()));
  for (const RuleInfo* rule : all_rules()) {
    const std::string_view owner = rule_owner(*rule);
    const bool is_own = owner == "megatron" || owner == "torchtitan" || owner == "maxtext";
    if (others ? is_own : owner != GetParam()) continue;
    cores.acquire();
    lines[rule->id] = std::async(std::launch::async, [&checker, &cores, rule] {
      std::string line = line_of(*rule, checker);
      cores.release();
      return line;
    });
  }
  std::string text;
  for (auto& [id, line] : lines) text += line.get();
  expect_golden(fmt::format("rule_variants/{}.txt", GetParam()), text);
}

INSTANTIATE_TEST_SUITE_P(Of, RuleVariants, ::testing::Values("megatron", "torchtitan", "maxtext", "others"),
                         [](const auto& owner) { return std::string(owner.param); });

}  // namespace
}  // namespace primus_plan::test
