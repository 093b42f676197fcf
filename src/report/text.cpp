#include "primus_plan/support/text.h"

#include <fmt/core.h>

#include "primus_plan/config/presets.h"
#include "primus_plan/report/report.h"
#include "primus_plan/support/number.h"
#include "report/finding_text.h"
#include "report/overview_text.h"
#include "report/paint.h"
#include "report/repairs_text.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

/// "3 errors, 5 warnings, 1 note"; empty when there are none.
std::string counts_text(const Summary& summary, const Paint& paint, bool with_notes) {
  std::string text;
  const auto add = [&](std::size_t count, Severity severity, std::string_view noun) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += paint.severity(severity, counted(static_cast<std::int64_t>(count), noun));
  };
  add(summary.errors, Severity::error, "error");
  add(summary.warnings, Severity::warning, "warning");
  if (with_notes) add(summary.notes, Severity::note, "note");
  return text;
}

std::string verdict_text(const Analysis& module, const Paint& paint) {
  if (module.verdict == Verdict::not_checked) return paint.severity(Severity::note, "not checked");
  Summary counts;
  for (const Finding& finding : module.findings) {
    if (finding.severity == Severity::error) ++counts.errors;
    if (finding.severity == Severity::warning) ++counts.warnings;
  }
  std::string text = counts_text(counts, paint, false);
  if (counts.errors > 0) return text;
  return text.empty() ? paint.good("ok") : paint.good("ok") + ", " + text;
}

class TextFormatter final : public Formatter {
 public:
  explicit TextFormatter(const TextStyle& style) : style_(style), paint_(style.color) {}

  std::string file(const FileReport& file) const override {
    std::string text;
    for (const Finding& finding : file.load_errors) text += finding_to_text(finding, {}, file.path, style_);
    for (const Analysis& module : file.modules) {
      std::string part = module_text(module);
      if (!text.empty() && !part.empty() && !is_brief(module)) text += '\n';
      text += part;
    }
    const bool is_block = text.find('\n') + 1 < text.size();
    if (style_.brief_if_clean && is_block) text += '\n';
    return text;
  }

  std::string separator() const override { return style_.brief_if_clean ? "" : "\n"; }

  std::string end(const Summary& summary) const override {
    if (style_.quiet || (summary.files <= 1 && !style_.brief_if_clean)) return {};
    std::string text = counts_text(summary, paint_, true);
    if (summary.not_checked > 0) {
      if (!text.empty()) text += ", ";
      text += fmt::format("{} not checked", summary.not_checked);
    }
    return fmt::format("{}{}: {}\n", separator(), counted(static_cast<std::int64_t>(summary.files), "file"),
                       text.empty() ? paint_.good("ok") : text);
  }

 private:
  /// In a run over many files, a module about which there is nothing to do.
  bool is_brief(const Analysis& module) const {
    return style_.brief_if_clean && (module.verdict == Verdict::ok || module.verdict == Verdict::not_checked);
  }

  /// Where presets came from; for those inside the binary, of which Primus they are.
  static std::string presets_text(const Analysis& module) {
    if (module.presets != built_in_label) return escape_controls(module.presets);
    return fmt::format("{}, {}", built_in_label, built_in_version);
  }

  std::string headline(const Analysis& module) const {
    const std::string line = fmt::format("{}: {}  ({}, {}; presets: {})", paint_.bold(escape_controls(module.path)),
                                         verdict_text(module, paint_), escape_controls(module.module),
                                         escape_controls(module.framework), presets_text(module));
    return wrapped(line, 4, style_) + '\n';
  }

  std::string module_text(const Analysis& module) const {
    if (is_brief(module)) return style_.verbose ? headline(module) : std::string();
    std::string text;
    if (!style_.quiet) {
      text = headline(module) + overview_to_text(module, style_);
      if (style_.verbose) text += details_to_text(module, style_);
    }
    std::size_t folded = 0;
    for (const Finding& finding : module.findings) {
      if (finding.severity == Severity::note && !style_.verbose) {
        ++folded;
        continue;
      }
      if (!text.empty()) text += '\n';
      text += finding_to_text(finding, module.origin, module.path, style_);
    }
    if (folded > 0 && !style_.quiet)
      text += paint_.faint(fmt::format("  {} (-v)", counted(static_cast<std::int64_t>(folded), "note"))) + '\n';
    if (!style_.quiet && !module.repairs.empty()) text += '\n' + repairs_to_text(module, style_);
    return text;
  }

  TextStyle style_;
  Paint paint_;
};

}  // namespace

std::unique_ptr<Formatter> make_text_formatter(const TextStyle& style) {
  return std::make_unique<TextFormatter>(style);
}

}  // namespace primus_plan
