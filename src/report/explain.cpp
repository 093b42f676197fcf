#include "primus_plan/report/explain.h"

#include <algorithm>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "primus_plan/backends/example.h"
#include "primus_plan/report/explain_key.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/report/rules.h"
#include "primus_plan/report/topics.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

std::string page_text(const RulePage& page, const std::string& format, const TextStyle& style) {
  if (format == "json") return rule_to_json(page);
  return format == "markdown" ? rule_to_markdown(page) : rule_to_text(page, style);
}

std::string explain_rule(const RuleInfo& rule, const std::string& format, const TextStyle& style) {
  const CheckedExample checked = ExampleChecker().check(rule.bad);
  const auto finding = std::find_if(checked.findings.begin(), checked.findings.end(),
                                    [&](const Finding& one) { return one.rule == &rule; });
  return page_text({.rule = &rule, .finding = finding == checked.findings.end() ? nullptr : &*finding}, format, style);
}

}  // namespace

std::optional<std::string> explain(const std::string& word, const std::string& format, const TextStyle& style) {
  if (auto topic = explain_topic(word, format, style)) return topic;
  if (const RuleInfo* rule = find_rule(word)) return explain_rule(*rule, format, style);
  return explain_key(word, format, style);
}

bool can_explain(const std::string& word) {
  const std::vector<std::string_view> topics = topic_names();
  return std::ranges::find(topics, word) != topics.end() || find_rule(word) != nullptr || !keys_named(word).empty();
}

std::string nearest_explained(const std::string& word) {
  std::vector<std::string_view> known;
  for (const RuleInfo* rule : all_rules()) {
    known.push_back(rule->name);
    known.push_back(rule->id);
  }
  for (const std::string_view topic : topic_names()) known.push_back(topic);
  const std::string near = join(nearest_names(word, known, 3), ", ");
  return near.empty() ? nearest_catalogue_keys(word) : near;
}

}  // namespace primus_plan
