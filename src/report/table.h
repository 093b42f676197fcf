#pragma once

#include <string>
#include <vector>

#include "report/paint.h"

namespace primus_plan {

/// Columns of text, each as wide as its widest cell; numbers and words to the right. Rows may be shorter than the
/// header.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Indented by two, the header bold.
  std::string text(const Paint& paint) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace primus_plan
