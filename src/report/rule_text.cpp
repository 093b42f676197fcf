#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/report/rules.h"
#include "primus_plan/support/text.h"
#include "report/paint.h"
#include "report/rule_parts.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

constexpr std::size_t indent = 2;
constexpr int widest = 100;

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    out += line.empty() ? "\n" : fmt::format("{:>{}}{}\n", "", 2 * indent, escape_controls(line));
  }
  return out;
}

class RuleText {
 public:
  RuleText(const RulePage& page, const TextStyle& style)
      : page_(page), rule_(*page.rule), paint_(style.color), style_(style) {
    style_.wraps = true;  // pages are for reading, at a terminal or not
    style_.width = std::min(style.width, widest);
  }

  std::string make() {
    out_ = fmt::format("{} {}: {}\n", paint_.bold(rule_.id), paint_.bold(rule_.name),
                       paint_.severity(rule_.severity, to_string(rule_.severity)));
    paragraph(rule_.summary);
    section("why");
    for (const std::string& text : explanation_paragraphs(rule_)) paragraph(text);
    runtime();
    example("bad", rule_.bad);
    said();
    example("good", rule_.good);
    if (const std::string source = source_of(rule_); !source.empty()) {
      section("source");
      paragraph(source);
    }
    return std::move(out_);
  }

 private:
  void section(std::string_view title) { out_ += '\n' + paint_.bold(title) + '\n'; }
  void paragraph(std::string_view text) {
    if (!text.empty()) out_ += wrapped(std::string(indent, ' ') + std::string(text), indent, style_) + '\n';
  }

  void runtime() {
    section("what the runtime does");
    if (rule_.stage == Stage::advice) return paragraph(without_runtime(rule_));
    if (!rule_.outcome.empty()) paragraph(rule_.outcome);
    paragraph(fmt::format("Stage: {}.", to_string(rule_.stage)));
  }

  void example(std::string_view title, const Example& example) {
    section(fmt::format("{}, {}", title, example_conditions(example)));
    out_ += indented(example.yaml);
  }

  void said() {
    if (page_.finding == nullptr) return;
    section("what check says of it");
    paragraph(page_.finding->message);
    for (const std::string& line : page_.finding->because) paragraph("= " + line);
    const std::vector<std::string> lines = ways_out(*page_.finding);
    if (lines.empty()) return;
    section("how to fix");
    for (const std::string& line : lines) paragraph(line);
  }

  const RulePage& page_;
  const RuleInfo& rule_;
  Paint paint_;
  TextStyle style_;
  std::string out_;
};

}  // namespace

std::string rule_to_text(const RulePage& page, const TextStyle& style) { return RuleText(page, style).make(); }

std::string rules_to_text(std::span<const RuleInfo* const> rules, const TextStyle& style) {
  const Paint paint(style.color);
  std::size_t longest = 0;
  for (const RuleInfo* rule : rules) longest = std::max(longest, rule->name.size());
  std::string text;
  for (const RuleInfo* rule : rules) {
    const std::string severity = fmt::format("{:<7}", to_string(rule->severity));
    text += list_row(fmt::format("{}  {}  {:<{}}  ", paint.bold(rule->id), paint.severity(rule->severity, severity),
                                 rule->name, longest),
                     rule->summary, style);
  }
  return text;
}

}  // namespace primus_plan
