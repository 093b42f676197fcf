#include "report/cells.h"

#include <algorithm>
#include <array>

namespace primus_plan {

namespace {

constexpr char first_printable = ' ';
constexpr std::size_t printable = 95;

constexpr std::array<char, printable> make_printables() {
  std::array<char, printable> out{};
  for (std::size_t i = 0; i < printable; ++i) out[i] = static_cast<char>(first_printable + static_cast<char>(i));
  return out;
}
constexpr std::array<char, printable> printables = make_printables();

}  // namespace

std::string drawn(const Cells& cells, const Paint& paint) {
  std::size_t end = cells.size();
  while (end > 0 && cells[end - 1].glyph == " " && cells[end - 1].style.empty()) --end;
  std::string out;
  std::string run;
  for (std::size_t i = 0; i < end; ++i) {
    run += cells[i].glyph;
    if (i + 1 < end && cells[i + 1].style == cells[i].style) continue;
    out += cells[i].style.empty() ? run : paint.styled(cells[i].style, run);
    run.clear();
  }
  return out;
}

std::string_view ascii_glyph(char character) {
  const auto at = static_cast<std::size_t>(character - first_printable);
  return {&printables[at < printable ? at : static_cast<std::size_t>('?' - first_printable)], 1};
}

void write_text(Cells& cells, std::size_t column, std::string_view text, std::string_view style) {
  for (const char character : text) {
    if (column >= cells.size()) return;
    cells[column++] = {ascii_glyph(character), style};
  }
}

std::string flowed(const std::vector<LinePiece>& pieces, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (const LinePiece& piece : pieces) {
    if (column > 0 && column + 2 + piece.columns > width) {
      out += '\n';
      column = 0;
    }
    out += "  " + piece.text;
    column += 2 + piece.columns;
  }
  return out.empty() ? out : out + '\n';
}

}  // namespace primus_plan
