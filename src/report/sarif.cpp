#include <fmt/core.h>

#include "primus_plan/report/report.h"
#include "report/fingerprint.h"
#include "report/json_writer.h"
#include "report/repository.h"
#include "report/sarif_parts.h"

namespace primus_plan {

namespace {

/// The log is written in one go: results as they come, then the tool with the rules that they named.
class SarifFormatter final : public Formatter {
 public:
  explicit SarifFormatter(ToolInfo tool) : tool_(std::move(tool)), repository_(tool_) {}

  std::string begin(const Summary&, const std::string&) const override {
    return "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": \"2.1.0\",\n"
           "  \"runs\": [{\n    \"columnKind\": \"unicodeCodePoints\",\n    \"results\": [";
  }

  std::string file(const FileReport& file) const override {
    UniqueFingerprints fingerprints(repository_.path(file.path));
    std::string text;
    const auto add = [&](const SarifResult& result) {
      JsonWriter json;
      json.indent(3);
      write_sarif_result(json, result, repository_);
      text += (text.empty() ? "\n      " : ",\n      ") + json.take();
    };
    for (const Finding& finding : file.load_errors) {
      add({finding, {}, file.path, {}, fingerprints.next(finding, {})});
    }
    for (const Analysis& module : file.modules) {
      for (const Finding& finding : module.findings) {
        add({finding, module.origin, file.path, module.module, fingerprints.next(finding, module.module)});
      }
    }
    return text;
  }

  std::string separator() const override { return ","; }

  std::string end(const Summary& summary) const override {
    JsonWriter json;
    json.indent(2);
    write_sarif_tool(json, tool_, summary.rules);
    return fmt::format("\n    ],\n    \"tool\": {}\n  }}]\n}}\n", json.take());
  }

 private:
  ToolInfo tool_;
  Repository repository_;
};

}  // namespace

std::unique_ptr<Formatter> make_sarif_formatter(ToolInfo tool) {
  return std::make_unique<SarifFormatter>(std::move(tool));
}

}  // namespace primus_plan
