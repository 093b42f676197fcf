#include "report/rule_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "primus_plan/backends/backend.h"

namespace primus_plan {

namespace {

constexpr std::array owner_table = {
    RuleOwner{"CF", "loading", "Loading"},      RuleOwner{"LN", "launch", "Launch and topology"},
    RuleOwner{"MG", "megatron", "Megatron-LM"}, RuleOwner{"TT", "torchtitan", "TorchTitan"},
    RuleOwner{"MX", "maxtext", "MaxText"},      RuleOwner{"FT", "fit", "Memory and step time"},
};

}  // namespace

std::span<const RuleOwner> rule_owners() { return owner_table; }

std::string_view rule_owner(const RuleInfo& rule) {
  const auto found = std::find_if(owner_table.begin(), owner_table.end(),
                                  [&](const RuleOwner& owner) { return rule.id.starts_with(owner.letters); });
  return found == owner_table.end() ? std::string_view() : found->name;
}

std::vector<std::string> explanation_paragraphs(const RuleInfo& rule) {
  std::vector<std::string> paragraphs;
  for (std::string_view rest = rule.explanation; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    paragraphs.emplace_back(line);
  }
  return paragraphs;
}

std::string example_conditions(const Example& example) {
  const int gpus = example.world_size.value;
  std::string text = fmt::format("on {} GPU{}", gpus, gpus == 1 ? "" : "s");
  if (!example.environment.empty()) text += fmt::format(" with {}", example.environment);
  return text;
}

std::string source_of(const RuleInfo& rule) {
  if (rule.runtime_site.empty()) return {};
  if (rule.runtime_site.starts_with("primus/")) return fmt::format("{} of Primus", rule.runtime_site);
  const Backend* backend = find_backend(rule_owner(rule));
  if (backend == nullptr) return std::string(rule.runtime_site);
  return fmt::format("{} of {}", rule.runtime_site, backend->pinned());
}

std::string_view without_runtime(const RuleInfo& rule) {
  return rule.severity == Severity::error
             ? "It is not asked: what primus-plan was given says too little or the impossible, so no run is judged."
             : "It would not notice: this is advice.";
}

std::vector<std::string> ways_out(const Finding& finding) {
  std::vector<std::string> lines = finding.help;
  for (const Fix& fix : finding.fixes) lines.push_back(fix.title);
  return lines;
}

}  // namespace primus_plan
