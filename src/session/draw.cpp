#include "session/draw.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan::session {

namespace {

constexpr int label_columns = 8;

/// Columns of a text without its colours.
int columns_of(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size());
    } else {
      plain += text[i];
    }
  }
  return static_cast<int>(display_width(plain));
}

}  // namespace

std::string bar(double share, int columns) {
  const int full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * columns));
  std::string out;
  for (int i = 0; i < columns; ++i) out += i < full ? "█" : "░";
  return out;
}

std::string gib_text(double bytes) { return fmt::format("{:.1f} GiB", bytes / gib); }

std::string count_text(std::int64_t value) { return value > 0 ? with_commas(value) : "?"; }

std::string count_text(double value) { return with_commas(std::llround(value)); }

std::string flow(const std::string& label, const std::vector<std::string>& pieces, int width) {
  std::string out = fmt::format("{:<{}}", label, label_columns);
  int at = label_columns;
  bool first = true;
  for (const std::string& piece : pieces) {
    if (piece.empty()) continue;
    const int columns = columns_of(piece);
    if (!first && at + 3 + columns > width) {
      out += "\n" + std::string(label_columns, ' ');
      at = label_columns;
      first = true;
    }
    out += (first ? "" : "   ") + piece;
    at += columns + (first ? 0 : 3);
    first = false;
  }
  return out + "\n";
}

}  // namespace primus_plan::session
