#include "primus_plan/report/rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "command.h"
#include "options.h"
#include "ordered.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/backends/example.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::vector<std::string> starts;
  std::vector<std::string> severities;
  bool full = false;
  OutputFlags output;
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return text;
}

bool starts_so(const RuleInfo& rule, const std::string& start) {
  return rule.id.starts_with(upper(start)) || rule_owner(rule) == start;
}

/// Throws Trouble for a start that no rule has.
std::vector<const RuleInfo*> chosen_rules(const Options& options) {
  std::vector<const RuleInfo*> rules = all_rules();
  for (const std::string& start : options.starts) {
    const bool known = std::any_of(rules.begin(), rules.end(), [&](const RuleInfo* r) { return starts_so(*r, start); });
    if (known) continue;
    std::vector<std::string_view> owners;
    for (const RuleInfo* rule : rules) {
      if (std::find(owners.begin(), owners.end(), rule_owner(*rule)) == owners.end())
        owners.push_back(rule_owner(*rule));
    }
    throw Trouble(fmt::format("no rules begin with {}; they belong to {}, or name the start of an id: MG, MG2", start,
                              join(owners, ", ")));
  }
  const auto unwanted = [&](const RuleInfo* rule) {
    const auto named = [&](const std::string& start) { return starts_so(*rule, start); };
    const bool here = options.starts.empty() || std::any_of(options.starts.begin(), options.starts.end(), named);
    const auto severe = std::find(options.severities.begin(), options.severities.end(), to_string(rule->severity));
    return !here || (!options.severities.empty() && severe == options.severities.end());
  };
  rules.erase(std::remove_if(rules.begin(), rules.end(), unwanted), rules.end());
  std::stable_sort(rules.begin(), rules.end(), [](const RuleInfo* a, const RuleInfo* b) { return a->id < b->id; });
  return rules;
}

/// Pages with what check says of each bad example.
class Manual {
 public:
  explicit Manual(const std::vector<const RuleInfo*>& rules) {
    pages_.reserve(rules.size());
    in_order<CheckedExample>(
        rules.size(), std::max<std::size_t>(1, std::thread::hardware_concurrency()),
        [&](std::size_t i) { return checker_.check(rules[i]->bad); },
        [&](CheckedExample checked) {
          const RuleInfo* rule = rules[pages_.size()];
          checked_.push_back(std::make_unique<CheckedExample>(std::move(checked)));
          const std::vector<Finding>& findings = checked_.back()->findings;
          const auto found =
              std::find_if(findings.begin(), findings.end(), [&](const Finding& one) { return one.rule == rule; });
          pages_.push_back({.rule = rule, .finding = found == findings.end() ? nullptr : &*found});
        });
  }
  const std::vector<RulePage>& pages() const { return pages_; }

 private:
  ExampleChecker checker_;
  std::vector<std::unique_ptr<CheckedExample>> checked_;
  std::vector<RulePage> pages_;
};

std::string listing(const Options& options, const std::vector<const RuleInfo*>& rules, const TextStyle& style) {
  const std::string& format = options.output.format;
  if (options.full) {
    const Manual manual(rules);
    if (format == "json") return rules_to_json(manual.pages());
    if (format == "markdown") return manual_to_markdown(manual.pages(), tool_info());
    std::string text;
    for (const RulePage& page : manual.pages()) text += (text.empty() ? "" : "\n") + rule_to_text(page, style);
    return text;
  }
  if (format == "markdown") return rules_to_markdown(rules);
  if (format == "text") return rules_to_text(rules, style);
  std::vector<RulePage> pages;
  pages.reserve(rules.size());
  for (const RuleInfo* rule : rules) pages.push_back({.rule = rule});
  return rules_to_json(pages);
}

int run(const Options& options) {
  const std::vector<const RuleInfo*> rules = chosen_rules(options);
  Output output = options.output.open({});
  output.write(listing(options, rules, options.output.style(output.is_terminal())));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_rules(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("START", options->starts, "only rules whose id begins so (MG, TT2), or of one backend (maxtext)");
  app.add_option("--severity", options->severities, "only rules of this severity; may be given several times")
      ->type_name("LEVEL")
      ->allow_extra_args(false)
      ->check(one_of({"error", "warning", "note"}));
  app.add_flag("--full", options->full, "whole pages, as explain shows them");
  options->output.declare(app, {"text", "markdown", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
