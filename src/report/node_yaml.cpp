#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "primus_plan/report/node_text.h"
#include "primus_plan/support/text.h"
#include "report/yaml_scalar.h"

namespace primus_plan {

namespace {

constexpr std::size_t comment_column = 48;
constexpr std::size_t longest_flow = 80;
constexpr std::size_t longest_simple_key = 1000;  // PyYAML: 1024

/// "file:line  (layer; $NAME set)".
std::string describe_origin(const Node& node, const Origin& origin) {
  std::string text =
      origin ? fmt::format("{}:{} ({}", escape_controls(origin.source->path()), origin.line, to_string(origin.layer))
             : fmt::format("({}", to_string(origin.layer));
  for (const EnvironmentUse& use : node.environment) {
    text += fmt::format("; ${} {}", escape_controls(use.name), use.was_set ? "set" : "not set: default");
  }
  return text + ")";
}

bool is_block(const Node& node) {
  if (node.is_mapping()) return !node.entries().empty();
  if (!node.is_sequence() || node.items.empty()) return false;
  const bool structured = std::any_of(node.items.begin(), node.items.end(),
                                      [](const NodePtr& item) { return item->is_mapping() || item->is_sequence(); });
  return structured || yaml_flow(node).size() > longest_flow;
}

class YamlWriter {
 public:
  explicit YamlWriter(const YamlStyle& style) : style_(style) {}

  /// `lead` is what stands before the first line ("  - "); the others are indented by `indent`.
  void block(const Node& node, std::size_t indent, std::string lead) {
    if (node.is_mapping()) {
      for (const Entry& entry : node.entries()) {
        write_entry(entry, indent, lead);
        lead.assign(indent, ' ');
      }
    } else {
      for (const NodePtr& item : node.items) {
        write_item(*item, indent, lead);
        lead.assign(indent, ' ');
      }
    }
  }

  /// A line whose value has no place of its own.
  void header(std::string_view text) { out_ += fmt::format("{}\n", text); }

  void value(std::string lead, const Node& node, const Origin& key_origin, std::size_t indent) {
    if (is_block(node)) {
      line(std::move(lead), node, key_origin ? key_origin : node.origin);
      block(node, indent, std::string(indent, ' '));
    } else {
      line(fmt::format("{} {}", lead, yaml_flow(node)), node, node.origin ? node.origin : key_origin);
    }
  }

  void line(std::string text, const Node& node, const Origin& origin) {
    if (style_.origins) {
      const std::size_t width = display_width(text);
      text.append(width + 2 < comment_column ? comment_column - width : 2, ' ');
      text += "# " + describe_origin(node, origin);
    }
    out_ += text + '\n';
  }

  std::string take() { return std::move(out_); }

 private:
  void write_entry(const Entry& entry, std::size_t indent, const std::string& lead) {
    const std::string key = yaml_scalar(*entry.key);
    if (key.size() <= longest_simple_key) return value(lead + key + ":", *entry.value, entry.key_origin, indent + 2);
    line(fmt::format("{}? {}", lead, key), *entry.key, entry.key_origin);
    value(std::string(indent, ' ') + ":", *entry.value, entry.key_origin, indent + 2);
  }

  void write_item(const Node& item, std::size_t indent, const std::string& lead) {
    if (is_block(item)) return block(item, indent + 2, lead + "- ");
    line(fmt::format("{}- {}", lead, yaml_flow(item)), item, item.origin);
  }

  YamlStyle style_;
  std::string out_;
};

std::string string_scalar(std::string_view text) { return yaml_scalar(*make_string(std::string(text))); }

void write_module(YamlWriter& yaml, const Module& module) {
  const Node none;
  yaml.line(fmt::format("  {}:", string_scalar(module.name)), none, module.origin);
  const auto optional_line = [&yaml](std::string_view key, const std::optional<std::string>& value) {
    if (value) yaml.header(fmt::format("    {}: {}", key, string_scalar(*value)));
  };
  optional_line("framework", module.framework);
  optional_line("trainer_class", module.trainer_class);
  optional_line("config", module.config);
  optional_line("model", module.model);
  yaml.value("    params:", *module.params, module.origin, 6);
}

}  // namespace

std::string node_to_yaml(const Node& node, const YamlStyle& style) {
  YamlWriter yaml(style);
  if (is_block(node)) {
    yaml.block(node, 0, "");
  } else {
    yaml.line(yaml_flow(node), node, node.origin);
  }
  return yaml.take();
}

std::string experiment_to_yaml(const Experiment& experiment, const YamlStyle& style) {
  YamlWriter yaml(style);
  if (is_block(*experiment.exp)) yaml.block(*experiment.exp, 0, "");
  yaml.header(experiment.modules.empty() ? "modules: {}" : "modules:");
  for (const Module& module : experiment.modules) write_module(yaml, module);
  return yaml.take();
}

}  // namespace primus_plan
