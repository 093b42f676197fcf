#include <fmt/core.h>

#include "primus_plan/report/report.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"
#include "report/counts.h"
#include "report/finding_text.h"
#include "report/repository.h"

namespace primus_plan {

namespace {

/// Workflow commands end at the line break; "%" begins an escape (actions/toolkit, packages/core/src/command.ts).
std::string escape_data(std::string_view text) {
  std::string out;
  for (const char c : escape_controls(text)) {
    if (c == '%')
      out += "%25";
    else
      out += c;
  }
  return out;
}

/// Properties end at "," and ":" as well.
std::string escape_property(std::string_view text) {
  std::string out;
  for (const char c : escape_data(text)) {
    if (c == ':')
      out += "%3A";
    else if (c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string_view command(Severity severity) { return severity == Severity::note ? "notice" : to_string(severity); }

class GithubFormatter final : public Formatter {
 public:
  explicit GithubFormatter(const ToolInfo& tool) : repository_(tool) {}

  std::string file(const FileReport& file) const override {
    std::string text;
    for (const Finding& finding : file.load_errors) text += annotation(finding, {}, file.path);
    for (const Analysis& module : file.modules) {
      for (const Finding& finding : module.findings) text += annotation(finding, module.origin, module.path);
    }
    return text;
  }

  /// GitHub shows a few annotations only, so the log says how many there are.
  std::string end(const Summary& summary) const override {
    const std::string counts = counts_to_text(summary);
    const std::string unchecked =
        summary.not_checked > 0 ? fmt::format(", {} not checked", summary.not_checked) : std::string();
    return fmt::format("primus-plan: {}: {}{}\n", counted(static_cast<std::int64_t>(summary.files), "file"),
                       counts.empty() ? "ok" : counts, unchecked);
  }

 private:
  std::string annotation(const Finding& finding, const Origin& fallback, const std::string& path) const {
    const Place place = repository_.place(finding, fallback, path);
    std::string text = fmt::format("::{} file={}", command(finding.severity), escape_property(place.path));
    if (place.line > 0) {
      text += fmt::format(",line={},endLine={}", place.line, place.line);
      if (place.column > 0) text += fmt::format(",col={},endColumn={}", place.column, place.end_column);
    }
    text += fmt::format(",title={}::{}", escape_property(fmt::format("{} {}", finding.rule->id, finding.rule->name)),
                        escape_data(shortened(finding.message)));
    for (const std::string& line : repository_.remarks(finding)) text += "%0A" + escape_data(line);
    return text + '\n';
  }

  Repository repository_;
};

}  // namespace

std::unique_ptr<Formatter> make_github_formatter(const ToolInfo& tool) {
  return std::make_unique<GithubFormatter>(tool);
}

}  // namespace primus_plan
