#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "primus_plan/report/report.h"
#include "report/paint.h"

namespace primus_plan {

/// Columns of text, each as wide as its widest cell, indented by two. Rows may be shorter than the header.
class Table {
 public:
  /// How the cells of a column stand.
  enum class Side : bool { right, left };

  /// A bold header; all columns stand to the right.
  explicit Table(std::vector<std::string> header) : has_header_(true) { add(std::move(header)); }
  /// Without a header.
  explicit Table(std::vector<Side> sides) : sides_(std::move(sides)) {}
  Table(std::vector<std::string> header, std::vector<Side> sides) : has_header_(true), sides_(std::move(sides)) {
    add(std::move(header));
  }

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Each row in one line.
  std::string text(const Paint& paint) const;
  /// The same for a terminal: columns that it has no room for stand in further lines of their row, below each other.
  std::string text(const Paint& paint, const TextStyle& style) const;

 private:
  /// The columns [begin, end) of the rows, which stand in one line.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t indent = 0;
    std::size_t last_at = 0;  ///< where the last of them begins
  };

  std::vector<std::size_t> widths() const;
  std::vector<Part> parts(const std::vector<std::size_t>& widths, const TextStyle& style) const;
  std::string line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths, const Part& part) const;
  Side side(std::size_t column) const { return column < sides_.size() ? sides_[column] : Side::right; }

  bool has_header_ = false;
  std::vector<Side> sides_;  ///< of the first columns; the others stand to the right
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace primus_plan
