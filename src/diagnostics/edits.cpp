#include "primus_plan/diagnostics/edits.h"

#include <algorithm>

#include "support/utf8.h"

namespace primus_plan {
namespace {

/// The byte offset of a code point of a line, counted from 0; nothing past the end.
std::optional<std::size_t> offset_of(std::string_view line, std::size_t code_point, bool is_first_line) {
  std::size_t at = is_first_line && line.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  for (; code_point > 0 && at < line.size(); --code_point) {
    do {
      ++at;
    } while (at < line.size() && continues_character(line[at]));
  }
  if (code_point > 0) return std::nullopt;
  return at;
}

/// How a line ends; the text's first line break where it is the last and has none.
std::string_view line_break(std::string_view text, std::size_t line_end) {
  std::size_t at = line_end < text.size() ? line_end : text.find_first_of("\r\n");
  if (at == std::string_view::npos) return "\n";
  return text.substr(at, 2) == "\r\n" ? "\r\n" : text.substr(at, 1);
}

TextChange new_line(std::string_view text, std::size_t line_start, std::string_view line,
                    const std::string& replacement) {
  const std::size_t line_end = line_start + line.size();
  const std::string_view ending = line_break(text, line_end);
  const std::string_view indent = line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
  std::string inserted(ending);
  inserted.append(indent).append(replacement);
  return {line_end, line_end, std::move(inserted)};
}

}  // namespace

std::optional<TextChange> text_change(const Edit& edit) {
  const Origin& where = edit.where;
  if (!where || where.line == 0 || where.line > where.source->line_starts().size()) return std::nullopt;
  const std::size_t line_start = where.source->line_starts()[where.line - 1];
  const std::string_view line = where.source->line(where.line);
  if (edit.insert_line) return new_line(where.source->text(), line_start, line, edit.replacement);
  if (where.column == 0) return std::nullopt;
  const auto begin = offset_of(line, where.column - 1, where.line == 1);
  const auto end = offset_of(line, where.column - 1 + where.length, where.line == 1);
  if (!begin || !end) return std::nullopt;
  return TextChange{line_start + *begin, line_start + *end, edit.replacement};
}

bool overlaps(const TextChange& a, const TextChange& b) {
  return a.begin == b.begin || (a.begin < b.end && b.begin < a.end);
}

std::string apply_changes(std::string_view text, std::vector<TextChange> changes) {
  std::sort(changes.begin(), changes.end(), [](const TextChange& a, const TextChange& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t done = 0;
  for (const TextChange& change : changes) {
    out.append(text, done, change.begin - done).append(change.replacement);
    done = change.end;
  }
  return out.append(text, done);
}

}  // namespace primus_plan
