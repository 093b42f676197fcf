#include "primus_plan/report/report.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "primus_plan/report/html.h"

namespace primus_plan {

namespace {

bool by_id(const RuleInfo* a, const RuleInfo* b) { return a->id < b->id; }

void count(const std::vector<Finding>& findings, Summary& summary) {
  for (const Finding& finding : findings) {
    const auto place = std::lower_bound(summary.rules.begin(), summary.rules.end(), finding.rule, by_id);
    if (place == summary.rules.end() || (*place)->id != finding.rule->id) summary.rules.insert(place, finding.rule);
    switch (finding.severity) {
      case Severity::error:
        ++summary.errors;
        break;
      case Severity::warning:
        ++summary.warnings;
        break;
      case Severity::note:
        ++summary.notes;
        break;
    }
  }
}

constexpr std::array format_table = {
    Format{"text", "for a person at a terminal",
           [](const TextStyle& style, const ToolInfo&) { return make_text_formatter(style); }},
    Format{"concise", "a line for each finding, as compilers write them",
           [](const TextStyle& style, const ToolInfo&) { return make_concise_formatter(style); }},
    Format{"json", "for programs: the contract primus-plan/1, schemas/report.schema.json",
           [](const TextStyle&, const ToolInfo& tool) { return make_json_formatter(tool); }},
    Format{"jsonl", "a line of JSON for each module",
           [](const TextStyle&, const ToolInfo&) { return make_jsonl_formatter(); }},
    Format{"sarif", "SARIF 2.1.0, for code scanning",
           [](const TextStyle&, const ToolInfo& tool) { return make_sarif_formatter(tool); }},
    Format{"github", "annotations of GitHub Actions",
           [](const TextStyle&, const ToolInfo& tool) { return make_github_formatter(tool); }},
    Format{"gitlab", "GitLab's code quality report",
           [](const TextStyle&, const ToolInfo& tool) { return make_gitlab_formatter(tool); }},
    Format{"junit", "JUnit XML, for test reports",
           [](const TextStyle& style, const ToolInfo& tool) { return make_junit_formatter(style, tool); }},
    Format{"markdown", "a job summary",
           [](const TextStyle& style, const ToolInfo&) { return make_markdown_formatter(style); }},
    Format{"html", "one page for a browser, without scripts",
           [](const TextStyle&, const ToolInfo& tool) { return make_html_formatter(tool); }},
};

}  // namespace

Summary& Summary::operator+=(const Summary& other) {
  files += other.files;
  errors += other.errors;
  warnings += other.warnings;
  notes += other.notes;
  not_checked += other.not_checked;
  std::vector<const RuleInfo*> both;
  std::set_union(rules.begin(), rules.end(), other.rules.begin(), other.rules.end(), std::back_inserter(both), by_id);
  rules = std::move(both);
  return *this;
}

Summary summarize(const FileReport& file) {
  Summary summary;
  summary.files = 1;
  count(file.load_errors, summary);
  for (const Analysis& module : file.modules) {
    count(module.findings, summary);
    if (module.verdict == Verdict::not_checked) ++summary.not_checked;
  }
  return summary;
}

std::span<const Format> formats() { return format_table; }

const Format* find_format(std::string_view name) {
  const auto found =
      std::find_if(format_table.begin(), format_table.end(), [name](const Format& f) { return f.name == name; });
  return found == format_table.end() ? nullptr : &*found;
}

Piece make_piece(const Formatter& formatter, const FileReport& file) {
  return {formatter.opens_with_totals() ? formatter.row(file) : std::string(), formatter.file(file)};
}

std::string Assembly::add(const Piece& piece) {
  rows_ += piece.row;
  if (piece.text.empty()) return {};
  const bool hold = formatter_.opens_with_totals();
  std::string text = !first_ ? formatter_.separator() : hold ? std::string() : formatter_.begin({}, {});
  first_ = false;
  text += piece.text;
  if (!hold) return text;
  held_ += text;
  return {};
}

std::string Assembly::end(const Summary& total) {
  std::string text;
  if (first_ || formatter_.opens_with_totals()) text = formatter_.begin(total, rows_);
  return text + held_ + formatter_.end(total);
}

std::string format_report(const Formatter& formatter, std::span<const FileReport> files) {
  Assembly assembly(formatter);
  Summary total;
  std::string out;
  for (const FileReport& file : files) {
    total += summarize(file);
    out += assembly.add(make_piece(formatter, file));
  }
  return out + assembly.end(total);
}

}  // namespace primus_plan
