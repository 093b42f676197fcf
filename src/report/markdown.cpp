#include <fmt/core.h>

#include "primus_plan/report/report.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/counts.h"
#include "report/excerpt.h"
#include "report/finding_text.h"
#include "report/markdown_text.h"
#include "report/overview_text.h"

namespace primus_plan {

namespace {

constexpr int code_width = 100;

std::string_view sign(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "❌";
    case Severity::warning:
      return "⚠️";
    case Severity::note:
      break;
  }
  return "💡";
}

std::string_view sign(const Summary& counts) {
  if (counts.errors > 0) return sign(Severity::error);
  return counts.warnings > 0 ? sign(Severity::warning) : "✅";
}

std::string counts_text(const Summary& counts) {
  const std::string text = counts_to_text(counts);
  return text.empty() ? "no findings" : text;
}

/// Of one module.
Summary counts_of(const Analysis& module) {
  Summary counts;
  for (const Finding& finding : module.findings) {
    counts.errors += finding.severity == Severity::error ? 1 : 0;
    counts.warnings += finding.severity == Severity::warning ? 1 : 0;
    counts.notes += finding.severity == Severity::note ? 1 : 0;
  }
  return counts;
}

std::string table_row(std::string_view first, const std::string& experiment, const std::string& launch,
                      const std::string& degrees, const std::string& batch, const std::string& findings) {
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", first, experiment, launch, degrees, batch, findings);
}

/// Parts that the terminal keeps apart by spaces stand below each other: HTML runs spaces together.
std::string in_lines(std::string text) {
  constexpr std::string_view gap = "   ";
  for (std::size_t at = text.find(gap); at != std::string::npos; at = text.find(gap, at)) {
    text.replace(at, gap.size(), "<br>");
  }
  return text;
}

std::string place_text(const Origin& origin) {
  const std::string where = origin.line > 0 ? to_string(origin) : origin.source->path();
  return markdown_code(where);
}

/// The marked line, as the terminal shows it.
std::string excerpt_text(const Label& label) {
  const Origin& origin = label.origin;
  const std::string_view line = origin ? origin.source->line(origin.line) : std::string_view();
  if (line.empty()) return {};
  const Excerpt excerpt = make_excerpt(line, origin.column, origin.length, code_width);
  const std::string number = fmt::format("{}", origin.line);
  return markdown_fence("", fmt::format("{} | {}\n{:>{}} | {} {}", number, excerpt.line, "", number.size(),
                                        excerpt.marks, escape_controls(label_to_text(label))));
}

std::string finding_text(const Finding& finding, const Origin& fallback) {
  Label primary = finding.primary;
  if (!primary.origin) primary.origin = fallback;
  std::string text = fmt::format("{} **{}** <sub>{} {}</sub>\n", sign(finding.severity),
                                 markdown_text(shortened(finding.message)), finding.rule->id, finding.rule->name);
  if (primary.origin) text += fmt::format("\n{}\n\n{}", place_text(primary.origin), excerpt_text(primary));
  text += '\n';
  for (const Label& label : finding.related) {
    if (label.origin)
      text += fmt::format("- {}: {}\n", place_text(label.origin), markdown_text(escape_controls(label_to_text(label))));
  }
  for (const std::string& line : reasons_and_ways_out(finding)) text += fmt::format("- {}\n", markdown_text(line));
  return text + '\n';
}

class MarkdownFormatter final : public Formatter {
 public:
  explicit MarkdownFormatter(const TextStyle& style) : style_(style) {}

  bool opens_with_totals() const override { return true; }

  std::string begin(const Summary& total, const std::string& rows) const override {
    std::string text = fmt::format("## {} primus-plan: {}\n\n", sign(total), counts_text(total));
    text += counted(static_cast<std::int64_t>(total.files), "file") + " checked";
    if (total.not_checked > 0) text += fmt::format(", {} of frameworks without a checker", total.not_checked);
    text += ".";
    if (style_.brief_if_clean) text += " Those without findings are left out.";
    text += '\n';
    if (rows.empty()) return text;
    return text + "\n| | experiment | launch | degrees | batch | findings |\n|---|---|---|---|---|---|\n" + rows + '\n';
  }

  std::string row(const FileReport& file) const override {
    std::string text;
    if (!file.load_errors.empty()) {
      text += table_row(sign(Severity::error), markdown_code(file.path), "", "", "", "cannot be loaded");
    }
    for (const Analysis& module : file.modules) {
      if (style_.brief_if_clean && module.findings.empty()) continue;
      text += row(module);
    }
    return text;
  }

  std::string file(const FileReport& file) const override {
    std::string text;
    for (const Finding& finding : file.load_errors) text += finding_text(finding, {});
    for (const Analysis& module : file.modules) {
      for (const Finding& finding : module.findings) text += finding_text(finding, module.origin);
    }
    if (text.empty()) return {};
    const Summary counts = summarize(file);
    return fmt::format("<details{}>\n<summary>{} <b>{}</b>: {}</summary>\n\n{}</details>\n",
                       counts.errors > 0 ? " open" : "", sign(counts), markdown_text(file.path), counts_text(counts),
                       text);
  }

  std::string separator() const override { return "\n"; }

  std::string end(const Summary&) const override { return {}; }

 private:
  static std::string row(const Analysis& module) {
    const std::string name = fmt::format("{}<br>{} ({})", markdown_code(module.path), markdown_text(module.module),
                                         markdown_text(module.framework));
    if (module.verdict == Verdict::not_checked) return table_row("➖", name, "", "", "", "not checked");
    const Summary counts = counts_of(module);
    const RunDescription& run = module.run;
    return table_row(sign(counts), name, launch_to_text(run.launch), in_lines(degrees_to_text(run.degrees)),
                     batch_to_text(run.batch, run.degrees.data), counts_text(counts));
  }

  TextStyle style_;
};

}  // namespace

std::unique_ptr<Formatter> make_markdown_formatter(const TextStyle& style) {
  return std::make_unique<MarkdownFormatter>(style);
}

}  // namespace primus_plan
