#include "primus_plan/report/report.h"

#include <algorithm>
#include <array>

namespace primus_plan {

namespace {

void count(const std::vector<Finding>& findings, Summary& summary) {
  for (const Finding& finding : findings) {
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
    Format{"json", "for programs: the contract primus-plan/1, schemas/report.schema.json",
           [](const TextStyle&, const ToolInfo& tool) { return make_json_formatter(tool); }},
};

}  // namespace

Summary& Summary::operator+=(const Summary& other) {
  files += other.files;
  errors += other.errors;
  warnings += other.warnings;
  notes += other.notes;
  not_checked += other.not_checked;
  return *this;
}

Summary summarize(const FileReport& file) {
  Summary summary{.files = 1};
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

std::string format_report(const Formatter& formatter, std::span<const FileReport> files) {
  std::string out = formatter.begin();
  Summary total;
  bool first = true;
  for (const FileReport& file : files) {
    total += summarize(file);
    const std::string text = formatter.file(file);
    if (text.empty()) continue;
    if (!first) out += formatter.separator();
    first = false;
    out += text;
  }
  return out + formatter.end(total);
}

}  // namespace primus_plan
