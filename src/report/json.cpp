#include <fmt/core.h>

#include "primus_plan/report/report.h"
#include "report/json_parts.h"

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

class JsonFormatter final : public Formatter {
 public:
  explicit JsonFormatter(ToolInfo tool) : tool_(std::move(tool)) {}

  std::string begin(const Summary&, const std::string&) const override {
    JsonWriter pins;
    pins.begin_object(Layout::one_line);
    for (const auto& [framework, version] : tool_.pins) pins.key(framework).string(version);
    pins.end_object();
    return fmt::format(
        "{{\n  \"schema\": \"primus-plan/1\",\n  \"tool\": {{\"version\": {}, \"pins\": {}}},\n  \"files\": [\n    ",
        json_string(tool_.version), pins.take());
  }

  std::string file(const FileReport& file) const override {
    std::string out;
    const auto append = [&out](JsonWriter&& json) { out += (out.empty() ? "" : ",\n    ") + json.take(); };
    if (!file.load_errors.empty()) {
      JsonWriter json;
      json.indent(2);
      write_unloaded(json, file);
      append(std::move(json));
    }
    for (const Analysis& module : file.modules) {
      JsonWriter json;
      json.indent(2);
      write_module(json, module);
      append(std::move(json));
    }
    return out;
  }

  std::string separator() const override { return ",\n    "; }

  std::string end(const Summary& summary) const override {
    return fmt::format(
        "\n  ],\n  \"summary\": {{\"files\": {}, \"errors\": {}, \"warnings\": {}, \"notes\": {}, \"not_checked\": "
        "{}}}\n}}\n",
        summary.files, summary.errors, summary.warnings, summary.notes, summary.not_checked);
  }

 private:
  ToolInfo tool_;
};

}  // namespace

std::unique_ptr<Formatter> make_json_formatter(ToolInfo tool) {
  return std::make_unique<JsonFormatter>(std::move(tool));
}

}  // namespace primus_plan
