#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// Bytes [begin, end) of a text, and what stands there instead.
struct TextChange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string replacement;
};

/// What an edit changes in the text of its own source. A new line is indented as the edit's line is and ends as it does
/// (LF, CR LF or CR). Nothing for a place that the text does not have.
std::optional<TextChange> text_change(const Edit& edit);

/// Whether two changes touch the same bytes, or insert at the same place.
bool overlaps(const TextChange& a, const TextChange& b);

/// The text after changes that do not overlap; every byte outside of them is kept.
std::string apply_changes(std::string_view text, std::vector<TextChange> changes);

}  // namespace primus_plan
