#include <fmt/core.h>

#include "primus_plan/report/report.h"
#include "primus_plan/support/text.h"
#include "report/escape_markup.h"
#include "report/finding_text.h"
#include "report/overview_text.h"
#include "report/repository.h"

namespace primus_plan {

namespace {

/// Text for XML 1.0, in elements and in attributes. Characters that XML has no way to write become visible escapes.
std::string escape_xml(std::string_view text) {
  const std::string visible = escape_controls(text);
  std::string writable;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    const std::string_view three = std::string_view(visible).substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      writable += three == "\xEF\xBF\xBE" ? "\\ufffe" : "\\uffff";
      i += 2;
    } else {
      writable += visible[i];
    }
  }
  std::string out;
  append_markup(out, writable);
  return out;
}

/// A suite for each file. Its tests are the findings, and one for each module that has no failure.
class JunitFormatter final : public Formatter {
 public:
  JunitFormatter(const TextStyle& style, const ToolInfo& tool) : strict_(style.strict), repository_(tool) {}

  std::string begin(const Summary&, const std::string&) const override {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"primus-plan\">\n";
  }

  std::string file(const FileReport& file) const override {
    Suite suite{.path = repository_.path(file.path)};
    for (const Finding& finding : file.load_errors) add(suite, finding, {}, file.path);
    for (const Analysis& module : file.modules) {
      const int failures = suite.failures;
      for (const Finding& finding : module.findings) add(suite, finding, module.origin, module.path);
      if (suite.failures == failures) add(suite, module);
    }
    return fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  </testsuite>\n",
        escape_xml(suite.path), suite.tests, suite.failures, suite.skipped, suite.text);
  }

  std::string end(const Summary&) const override { return "</testsuites>\n"; }

 private:
  struct Suite {
    std::string path;
    std::string text = {};
    int tests = 0;
    int failures = 0;
    int skipped = 0;
  };

  bool fails(Severity severity) const {
    return severity == Severity::error || (strict_ && severity == Severity::warning);
  }

  static void add_case(Suite& suite, const std::string& name, const std::string& content) {
    ++suite.tests;
    suite.text += fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n{}    </testcase>\n",
                              escape_xml(suite.path), escape_xml(name), content);
  }

  void add(Suite& suite, const Finding& finding, const Origin& fallback, const std::string& path) const {
    const Place place = repository_.place(finding, fallback, path);
    const std::string message = shortened(finding.message);
    std::string where = place.path;
    if (place.line > 0) where += fmt::format(":{}:{}", place.line, place.column);
    std::string body = escape_xml(fmt::format("{}: {}: {}", where, to_string(finding.severity), message));
    for (const std::string& line : repository_.remarks(finding)) body += "\n  " + escape_xml(line);
    const bool failed = fails(finding.severity);
    if (failed) ++suite.failures;
    const std::string open =
        failed ? fmt::format("failure type=\"{}\" message=\"{}\"", to_string(finding.severity), escape_xml(message))
               : "system-out";
    add_case(suite, fmt::format("{} {}: {}", finding.rule->id, finding.rule->name, message),
             fmt::format("      <{}>{}</{}>\n", open, body, failed ? "failure" : "system-out"));
  }

  static void add(Suite& suite, const Analysis& module) {
    if (module.verdict == Verdict::not_checked) {
      ++suite.skipped;
      const std::string reason = fmt::format("framework {} is not checked", module.framework);
      return add_case(suite, module.module, fmt::format("      <skipped message=\"{}\"/>\n", escape_xml(reason)));
    }
    const std::string degrees = launch_to_text(module.run.launch) + "   " + degrees_to_text(module.run.degrees);
    add_case(suite, module.module, fmt::format("      <system-out>{}</system-out>\n", escape_xml(degrees)));
  }

  bool strict_;
  Repository repository_;
};

}  // namespace

std::unique_ptr<Formatter> make_junit_formatter(const TextStyle& style, const ToolInfo& tool) {
  return std::make_unique<JunitFormatter>(style, tool);
}

}  // namespace primus_plan
