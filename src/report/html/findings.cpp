#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/excerpt.h"
#include "report/finding_text.h"
#include "report/html/sections.h"
#include "support/utf8.h"

namespace primus_plan::html {

namespace {

constexpr int code_width = 110;
constexpr std::size_t most_places = 6;

/// Bytes of the line that take so many columns.
std::size_t bytes_of_columns(std::string_view line, std::size_t columns) {
  std::size_t at = 0;
  std::size_t used = 0;
  while (at < line.size() && used < columns) {
    const std::size_t length = decode_utf8(line, at).length;
    used += display_width(line.substr(at, length));
    at += length;
  }
  return at;
}

void write_number(Markup& out, std::uint32_t number, std::size_t width) {
  out.element("span", fmt::format("{:>{}}", number, width), {{"class", "line"}});
}

void write_plain_line(Markup& out, const Origin& origin, std::uint32_t number, std::size_t width) {
  write_number(out, number, width);
  out.text(make_excerpt(origin.source->line(number), 0, 0, code_width).line).line();
}

void write_marked_line(Markup& out, const Label& label, std::size_t width) {
  const Origin& origin = label.origin;
  const Excerpt excerpt = make_excerpt(origin.source->line(origin.line), origin.column, origin.length, code_width);
  write_number(out, origin.line, width);
  const std::size_t columns = std::min(excerpt.marks.find('^'), excerpt.marks.size());
  const std::size_t begin = bytes_of_columns(excerpt.line, columns);
  const std::size_t end = bytes_of_columns(excerpt.line, excerpt.marks.size());
  out.text(excerpt.line.substr(0, begin));
  if (end > begin) out.element("mark", excerpt.line.substr(begin, end - begin));
  out.text(excerpt.line.substr(std::max(begin, end)));
  out.element("span", label_to_text(label), {{"class", "label"}}).line();
}

/// The line that is marked between its neighbours.
void write_excerpt(Markup& out, const Label& label) {
  const Origin& origin = label.origin;
  if (!origin || origin.line == 0 || origin.source->line(origin.line).empty()) return;
  const std::size_t width = fmt::format("{}", origin.line + 1).size();
  out.open("pre", {{"tabindex", "0"}, {"aria-label", "excerpt"}}).open("code");
  if (origin.line > 1) write_plain_line(out, origin, origin.line - 1, width);
  write_marked_line(out, label, width);
  if (!origin.source->line(origin.line + 1).empty()) write_plain_line(out, origin, origin.line + 1, width);
  out.close().close();
}

void write_place(Markup& out, const Origin& origin, const std::string& path) {
  const bool has_line = origin && origin.line > 0;
  out.element("span", has_line ? to_string(origin) : origin ? origin.source->path() : path, {{"class", "place"}});
}

void write_related(Markup& out, const Finding& finding, const std::string& path) {
  std::size_t shown = 0;
  for (const Label& label : finding.related) {
    if (!label.origin || shown == most_places) continue;
    ++shown;
    out.open("div", {{"class", "related"}});
    write_place(out, label.origin, path);
    write_excerpt(out, label);
    out.close();
  }
}

void write_reasons(Markup& out, const Finding& finding) {
  const std::vector<std::string> lines = reasons_and_ways_out(finding);
  if (lines.empty()) return;
  out.open("ul", {{"class", "reasons"}});
  for (const std::string& line : lines) {
    const std::size_t colon = line.find(": ");
    const bool named = line.starts_with("help: ") || line.starts_with("runtime: ");
    out.open("li", {{"class", named ? line.substr(0, colon) : "because"}});
    if (named) out.element("b", line.substr(0, colon)).raw(" ");
    out.text(named ? line.substr(colon + 2) : line).close();
  }
  out.close();
}

/// Links to the histories of the keys that the finding points at.
void write_histories(Markup& out, const View& view, const Finding& finding) {
  std::vector<std::string> keys{key_at(view, finding.primary.origin)};
  for (const Label& label : finding.related) {
    if (keys.size() <= most_places) keys.push_back(key_at(view, label.origin));
  }
  for (auto key = keys.begin(); key != keys.end(); ++key) {
    if (key->empty() || std::find(keys.begin(), key, *key) != key) continue;
    out.element("a", *key, {{"class", "key"}, {"href", "#" + key_id(view, *key)}, {"title", "where it comes from"}});
  }
}

std::string counts_text(const std::vector<Finding>& findings, Severity severity, std::string_view noun) {
  const auto number = std::ranges::count_if(findings, [severity](const Finding& f) { return f.severity == severity; });
  return number == 0 ? std::string() : counted(number, noun);
}

}  // namespace

void write_badge(Markup& out, Verdict verdict) {
  const std::string_view word = to_string(verdict);
  out.element("span", verdict == Verdict::not_checked ? "not checked" : word,
              {{"class", fmt::format("badge {}", word)}});
}

void write_finding(Markup& out, const Finding& finding, const Origin& fallback, const std::string& path,
                   const View* view) {
  Label primary = finding.primary;
  if (!primary.origin) primary.origin = fallback;
  const std::string_view severity = to_string(finding.severity);
  out.line().open("article", {{"class", fmt::format("finding {}", severity)}});
  out.open("p", {{"class", "message"}}).element("span", severity, {{"class", fmt::format("badge {}", severity)}});
  out.raw(" ").text(shortened(finding.message)).close();
  out.open("p", {{"class", "meta"}});
  write_place(out, primary.origin, path);
  out.element("span", fmt::format("{} {}", finding.rule->id, finding.rule->name));
  if (view != nullptr) write_histories(out, *view, finding);
  out.close();
  write_excerpt(out, primary);
  write_related(out, finding, path);
  write_reasons(out, finding);
  out.close();
}

void write_findings(Markup& out, const View& view) {
  const Analysis& analysis = view.analysis();
  open_section(out, view, "findings", "Findings");
  std::vector<std::string> counts;
  static constexpr std::array<std::pair<Severity, std::string_view>, 3> nouns{
      {{Severity::error, "error"}, {Severity::warning, "warning"}, {Severity::note, "note"}}};
  for (const auto& [severity, noun] : nouns) {
    if (std::string text = counts_text(analysis.findings, severity, noun); !text.empty()) counts.push_back(text);
  }
  if (counts.empty()) {
    out.element("p", analysis.is_judged ? "Nothing to remark on: every rule holds."
                                        : "No checker has looked at this framework.");
  } else {
    out.element("p", join(counts, ", "), {{"class", "lead"}});
  }
  for (const auto& [severity, noun] : nouns) {
    for (const Finding& finding : analysis.findings) {
      if (finding.severity == severity) write_finding(out, finding, analysis.origin, analysis.path, &view);
    }
  }
  out.close();
}

}  // namespace primus_plan::html
