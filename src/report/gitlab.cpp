#include <fmt/core.h>

#include "primus_plan/report/report.h"
#include "report/finding_text.h"
#include "report/fingerprint.h"
#include "report/json_writer.h"
#include "report/repository.h"

namespace primus_plan {

namespace {

/// GitLab's scale is info, minor, major, critical, blocker.
std::string_view gitlab_severity(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "critical";
    case Severity::warning:
      return "minor";
    case Severity::note:
      break;
  }
  return "info";
}

/// The code quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
class GitlabFormatter final : public Formatter {
 public:
  explicit GitlabFormatter(const ToolInfo& tool) : repository_(tool) {}

  std::string begin(const Summary&, const std::string&) const override { return "["; }

  std::string file(const FileReport& file) const override {
    UniqueFingerprints fingerprints(repository_.path(file.path));
    std::string text;
    const auto add = [&](const Finding& finding, const Origin& fallback, std::string_view module) {
      text += text.empty() ? "\n  " : ",\n  ";
      text += object(finding, repository_.place(finding, fallback, file.path), fingerprints.next(finding, module));
    };
    for (const Finding& finding : file.load_errors) add(finding, {}, {});
    for (const Analysis& module : file.modules) {
      for (const Finding& finding : module.findings) add(finding, module.origin, module.module);
    }
    return text;
  }

  std::string separator() const override { return ","; }

  std::string end(const Summary&) const override { return "\n]\n"; }

 private:
  std::string object(const Finding& finding, const Place& place, const std::string& print) const {
    std::string description = shortened(finding.message);
    for (const std::string& line : repository_.remarks(finding)) description += "\n" + line;
    JsonWriter json;
    json.indent(1);
    json.begin_object();
    json.key("description").string(description);
    json.key("check_name").string(fmt::format("{} {}", finding.rule->id, finding.rule->name));
    json.key("fingerprint").string(print);
    json.key("severity").string(gitlab_severity(finding.severity));
    json.key("location").begin_object(JsonWriter::Layout::one_line).key("path").string(place.path);
    json.key("lines").begin_object().key("begin").integer(place.line > 0 ? place.line : 1).end_object().end_object();
    json.end_object();
    return json.take();
  }

  Repository repository_;
};

}  // namespace

std::unique_ptr<Formatter> make_gitlab_formatter(const ToolInfo& tool) {
  return std::make_unique<GitlabFormatter>(tool);
}

}  // namespace primus_plan
