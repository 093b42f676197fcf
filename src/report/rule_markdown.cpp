#include <fmt/core.h>

#include "primus_plan/report/rules.h"
#include "report/markdown_text.h"
#include "report/rule_parts.h"

namespace primus_plan {

namespace {

std::string example_text(std::string_view title, const Example& example) {
  return fmt::format("{}, {}:\n\n{}", title, markdown_text(example_conditions(example)),
                     markdown_fence("yaml", example.yaml));
}

/// An error that no stage of a start meets: of what this tool was given.
bool is_of_the_tool(const RuleInfo& rule) { return rule.stage == Stage::advice && rule.severity == Severity::error; }

/// ", stage arguments"; nothing for errors that no stage meets.
std::string stage_text(const RuleInfo& rule) {
  return is_of_the_tool(rule) ? std::string() : fmt::format(", stage {}", to_string(rule.stage));
}

/// What stands below the heading: what, why, runtime, bad, how to fix, good, source.
std::string body_text(const RulePage& page) {
  const RuleInfo& rule = *page.rule;
  std::string text =
      fmt::format("**{}**{}. {}\n", to_string(rule.severity), stage_text(rule), markdown_text(rule.summary));
  for (const std::string& paragraph : explanation_paragraphs(rule)) text += '\n' + markdown_text(paragraph) + '\n';
  if (rule.stage == Stage::advice) {
    text += fmt::format("\nRuntime: {}\n",
                        is_of_the_tool(rule) ? without_runtime(rule) : "would not notice; this is advice.");
  } else {
    text += fmt::format("\nRuntime: {}{}{}\n", markdown_text(rule.outcome), rule.outcome.empty() ? "" : "; ",
                        markdown_code(rule.runtime_site));
  }
  text += '\n' + example_text("Bad", rule.bad);
  if (page.finding != nullptr) {
    text += fmt::format("\n`check` says: {}\n", markdown_text(page.finding->message));
    const std::vector<std::string> lines = ways_out(*page.finding);
    if (!lines.empty()) text += "\nTo fix it:\n\n";
    for (const std::string& line : lines) text += fmt::format("- {}\n", markdown_text(line));
  }
  return text + '\n' + example_text("Good", rule.good);
}

}  // namespace

std::string rule_to_markdown(const RulePage& page) {
  return fmt::format("### {} {}\n\n{}", page.rule->id, page.rule->name, body_text(page));
}

std::string rules_to_markdown(std::span<const RuleInfo* const> rules) {
  std::string text = "| id | severity | name | what it says |\n|---|---|---|---|\n";
  for (const RuleInfo* rule : rules) {
    text += fmt::format("| {} | {} | {} | {} |\n", rule->id, to_string(rule->severity), rule->name,
                        markdown_text(rule->summary));
  }
  return text;
}

std::string manual_to_markdown(std::span<const RulePage> pages, const ToolInfo& tool) {
  std::string text = fmt::format(
      "# Rules\n\n<!-- Written by `primus-plan rules --format markdown --full`; `./dev golden` renews it. -->\n\n"
      "What `primus-plan check` can say: {} rules. An **error** stops, hangs or truncates the run, a **warning** means "
      "that it runs otherwise than meant, a **note** is advice. The stage says how far the run gets "
      "([diagnostics.md](diagnostics.md)). `primus-plan explain ID` shows a page in the terminal. Every example here "
      "is run by the tests: the bad one fires its rule and no other, the good one is silent. Rules of the stage "
      "`advice` and those of memory (FT...) count only in their own examples: a small example may well wait for its "
      "pipeline, or not fit the GPU.\n\nThe rules speak for ",
      pages.size());
  for (std::size_t i = 0; i < tool.pins.size(); ++i) text += (i == 0 ? "" : ", ") + markdown_text(tool.pins[i].second);
  text += ".\n";
  for (const RuleOwner& owner : rule_owners()) {
    std::string section;
    for (const RulePage& page : pages) {
      if (rule_owner(*page.rule) == owner.name) section += '\n' + rule_to_markdown(page);
    }
    if (!section.empty()) text += fmt::format("\n## {}\n{}", owner.title, section);
  }
  return text;
}

}  // namespace primus_plan
