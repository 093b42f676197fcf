#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "options.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/backends/example.h"
#include "primus_plan/report/explain_key.h"
#include "primus_plan/report/rules.h"
#include "primus_plan/report/topics.h"
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
  for (const std::string_view topic : topic_names()) known.push_back(topic);
  std::string near = join(nearest_names(word, known, 3), ", ");
  if (near.empty()) near = nearest_catalogue_keys(word);
  const std::string hint =
      near.empty() ? "primus-plan rules and primus-plan keys list them" : fmt::format("did you mean {}?", near);
  throw Trouble(fmt::format("no topic, rule or key {}; {}", word, hint));
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

/// The page of a topic, a rule or a key.
std::string page_of(const std::string& word, const std::string& format, const TextStyle& style) {
  if (auto topic = explain_topic(word, format, style)) return *std::move(topic);
  if (const RuleInfo* rule = find_rule(word)) return explain(*rule, format, style);
  if (const auto page = explain_key(word, format, style)) return *page;
  refuse(word);
}

int run(const Options& options) {
  Output output = options.output.open({});
  const TextStyle style = options.output.style(output.is_terminal());
  std::vector<std::string> pages;
  for (const std::string& word : options.words) pages.push_back(page_of(word, options.output.format, style));
  output.write(joined_answers(pages, options.output.format == "json"));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_explain(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("WORD", options->words,
                 "parallelism, batch or choosing; ids or names of rules (MG203, global-batch-not-divisible); keys "
                 "(tensor_model_parallel_size)")
      ->required();
  options->output.declare(app, {"text", "markdown", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
