#include "primus_plan/report/report.h"
#include "report/json_parts.h"

namespace primus_plan {

namespace {

class JsonLinesFormatter final : public Formatter {
 public:
  std::string file(const FileReport& file) const override {
    std::string text;
    if (!file.load_errors.empty()) {
      text += line([&](JsonWriter& json) { write_unloaded(json, file); });
    }
    for (const Analysis& module : file.modules) {
      text += line([&](JsonWriter& json) { write_module(json, module); });
    }
    return text;
  }

  std::string end(const Summary&) const override { return {}; }

 private:
  template <class Write>
  static std::string line(Write&& write) {
    JsonWriter json;
    json.compact();
    write(json);
    return json.take() + '\n';
  }
};

}  // namespace

std::unique_ptr<Formatter> make_jsonl_formatter() { return std::make_unique<JsonLinesFormatter>(); }

}  // namespace primus_plan
