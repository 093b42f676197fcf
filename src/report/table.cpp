#include "report/table.h"

#include <algorithm>

#include "primus_plan/support/text.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

constexpr std::size_t gap = 2;            ///< before each column
constexpr std::size_t further_in = 4;     ///< how much further in a row's second line begins
constexpr std::size_t room_to_fold = 24;  ///< columns that a text at the end of a line folds in

}  // namespace

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> out;
  for (const auto& row : rows_) {
    out.resize(std::max(out.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = std::max(out[i], display_width(row[i]));
  }
  return out;
}

std::string Table::line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                        const Part& part) const {
  std::string out(part.indent, ' ');
  for (std::size_t i = part.begin; i < std::min(row.size(), part.end); ++i) {
    const std::string blanks(widths[i] - display_width(row[i]), ' ');
    out += std::string(gap, ' ') + (side(i) == Side::left ? row[i] + blanks : blanks + row[i]);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Table::text(const Paint& paint) const { return text(paint, {}); }

std::vector<Table::Part> Table::parts(const std::vector<std::size_t>& widths, const TextStyle& style) const {
  const std::size_t columns = style.wraps ? static_cast<std::size_t>(style.width) : std::string::npos;
  std::vector<Part> out{{.begin = 0, .end = 0, .indent = 0, .last_at = 0}};
  std::size_t at = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    // A text at the end of a line folds in the room that it has there.
    const bool folds = i + 1 == widths.size() && side(i) == Side::left;
    const std::size_t needs = gap + (folds ? std::min(widths[i], room_to_fold) : widths[i]);
    if (i > out.back().begin && at + needs > columns) {
      out.push_back({.begin = i, .end = i, .indent = further_in, .last_at = 0});
      at = further_in;
    }
    out.back().end = i + 1;
    out.back().last_at = at + gap;
    at += gap + widths[i];
  }
  return out;
}

std::string Table::text(const Paint& paint, const TextStyle& style) const {
  const std::vector<std::size_t> all = widths();
  const std::vector<Part> lines = parts(all, style);
  std::string out;
  for (const auto& row : rows_) {
    for (const Part& part : lines) {
      if (part.begin > 0 && part.begin >= row.size()) continue;
      const std::string whole = line(row, all, part);
      if (part.begin > 0 && whole.empty()) continue;
      const bool is_header = has_header_ && &row == &rows_.front();
      out += wrapped(is_header ? paint.bold(whole) : whole, part.last_at, style) + "\n";
    }
  }
  return out;
}

}  // namespace primus_plan
