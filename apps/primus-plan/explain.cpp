#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "options.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/backends/example.h"
#include "primus_plan/report/rules.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::vector<std::string> words;
  OutputFlags output;
};

[[noreturn]] void refuse(const std::string& word) {
  std::vector<std::string_view> known;
  for (const RuleInfo* rule : all_rules()) {
    known.push_back(rule->name);
    known.push_back(rule->id);
  }
  const auto nearest = nearest_names(word, known, 3);
  const std::string hint =
      nearest.empty() ? "primus-plan rules lists them" : fmt::format("did you mean {}?", join(nearest, ", "));
  throw Trouble(fmt::format("no rule {}; {}", word, hint));
}

std::string page_text(const RulePage& page, const std::string& format, const TextStyle& style) {
  if (format == "json") return rule_to_json(page);
  return format == "markdown" ? rule_to_markdown(page) : rule_to_text(page, style);
}

std::string explain(const RuleInfo& rule, const std::string& format, const TextStyle& style) {
  const CheckedExample checked = ExampleChecker().check(rule.bad);
  const auto finding = std::find_if(checked.findings.begin(), checked.findings.end(),
                                    [&](const Finding& one) { return one.rule == &rule; });
  return page_text({.rule = &rule, .finding = finding == checked.findings.end() ? nullptr : &*finding}, format, style);
}

int run(const Options& options) {
  std::vector<const RuleInfo*> rules;
  for (const std::string& word : options.words) {
    rules.push_back(find_rule(word));
    if (rules.back() == nullptr) refuse(word);
  }
  Output output = options.output.open({});
  const TextStyle style = options.output.style(output.is_terminal());
  std::string text;
  for (const RuleInfo* rule : rules) {
    if (!text.empty() && options.output.format != "json") text += '\n';
    text += explain(*rule, options.output.format, style);
  }
  output.write(text);
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_explain(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("RULE", options->words, "ids or names of rules: MG203, global-batch-not-divisible")->required();
  options->output.declare(app, {"text", "markdown", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
