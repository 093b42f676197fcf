#include "primus_plan/report/translate.h"

#include <fmt/core.h>

#include <array>

#include "primus_plan/report/node_text.h"
#include "primus_plan/support/text.h"
#include "report/json_writer.h"
#include "report/yaml_scalar.h"
#include "support/utf8.h"

namespace primus_plan {
namespace {

constexpr std::size_t longest_value = 80;

std::string comment_text(const std::string& text) {
  const std::string out = escape_controls(text);
  return out.size() > longest_value ? fmt::format("{}...", cut_utf8(out, longest_value)) : out;
}

std::string exp_line(const Experiment& experiment, std::string_view key, const std::string& fallback,
                     const std::string& suffix) {
  const Node* value = experiment.exp != nullptr ? experiment.exp->get(key) : nullptr;
  std::string text = value != nullptr && value->is_string() && !value->text.empty() ? value->text : fallback;
  return fmt::format("{}: {}\n", key, yaml_scalar(*make_string(text + suffix)));
}

std::string indented(const std::string& text, std::size_t spaces) {
  std::string out;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (end > start) out += std::string(spaces, ' ') + text.substr(start, end - start);
    out += '\n';
    start = end + 1;
  }
  return out;
}

}  // namespace

std::string translation_to_yaml(const TranslationReport& report) {
  const Translation& translation = report.translation;
  const Launch& launch = report.analysis.run.launch;
  std::string text = fmt::format("# primus-plan: world-size={} gpus-per-node={}{}{}\n", launch.world_size,
                                 launch.gpus_per_node, report.hardware.empty() ? "" : " hardware=", report.hardware);
  text += fmt::format("# {}, module {}, said in {}.\n", escape_controls(report.analysis.path),
                      escape_controls(report.analysis.module), translation.framework);
  for (const std::string& remark : translation.remarks) text += fmt::format("# {}.\n", escape_controls(remark));
  if (!translation.lost.empty()) text += "# Not carried over:\n";
  for (const Untranslated& lost : translation.lost) {
    text += fmt::format("#   {}: {}\n", escape_controls(lost.key), comment_text(lost.value));
  }
  text += exp_line(report.experiment, "work_group", "group", "");
  text += exp_line(report.experiment, "user_name", "user", "");
  text += exp_line(report.experiment, "exp_name", "translated", "-" + translation.framework);
  text += exp_line(report.experiment, "workspace", "./output", "");
  text += fmt::format("\nmodules:\n  pre_trainer:\n    framework: {}\n    config: {}\n    model: {}\n    overrides:\n",
                      translation.framework, translation.config, yaml_scalar(*make_string(translation.model)));
  return text + indented(node_to_yaml(*translation.overrides), 6);
}

std::string translation_to_json(const TranslationReport& report, const CheckedTranslation& checked) {
  const Translation& translation = report.translation;
  JsonWriter json;
  json.begin_object().key("path").string(report.analysis.path).key("framework").string(translation.framework);
  json.key("model").string(translation.model).key("yaml").string(translation_to_yaml(report));
  json.key("remarks").begin_array();
  for (const std::string& remark : translation.remarks) json.string(remark);
  json.end_array().key("lost").begin_array();
  for (const Untranslated& lost : translation.lost) {
    json.begin_object(JsonWriter::Layout::one_line).key("key").string(lost.key);
    json.key("value").string(lost.value).end_object();
  }
  json.end_array().key("check").begin_object(JsonWriter::Layout::one_line).key("verdict").string(checked.verdict);
  json.key("errors").integer(static_cast<std::int64_t>(checked.errors)).end_object().end_object();
  return json.take() + "\n";
}

}  // namespace primus_plan
