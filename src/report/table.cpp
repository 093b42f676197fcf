#include "report/table.h"

#include <algorithm>

#include "primus_plan/support/text.h"

namespace primus_plan {

std::string Table::text(const Paint& paint) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += std::string(2 + widths[i] - display_width(row[i]), ' ') + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += (&row == &rows_.front() ? paint.bold(line) : line) + "\n";
  }
  return out;
}

}  // namespace primus_plan
