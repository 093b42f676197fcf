#include "primus_plan/report/rules.h"
#include "report/json_parts.h"
#include "report/rule_parts.h"

namespace primus_plan {

namespace {

void write_example(JsonWriter& json, std::string_view key, const Example& example) {
  json.key(key).begin_object().key("world_size").integer(example.world_size.value);
  json.key("environment").string(example.environment);
  json.key("yaml").string(example.yaml).end_object();
}

void write_rule(JsonWriter& json, const RulePage& page) {
  const RuleInfo& rule = *page.rule;
  json.begin_object();
  json.key("id").string(rule.id).key("name").string(rule.name);
  json.key("severity").string(to_string(rule.severity)).key("stage").string(to_string(rule.stage));
  json.key("owner").string(rule_owner(rule));
  json.key("runtime_site").string(rule.runtime_site).key("outcome").string(rule.outcome);
  json.key("summary").string(rule.summary);
  write_lines(json, "explanation", explanation_paragraphs(rule));
  write_example(json, "bad", rule.bad);
  write_example(json, "good", rule.good);
  if (page.finding != nullptr) {
    json.key("message").string(page.finding->message);
    write_lines(json, "help", ways_out(*page.finding));
  }
  json.end_object();
}

}  // namespace

std::string rule_to_json(const RulePage& page) {
  JsonWriter json;
  write_rule(json, page);
  return json.take() + '\n';
}

std::string rules_to_json(std::span<const RulePage> pages) {
  JsonWriter json;
  json.begin_array();
  for (const RulePage& page : pages) write_rule(json, page);
  json.end_array();
  return json.take() + '\n';
}

}  // namespace primus_plan
