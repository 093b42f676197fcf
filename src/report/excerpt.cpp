#include "report/excerpt.h"

#include <algorithm>
#include <vector>

#include "primus_plan/support/text.h"
#include "support/utf8.h"

namespace primus_plan {

namespace {

constexpr int tab_stop = 4;
constexpr int ellipsis_width = 1;
constexpr std::string_view ellipsis = "…";

/// What one character of the line looks like.
struct Cell {
  std::string text;
  int width = 0;
};

Cell make_cell(std::string_view character, int column) {
  if (character == "\t") {
    const int width = tab_stop - column % tab_stop;
    return {std::string(static_cast<std::size_t>(width), ' '), width};
  }
  std::string text = escape_controls(character);
  const int width = static_cast<int>(display_width(text));
  return {std::move(text), width};
}

/// The characters near the marks; the rest of a very long line is only counted.
struct Neighbourhood {
  std::vector<Cell> cells;
  std::size_t skipped = 0;  ///< characters before the first cell
  bool more = false;        ///< there are characters after the last cell
};

Neighbourhood cells_near(std::string_view line, std::size_t mark_first, std::size_t mark_last, std::size_t reach) {
  Neighbourhood near;
  near.skipped = mark_first > reach ? mark_first - reach : 0;
  int column = 0;
  std::size_t index = 0;
  for (std::size_t at = 0; at < line.size(); ++index) {
    if (index >= mark_last + reach) {
      near.more = true;
      break;
    }
    const std::string_view character = line.substr(at, decode_utf8(line, at).length);
    at += character.size();
    if (index < near.skipped) continue;
    near.cells.push_back(make_cell(character, column));
    column += near.cells.back().width;
  }
  near.skipped = std::min(near.skipped, index);
  return near;
}

int width_of(const std::vector<Cell>& cells, std::size_t first, std::size_t last) {
  int width = 0;
  for (std::size_t i = first; i < last; ++i) width += cells[i].width;
  return width;
}

/// The part of the line that is shown: cells [first, last).
struct Window {
  std::size_t first;
  std::size_t last;
};

/// Grows from the first marked cell: to the end of the marks, then before and after in turn, until the width is used.
Window window_around(const std::vector<Cell>& cells, std::size_t mark_first, std::size_t mark_last, int width) {
  if (cells.empty() || width_of(cells, 0, cells.size()) <= width) return {0, cells.size()};
  const int room = std::max(width - 2 * ellipsis_width, 1);
  Window window{std::min(mark_first, cells.size() - 1), 0};
  window.last = window.first;
  int used = 0;
  const auto take = [&](std::size_t cell) {
    if (used + cells[cell].width > room) return false;
    used += cells[cell].width;
    return true;
  };
  while (window.last < mark_last && take(window.last)) ++window.last;
  bool grew = true;
  while (grew) {
    grew = false;
    if (window.first > 0 && take(window.first - 1)) --window.first, grew = true;
    if (window.last < cells.size() && take(window.last)) ++window.last, grew = true;
  }
  return window;
}

}  // namespace

Excerpt make_excerpt(std::string_view line, std::uint32_t column, std::uint32_t length, int width) {
  const auto reach = static_cast<std::size_t>(std::max(width, 1));
  const std::size_t place = column == 0 ? 0 : column - 1;
  const std::size_t count = std::min<std::size_t>(std::max(length, 1U), reach);
  const Neighbourhood near = cells_near(line, place, place + count, reach);
  const std::vector<Cell>& cells = near.cells;
  const std::size_t mark_first = std::min(place - std::min(place, near.skipped), cells.size());
  const std::size_t mark_last = std::min(mark_first + count, cells.size());
  const Window window = window_around(cells, mark_first, mark_last, width);
  const bool cut_before = window.first > 0 || near.skipped > 0;

  Excerpt excerpt;
  if (cut_before) excerpt.line += ellipsis;
  for (std::size_t i = window.first; i < window.last; ++i) excerpt.line += cells[i].text;
  if (near.more || window.last < cells.size()) excerpt.line += ellipsis;
  if (column == 0) return excerpt;

  const int before =
      (cut_before ? ellipsis_width : 0) + width_of(cells, std::min(window.first, mark_first), mark_first);
  const std::size_t shown_last = std::clamp(window.last, mark_first, std::max(mark_last, mark_first));
  const int marked = std::max(width_of(cells, mark_first, shown_last), 1);
  excerpt.marks.assign(static_cast<std::size_t>(before), ' ');
  excerpt.marks += '^';
  excerpt.marks.append(static_cast<std::size_t>(marked - 1), '~');
  return excerpt;
}

}  // namespace primus_plan
