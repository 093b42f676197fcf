#include "lsp/outline.h"

#include <algorithm>
#include <optional>

#include "support/utf8.h"

namespace primus_plan::lsp {

namespace {

std::size_t skip_spaces(std::string_view line, std::size_t at) {
  while (at < line.size() && line[at] == ' ') ++at;
  return at;
}

/// Where a value ends: before a comment and the spaces around it.
std::size_t end_of_value(std::string_view line, std::size_t begin) {
  std::size_t end = line.size();
  if (begin < line.size() && (line[begin] == '"' || line[begin] == '\'')) {
    const std::size_t closing = line.find(line[begin], begin + 1);
    return closing == std::string_view::npos ? end : closing + 1;
  }
  const std::size_t comment = line.find(" #", begin);
  if (comment != std::string_view::npos) end = comment;
  if (begin < line.size() && line[begin] == '#') end = begin;
  while (end > begin && line[end - 1] == ' ') --end;
  return end;
}

/// The key of a line in quotes or without; its end in the line, or nothing when the line has none.
struct Key {
  std::string text;
  std::size_t end = 0;    ///< behind it
  std::size_t colon = 0;  ///< of the colon
};

std::optional<Key> read_key(std::string_view line, std::size_t begin) {
  if (begin >= line.size() || std::string_view("#-[{&*!|>%@`?").find(line[begin]) != std::string_view::npos) {
    return std::nullopt;
  }
  Key key;
  if (line[begin] == '"' || line[begin] == '\'') {
    const std::size_t closing = line.find(line[begin], begin + 1);
    if (closing == std::string_view::npos) return std::nullopt;
    key.text = line.substr(begin + 1, closing - begin - 1);
    key.end = closing + 1;
    key.colon = skip_spaces(line, key.end);
    if (key.colon >= line.size() || line[key.colon] != ':') return std::nullopt;
    return key;
  }
  for (std::size_t colon = line.find(':', begin); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
    if (colon + 1 < line.size() && line[colon + 1] != ' ') continue;
    key.colon = colon;
    key.end = colon;
    while (key.end > begin && line[key.end - 1] == ' ') --key.end;
    key.text = line.substr(begin, key.end - begin);
    if (key.text.find(" #") != std::string::npos) return std::nullopt;
    return key;
  }
  return std::nullopt;
}

bool is_separator(std::string_view line) { return line == "---" || line.starts_with("--- "); }

bool opens_block_scalar(std::string_view value) { return value.starts_with('|') || value.starts_with('>'); }

}  // namespace

Outline::Outline(const Source& source) : source_(source) {
  struct Level {
    std::uint32_t indent;
    std::string key;
  };
  std::vector<Level> levels;
  bool in_scalar = false;  // a block scalar, of a key that is indented by scalar_indent
  std::uint32_t scalar_indent = 0;
  const auto lines = static_cast<std::uint32_t>(source.line_starts().size());
  for (std::uint32_t number = 0; number < lines; ++number) {
    const std::string_view line = source.line(number + 1);
    const std::size_t start = number == 0 && line.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    if (is_separator(line)) {
      levels.clear();
      in_scalar = false;
      separators_.push_back(number);
      continue;
    }
    const std::size_t begin = skip_spaces(line, start);
    const auto indent = static_cast<std::uint32_t>(begin - start);
    if (begin >= line.size() || (in_scalar && indent > scalar_indent)) continue;
    in_scalar = false;
    const auto key = read_key(line, begin);
    if (!key) continue;
    while (!levels.empty() && levels.back().indent >= indent) levels.pop_back();
    levels.push_back({indent, key->text});
    KeyLine out{.line = number, .indent = indent, .path = {}, .key_begin = begin, .key_end = key->end};
    for (const Level& level : levels) out.path.push_back(level.key);
    out.value_begin = skip_spaces(line, key->colon + 1);
    out.value_end = end_of_value(line, out.value_begin);
    out.document = static_cast<std::uint32_t>(separators_.size());
    in_scalar = opens_block_scalar(line.substr(out.value_begin));
    scalar_indent = indent;
    keys_.push_back(std::move(out));
  }
}

const KeyLine* Outline::at_line(std::uint32_t line) const {
  const auto found = std::ranges::lower_bound(keys_, line, {}, &KeyLine::line);
  return found != keys_.end() && found->line == line ? &*found : nullptr;
}

std::uint32_t Outline::document_of(std::uint32_t line) const {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(separators_, line) - separators_.begin());
}

KeyPath Outline::around(std::uint32_t line, std::uint32_t indent) const {
  const std::uint32_t document = document_of(line);
  auto at = std::ranges::lower_bound(keys_, line, {}, &KeyLine::line);
  while (at != keys_.begin()) {
    --at;
    if (at->document != document) break;
    if (at->indent < indent) return at->path;
  }
  return {};
}

std::string Outline::value_at(const KeyPath& path, std::uint32_t line) const {
  const std::uint32_t document = document_of(line);
  for (const KeyLine& key : keys_) {
    if (key.document != document || key.path != path) continue;
    std::string_view value =
        source_.line(key.line + 1).substr(key.value_begin, std::max(key.value_end, key.value_begin) - key.value_begin);
    const bool is_quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'');
    if (is_quoted) value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return {};
}

bool Outline::has_top_level(std::string_view key) const {
  return std::ranges::any_of(keys_, [&](const KeyLine& one) { return one.path.size() == 1 && one.path[0] == key; });
}

std::string dotted(const KeyPath& path, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < path.size(); ++i) {
    if (i > from) out += '.';
    out += path[i];
  }
  return out;
}

}  // namespace primus_plan::lsp
