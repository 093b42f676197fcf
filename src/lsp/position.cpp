#include "lsp/position.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/utf8.h"

namespace primus_plan::lsp {

namespace {

std::uint32_t units_of(const CodePoint& point) { return point.valid && point.value > 0xFFFF ? 2 : 1; }

/// The byte of a line after so many code points; origins do not count a byte order mark.
std::size_t byte_of_column(std::string_view line, std::uint32_t code_points, bool is_first_line) {
  std::size_t at = is_first_line && line.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  for (; code_points > 0 && at < line.size(); --code_points) at += decode_utf8(line, at).length;
  return at;
}

/// The line, counted from 0, that a byte lies in.
std::uint32_t line_of(const Source& source, std::size_t byte) {
  const auto& starts = source.line_starts();
  return static_cast<std::uint32_t>(std::ranges::upper_bound(starts, byte) - starts.begin() - 1);
}

Position position_of_byte(const Source& source, std::size_t byte) {
  const std::uint32_t line = line_of(source, byte);
  const std::size_t start = source.line_starts()[line];
  return {line, utf16_length(std::string_view(source.text()).substr(start, byte - start))};
}

}  // namespace

std::uint32_t utf16_length(std::string_view text) {
  std::uint32_t units = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    units += units_of(point);
    at += point.length;
  }
  return units;
}

std::size_t byte_at(std::string_view line, std::uint32_t character) {
  std::size_t at = 0;
  for (std::uint32_t units = 0; at < line.size();) {
    const CodePoint point = decode_utf8(line, at);
    units += units_of(point);
    if (units > character) break;
    at += point.length;
  }
  return at;
}

Range range_of(const Origin& origin) {
  if (!origin || origin.line == 0) return {};
  const std::string_view line = origin.source->line(origin.line);
  const std::uint32_t column = std::max<std::uint32_t>(origin.column, 1) - 1;
  const bool is_first = origin.line == 1;
  return range_in_line(*origin.source, origin.line - 1, byte_of_column(line, column, is_first),
                       byte_of_column(line, column + origin.length, is_first));
}

Range range_of_bytes(const Source& source, std::size_t begin, std::size_t end) {
  return {position_of_byte(source, begin), position_of_byte(source, end)};
}

Range range_in_line(const Source& source, std::uint32_t line, std::size_t begin, std::size_t end) {
  const std::string_view text = source.line(line + 1);
  return {{line, utf16_length(text.substr(0, begin))}, {line, utf16_length(text.substr(0, end))}};
}

bool share_line(const Range& a, const Range& b) { return a.start.line <= b.end.line && b.start.line <= a.end.line; }

nlohmann::json to_json(const Range& range) {
  const auto position = [](const Position& at) {
    return nlohmann::json{{"line", at.line}, {"character", at.character}};
  };
  return {{"start", position(range.start)}, {"end", position(range.end)}};
}

}  // namespace primus_plan::lsp
