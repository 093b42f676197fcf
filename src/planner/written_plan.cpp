#include "primus_plan/planner/written_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/edits.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan {
namespace {

using Key = std::pair<std::string, std::string>;

/// Whether a value stands in one line, so that its place says all of it.
bool is_scalar(const Node& node) { return !node.is_mapping() && node.items.empty(); }

/// The mapping that overrides go into; null when there is none that can be added to.
const Node* target_of(const Node& root, std::string_view module, bool snippet) {
  if (snippet) return root.is_mapping() ? &root : nullptr;
  const Node* modules = root.get("modules");
  const Node* own = modules != nullptr ? modules->get(module) : nullptr;
  return own != nullptr ? own->get("overrides") : nullptr;
}

Edit edit_at(const Origin& where, std::string replacement, bool insert_line) {
  return {.where = where, .replacement = std::move(replacement), .insert_line = insert_line};
}

/// A new line in front of the one that an entry's key begins.
std::optional<TextChange> line_before(const Origin& key, const std::string& line) {
  if (key.source == nullptr || key.line == 0) return std::nullopt;
  const std::string_view text = key.source->line(key.line);
  const std::string_view indent = text.substr(0, std::min(text.find_first_not_of(' '), text.size()));
  if (indent.size() + 1 != key.column) return std::nullopt;  // the key is not the first thing in its line
  const std::size_t at = key.source->line_starts()[key.line - 1];
  return TextChange{at, at, fmt::format("{}{}\n", indent, line)};
}

/// Adds `line` ("key: value") to a mapping.
std::optional<TextChange> add_to(const Node& mapping, const std::string& line) {
  const std::vector<Entry>& entries = mapping.entries();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const Origin& value = entry->value->origin;
    if (!is_scalar(*entry->value) || value.line != entry->key_origin.line || value.length == 0) continue;
    const bool in_braces = mapping.origin.line == value.line && mapping.origin.column < entry->key_origin.column;
    if (!in_braces) return text_change(edit_at(entry->key_origin, line, true));
    const std::string_view text = value.source->line(value.line);
    if (value.column - 1 + value.length > text.size()) return std::nullopt;
    return text_change(edit_at(value, fmt::format("{}, {}", text.substr(value.column - 1, value.length), line), false));
  }
  return entries.empty() ? std::nullopt : line_before(entries.front().key_origin, line);
}

/// What gives a key its value.
std::optional<TextChange> change_for(const Node& target, const std::vector<Key>& keys) {
  const std::string& path = keys.front().first;
  const std::string& value = keys.front().second;
  const std::size_t dot = path.find('.');
  if (const Entry* entry = target.entry_at_path(path)) {
    const Origin& where = entry->value->origin;
    if (!is_scalar(*entry->value) || where.length == 0) return std::nullopt;
    return text_change(edit_at(where, value, false));
  }
  if (dot == std::string::npos) return add_to(target, fmt::format("{}: {}", path, value));
  const std::string section = path.substr(0, dot);
  const Node* mapping = target.get(section);
  if (mapping != nullptr && mapping->is_mapping() && !mapping->entries().empty())
    return add_to(*mapping, fmt::format("{}: {}", path.substr(dot + 1), value));
  if (mapping != nullptr) return std::nullopt;
  std::string inner;
  for (const auto& [key, other] : keys) {
    if (!key.starts_with(section + ".")) continue;
    inner += fmt::format("{}{}: {}", inner.empty() ? "" : ", ", key.substr(dot + 1), other);
  }
  return add_to(target, fmt::format("{}: {{{}}}", section, inner));
}

/// Whether a text can be read and sets a key.
bool sets(const std::string& text, std::string_view module, bool snippet, std::string_view key) {
  const Source source("plan.yaml", text);
  Remarks remarks;
  try {
    const NodePtr root = parse_yaml(source, Layer::experiment, Limits{}, remarks);
    const Node* target = target_of(*root, module, snippet);
    return target != nullptr && target->at_path(key) != nullptr;
  } catch (const LoadError&) {
    return false;
  }
}

/// The text after one key was turned; nothing where that is impossible.
std::optional<std::string> with_key(const std::string& text, std::string_view module, bool snippet,
                                    const std::vector<Key>& keys) {
  const Source source("plan.yaml", text);
  Remarks remarks;
  try {
    const NodePtr root = parse_yaml(source, Layer::experiment, Limits{}, remarks);
    const Node* target = target_of(*root, module, snippet);
    if (target == nullptr || !target->is_mapping()) return std::nullopt;
    const auto change = change_for(*target, keys);
    if (!change) return std::nullopt;
    std::string changed = apply_changes(text, {*change});
    // A line put into braces that span several lines breaks them.
    if (!sets(changed, module, snippet, keys.front().first)) return std::nullopt;
    return changed;
  } catch (const LoadError&) {
    return std::nullopt;
  }
}

/// Whether a key has its value already, as text.
bool has_value(const std::string& text, std::string_view module, bool snippet, const Key& key) {
  const Source source("plan.yaml", text);
  Remarks remarks;
  try {
    const NodePtr root = parse_yaml(source, Layer::experiment, Limits{}, remarks);
    const Node* target = target_of(*root, module, snippet);
    const Node* value = target != nullptr ? target->at_path(key.first) : nullptr;
    return value != nullptr && to_text(*value) == key.second;
  } catch (const LoadError&) {
    return false;
  }
}

}  // namespace

WrittenPlan write_plan_into(const std::string& text, std::string_view module, bool snippet,
                            const CandidateOverrides& overrides) {
  WrittenPlan out{.text = text, .left_out = {}};
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    if (has_value(out.text, module, snippet, overrides[i])) continue;
    const std::vector<Key> rest(overrides.begin() + static_cast<std::ptrdiff_t>(i), overrides.end());
    if (auto next = with_key(out.text, module, snippet, rest)) {
      out.text = *std::move(next);
    } else {
      out.left_out.push_back(overrides[i].first);
    }
  }
  return out;
}

std::string experiment_around(std::string_view framework, std::string_view model) {
  const bool is_file = model.ends_with(".yaml") || model.ends_with(".yml");
  std::string overrides;
  if (framework == "megatron") overrides = "      mock_data: true\n";
  if (framework == "torchtitan") overrides = "      training:\n        mock_data: true\n";
  if (framework == "maxtext") overrides = "      dataset_type: synthetic\n      packing: false\n";
  return fmt::format(
      "work_group: ${{PRIMUS_TEAM:team}}\nuser_name: ${{PRIMUS_USER:user}}\nexp_name: plan\nworkspace: ./output\n"
      "\nmodules:\n  pre_trainer:\n    framework: {}\n    config: pre_trainer.yaml\n    model: {}{}\n    "
      "overrides:\n{}",
      framework, model, is_file ? "" : ".yaml", overrides);
}

}  // namespace primus_plan
