// What the rules say beside their own examples: each bad example once more with other degrees and sizes, where the
// numbers, the ways out and the neighbouring rules differ. A line holds one digest a variant; docs/rules.md has the
// messages of the examples themselves in full.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "config/experiment_rules.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/backends/example.h"
#include "primus_plan/report/rules.h"
#include "support/golden.h"
#include "support/sha256.h"

namespace primus_plan::test {
namespace {

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
  if (!yaml.starts_with(loading::example_arguments))
    return fmt::format("{}{}\n{}", loading::example_arguments, more, yaml);
  // What the example asks for itself comes last, and "--" ends it.
  return fmt::format("{}{} {}", loading::example_arguments, more, yaml.substr(loading::example_arguments.size()));
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

/// "MG203 60b5a83c 2e885322 …"
std::string line_of(const RuleInfo& rule, const ExampleChecker& checker) {
  std::string line(rule.id);
  for (const std::string& variant : variants_of(rule_owner(rule))) {
    const std::string yaml = with_arguments(rule.bad.yaml, variant);
    Example example = rule.bad;
    example.yaml = yaml;
    line += " " + sha256(text_of(checker.check(example))).substr(0, 8);
  }
  return line + '\n';
}

/// The rules of an owner, or of all that have no variants of their own, by their ids.
std::vector<const RuleInfo*> rules_of(std::string_view wanted) {
  std::vector<const RuleInfo*> rules = all_rules();
  std::erase_if(rules, [&](const RuleInfo* rule) {
    const std::string_view owner = rule_owner(*rule);
    const bool is_backend = find_backend(owner) != nullptr;
    return wanted == "others" ? is_backend : owner != wanted;
  });
  std::ranges::sort(rules, {}, &RuleInfo::id);
  return rules;
}

class RuleVariants : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RuleVariants, SayWhatTheySaid) {
  const std::vector<const RuleInfo*> rules = rules_of(GetParam());
  const ExampleChecker checker;
  std::vector<std::string> lines(rules.size());
  const std::size_t workers = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<void>> working;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    working.push_back(std::async(std::launch::async, [&, worker] {
      for (std::size_t i = worker; i < rules.size(); i += workers) lines[i] = line_of(*rules[i], checker);
    }));
  }
  for (std::future<void>& one : working) one.get();
  expect_golden(fmt::format("rule_variants/{}.txt", GetParam()), fmt::format("{}", fmt::join(lines, "")));
}

INSTANTIATE_TEST_SUITE_P(Of, RuleVariants, ::testing::Values("megatron", "torchtitan", "maxtext", "others"),
                         [](const auto& owner) { return std::string(owner.param); });

}  // namespace
}  // namespace primus_plan::test
