#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "primus_plan/diagnostics/origin.h"

namespace primus_plan::lsp {

/// A place in a document as the protocol counts: from 0, characters in UTF-16 code units.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
  auto operator<=>(const Position&) const = default;
};

/// From `start` up to and without `end`.
struct Range {
  Position start;
  Position end;
};

/// UTF-16 code units of a UTF-8 text.
std::uint32_t utf16_length(std::string_view text);
/// The byte of a line at which this code unit begins; the line's length past its end.
std::size_t byte_at(std::string_view line, std::uint32_t character);

/// Where an origin stands in its own source; an empty range at the beginning where its line is unknown.
Range range_of(const Origin& origin);
/// Bytes [begin, end) of a source.
Range range_of_bytes(const Source& source, std::size_t begin, std::size_t end);
/// Bytes [begin, end) of a line counted from 0.
Range range_in_line(const Source& source, std::uint32_t line, std::size_t begin, std::size_t end);

/// Whether two ranges have a line in common.
bool share_line(const Range& a, const Range& b);

nlohmann::json to_json(const Range& range);

}  // namespace primus_plan::lsp
