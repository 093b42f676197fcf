#include <fmt/core.h>

#include "primus_plan/config/presets.h"
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
    // A line inside the binary cannot be opened, and one of a file that many experiments share names none of them.
    const Origin& own = finding.primary.origin;
    const bool is_inside = own && is_built_in(own.source->path());
    const Origin& origin = own && !is_inside ? own : fallback;
    const std::string where = origin ? origin.source->path() : path;
    const std::string at = origin.line > 0 ? fmt::format(":{}:{}", origin.line, origin.column) : std::string();
    std::string more;
    if (is_inside) more += fmt::format(" (set at {})", to_string(own));
    if (where != path) more += fmt::format(" (in {})", path);
    return fmt::format("{} {} {}{} {}\n", paint_.bold(escape_controls(where) + at + ":"),
                       paint_.severity(finding.severity, fmt::format("{}:", to_string(finding.severity))),
                       escape_controls(shortened(finding.message)), escape_controls(more),
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
