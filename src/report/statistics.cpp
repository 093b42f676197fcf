#include "primus_plan/report/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "report/json_writer.h"
#include "report/paint.h"

namespace primus_plan {

void Statistics::add(const FileReport& file) {
  std::set<std::string_view> here;
  const auto add_all = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      Row& row = rows_[finding.rule->id];
      row.rule = finding.rule;
      row.severity = std::max(row.severity, finding.severity);
      ++row.count;
      if (here.insert(finding.rule->id).second) ++row.files;
    }
  };
  add_all(file.load_errors);
  for (const Analysis& module : file.modules) add_all(module.findings);
}

void Statistics::add(const Statistics& other) {
  for (const auto& [id, more] : other.rows_) {
    Row& row = rows_[id];
    row.rule = more.rule;
    row.severity = std::max(row.severity, more.severity);
    row.count += more.count;
    row.files += more.files;
  }
}

std::vector<const Statistics::Row*> Statistics::sorted() const {
  std::vector<const Row*> out;
  for (const auto& [id, row] : rows_) out.push_back(&row);
  std::ranges::stable_sort(out, std::ranges::greater{}, &Row::count);
  return out;
}

std::string Statistics::to_text(const Summary& total, const TextStyle& style) const {
  const Paint paint(style.color);
  std::string out;
  if (!rows_.empty()) out = fmt::format("{:>7} {:>7}  {:<8} {:<6} {}\n", "count", "files", "severity", "rule", "name");
  for (const Row* row : sorted()) {
    const std::string severity = fmt::format("{:<8}", to_string(row->severity));
    out += fmt::format("{:>7} {:>7}  {} {:<6} {}\n", row->count, row->files, paint.severity(row->severity, severity),
                       row->rule->id, row->rule->name);
  }
  TextStyle closing = style;
  closing.brief_if_clean = style.brief_if_clean || rows_.empty();  // then this line is all there is
  return out + make_text_formatter(closing)->end(total);
}

std::string Statistics::to_json(const Summary& total) const {
  std::string out = "{\n  \"schema\": \"primus-plan-statistics/1\",\n  \"statistics\": [";
  std::string_view separator = "\n    ";
  for (const Row* row : sorted()) {
    out += fmt::format(R"({}{{"rule": {}, "name": {}, "severity": {}, "count": {}, "files": {}}})", separator,
                       json_string(row->rule->id), json_string(row->rule->name), json_string(to_string(row->severity)),
                       row->count, row->files);
    separator = ",\n    ";
  }
  return out + fmt::format(
                   "{}],\n  \"summary\": {{\"files\": {}, \"errors\": {}, \"warnings\": {}, \"notes\": {}, "
                   "\"not_checked\": {}}}\n}}\n",
                   rows_.empty() ? "" : "\n  ", total.files, total.errors, total.warnings, total.notes,
                   total.not_checked);
}

}  // namespace primus_plan
