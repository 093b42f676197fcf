#include "session/section.h"

#include <algorithm>
#include <optional>

#include "primus_plan/config/document.h"
#include "primus_plan/report/plan.h"

namespace primus_plan::session {

namespace {

constexpr std::string_view section = "overrides";
constexpr std::size_t step = 2;  // columns that what is in a section stands further in

/// An entry that is a line of its own: the key first, its value behind it or nothing.
bool is_a_line(const Entry& entry) {
  const Origin& key = entry.key_origin;
  const Node& value = *entry.value;
  if (key.source == nullptr || key.line == 0 || value.is_mapping() || !value.items.empty()) return false;
  const std::string_view line = key.source->line(key.line);
  return line.find_first_not_of(' ') + 1 == key.column && (value.is_null() || value.origin.line == key.line);
}

/// Whether a key has nothing behind its colon, but for a comment.
bool is_bare(const Entry& entry) {
  if (!entry.value->is_null() || !is_a_line(entry)) return false;
  const std::string_view line = entry.key_origin.source->line(entry.key_origin.line);
  const std::size_t colon = line.find(':', entry.key_origin.column - 1);
  if (colon == std::string_view::npos) return false;
  const std::size_t rest = line.find_first_not_of(" \t\r\n", colon + 1);
  return rest == std::string_view::npos || line[rest] == '#';
}

/// The text with whole lines behind one of it, ending as that one does.
std::string with_lines(const std::string& text, const Origin& behind, const std::string& lines) {
  const std::vector<std::size_t>& starts = behind.source->line_starts();
  const std::size_t at = behind.line < starts.size() ? starts[behind.line] : text.size();
  std::string out = text.substr(0, at);
  const bool has_returns = out.ends_with("\r\n");
  if (!out.ends_with('\n')) out += '\n';
  for (const char c : lines) {
    if (c == '\n' && has_returns) out += '\r';
    out += c;
  }
  return out + text.substr(at);
}

const Entry* last_line(const Node& module) {
  const std::vector<Entry>& entries = module.entries();
  const auto found = std::find_if(entries.rbegin(), entries.rend(), is_a_line);
  return found == entries.rend() ? nullptr : &*found;
}

}  // namespace

WithSection add_section(const std::string& text, const std::string& module, const CandidateOverrides& overrides) {
  const Source source("experiment", text);
  Remarks remarks;
  const NodePtr root = parse_yaml(source, Layer::experiment, Limits{}, remarks);
  const Node* modules = root->get("modules");
  const Node* own = modules != nullptr ? modules->get(module) : nullptr;
  if (own == nullptr || !own->is_mapping()) return {.was = Section::odd, .text = {}};
  if (const Entry* there = own->entry_at_path(section)) {
    if (there->value->is_mapping() && !there->value->entries().empty()) return {};
    if (!is_bare(*there)) return {.was = Section::odd, .text = {}};
    const std::string block = overrides_block(overrides, there->key_origin.column - 1 + step);
    return {.was = Section::missing, .text = with_lines(text, there->key_origin, block)};
  }
  const Entry* last = last_line(*own);
  if (last == nullptr) return {.was = Section::odd, .text = {}};
  const std::size_t column = last->key_origin.column - 1;
  const std::string block =
      std::string(column, ' ') + std::string(section) + ":\n" + overrides_block(overrides, column + step);
  return {.was = Section::missing, .text = with_lines(text, last->key_origin, block)};
}

}  // namespace primus_plan::session
