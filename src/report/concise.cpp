#include <fmt/core.h>

#include "primus_plan/report/report.h"
#include "primus_plan/support/text.h"
#include "report/finding_text.h"
#include "report/paint.h"

namespace primus_plan {

namespace {

class ConciseFormatter final : public Formatter {
 public:
  explicit ConciseFormatter(const TextStyle& style) : verbose_(style.verbose), paint_(style.color) {}

  std::string file(const FileReport& file) const override {
    std::string text;
    for (const Finding& finding : file.load_errors) text += line(finding, {}, file.path);
    for (const Analysis& module : file.modules) {
      for (const Finding& finding : module.findings) text += line(finding, module.origin, module.path);
    }
    return text;
  }

  std::string end(const Summary&) const override { return {}; }

 private:
  std::string line(const Finding& finding, const Origin& fallback, const std::string& path) const {
    if (finding.severity == Severity::note && !verbose_) return {};
    const Origin& origin = finding.primary.origin ? finding.primary.origin : fallback;
    const std::string where = escape_controls(origin ? origin.source->path() : path);
    const std::string at = origin.line > 0 ? fmt::format(":{}:{}", origin.line, origin.column) : std::string();
    return fmt::format("{} {} {} {}\n", paint_.bold(where + at + ":"),
                       paint_.severity(finding.severity, fmt::format("{}:", to_string(finding.severity))),
                       escape_controls(shortened(finding.message)),
                       paint_.faint(fmt::format("[{} {}]", finding.rule->id, finding.rule->name)));
  }

  bool verbose_;
  Paint paint_;
};

}  // namespace

std::unique_ptr<Formatter> make_concise_formatter(const TextStyle& style) {
  return std::make_unique<ConciseFormatter>(style);
}

}  // namespace primus_plan
