#include "report/finding_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/support/text.h"
#include "report/excerpt.h"
#include "report/paint.h"
#include "report/wrap.h"
#include "support/utf8.h"

namespace primus_plan {

namespace {

int digits(std::uint32_t number) { return static_cast<int>(fmt::format("{}", number).size()); }

constexpr std::size_t most_places = 6;

class FindingText {
 public:
  FindingText(const Finding& finding, const Origin& fallback, const std::string& path, const TextStyle& style)
      : finding_(finding), primary_(finding.primary), path_(path), style_(style), paint_(style.color) {
    if (!primary_.origin) primary_.origin = fallback;
    gutter_ = std::max(5, digits(primary_.origin.line) + 1);
    for (const Label& label : finding.related) gutter_ = std::max(gutter_, digits(label.origin.line) + 1);
  }

  std::string make() {
    headline();
    place(primary_);
    places();
    for (const std::string& line : finding_.because) remark(shortened(escape_controls(line)));
    for (const std::string& line : finding_.help) remark(paint_.bold("help: ") + shortened(escape_controls(line)));
    if (finding_.help.empty()) {
      for (const Fix& fix : finding_.fixes) remark(paint_.bold("help: ") + shortened(escape_controls(fix.title)));
    }
    runtime();
    return std::move(out_);
  }

 private:
  /// The related places, the first few unless all are asked for.
  void places() {
    const Source* shown = primary_.origin.source;
    std::size_t left = style_.verbose ? finding_.related.size() : most_places;
    std::size_t hidden = 0;
    for (const Label& label : finding_.related) {
      if (!label.origin) continue;
      if (left == 0) {
        ++hidden;
        continue;
      }
      --left;
      between(label.origin, shown);
      place(label);
      shown = label.origin.source;
    }
    if (hidden > 0) remark(fmt::format("{} more place{} (-v)", hidden, hidden == 1 ? "" : "s"));
  }

  void headline() {
    std::string where = path_;
    if (primary_.origin) {
      where = primary_.origin.source->path();
      if (primary_.origin.line > 0) where += fmt::format(":{}:{}", primary_.origin.line, primary_.origin.column);
    }
    const std::string severity = fmt::format("{}:", to_string(finding_.severity));
    const std::string line =
        fmt::format("{} {} {}", paint_.bold(escape_controls(where) + ":"), paint_.severity(finding_.severity, severity),
                    paint_.bold(shortened(escape_controls(finding_.message))));
    const std::string rule = paint_.faint(fmt::format(" [{} {}]", finding_.rule->id, finding_.rule->name));
    out_ += wrapped(line + rule, 4, style_) + '\n';
  }

  /// The source line and what is marked in it.
  void place(const Label& label) {
    const Origin& origin = label.origin;
    if (!origin || origin.line == 0) return;
    const std::string_view line = origin.source->line(origin.line);
    if (line.empty()) return;
    const Excerpt excerpt = make_excerpt(line, origin.column, origin.length, style_.width - gutter_ - 3);
    out_ += fmt::format("{} {}\n", paint_.gutter(fmt::format("{:>{}} |", origin.line, gutter_)), excerpt.line);
    const std::string marks = excerpt.marks.substr(std::min(excerpt.marks.find('^'), excerpt.marks.size()));
    const std::string space = excerpt.marks.substr(0, excerpt.marks.size() - marks.size());
    out_ += fmt::format(
        "{} {}{}\n", paint_.gutter(fmt::format("{:>{}} |", "", gutter_)), space,
        paint_.severity(finding_.severity, fmt::format("{} {}", marks, escape_controls(label_to_text(label)))));
  }

  /// What leads from one place to the next: dots inside a file, the place itself in another.
  void between(const Origin& origin, const Source* shown) {
    if (origin.source == shown) {
      out_ += paint_.gutter(fmt::format("{:>{}}", "...", gutter_)) + '\n';
    } else {
      const std::string where = fmt::format("{}:{}:{}", origin.source->path(), origin.line, origin.column);
      out_ += fmt::format("{:>{}} {}\n", "", gutter_ - 4, paint_.gutter("--> ") + escape_controls(where));
    }
  }

  void remark(const std::string& text) {
    const std::string line = fmt::format("{:>{}} {} {}", "", gutter_, paint_.gutter("="), text);
    out_ += wrapped(line, static_cast<std::size_t>(gutter_) + 3, style_) + '\n';
  }

  void runtime() {
    const RuleInfo& rule = *finding_.rule;
    if (rule.outcome.empty() && rule.runtime_site.empty()) return;
    remark(paint_.bold("runtime: ") + runtime_to_text(rule));
  }

  const Finding& finding_;
  Label primary_;
  const std::string& path_;
  const TextStyle& style_;
  Paint paint_;
  int gutter_ = 5;
  std::string out_;
};

}  // namespace

std::string shortened(std::string text) {
  constexpr std::size_t longest = 600;
  constexpr std::size_t kept = 250;
  if (text.size() <= longest) return text;
  std::size_t resume = text.size() - kept;
  while (resume < text.size() && continues_character(text[resume])) ++resume;
  return fmt::format("{} … {}", cut_utf8(text, kept), std::string_view(text).substr(resume));
}

std::string label_to_text(const Label& label) {
  if (!label.text.empty()) return label.text;
  if (is_preset(label.origin.layer)) return fmt::format("set here by the {}", to_string(label.origin.layer));
  return "set here";
}

std::string runtime_to_text(const RuleInfo& rule) {
  std::string_view outcome = rule.outcome;
  if (outcome.empty() || rule.runtime_site.empty()) return fmt::format("{}{}", outcome, rule.runtime_site);
  // "(AssertionError)" takes the place in; "find key(model)" is part of the sentence.
  const std::size_t open = outcome.rfind('(');
  const bool aside = outcome.ends_with(')') && open != std::string_view::npos && open > 0 && outcome[open - 1] == ' ';
  if (!aside) return fmt::format("{} ({})", outcome, rule.runtime_site);
  outcome.remove_suffix(1);
  return fmt::format("{}; {})", outcome, rule.runtime_site);
}

std::vector<std::string> reasons_and_ways_out(const Finding& finding) {
  std::vector<std::string> lines;
  lines.reserve(finding.because.size() + finding.help.size());
  for (const std::string& line : finding.because) lines.push_back(shortened(line));
  for (const std::string& help : finding.help) lines.push_back("help: " + shortened(help));
  if (finding.help.empty()) {
    for (const Fix& fix : finding.fixes) lines.push_back("help: " + fix.title);
  }
  if (std::string runtime = runtime_to_text(*finding.rule); !runtime.empty()) {
    lines.push_back("runtime: " + std::move(runtime));
  }
  return lines;
}

std::string finding_to_text(const Finding& finding, const Origin& fallback, const std::string& path,
                            const TextStyle& style) {
  return FindingText(finding, fallback, path, style).make();
}

std::string new_finding_to_text(const Finding& finding, const Analysis& analysis, const TextStyle& style) {
  constexpr std::string_view lead = "new: ";
  TextStyle beside = style;
  beside.width -= static_cast<int>(lead.size());
  return fmt::format("{}{}", lead, finding_to_text(finding, analysis.origin, analysis.path, beside));
}

}  // namespace primus_plan
