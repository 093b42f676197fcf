#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan::yaml {

/// A range of bytes of the text.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Turns byte offsets of one text into origins, and refusals into LoadErrors. Fast when asked in text order.
class Locator {
 public:
  Locator(const Source& source, Layer layer);

  /// The place of a range; what goes past the line of its beginning is cut off.
  Origin origin(Range range);
  /// Throws a LoadError of this rule.
  [[noreturn]] void fail(const RuleInfo& rule, Range range, std::string message, std::vector<Label> related = {});

  /// The same at a place that is known already.
  [[noreturn]] void fail(const RuleInfo& rule, const Origin& where, std::string message,
                         std::vector<Label> related = {});

  std::string_view text() const { return source_.text(); }

 private:
  void move_to(std::size_t offset);
  std::size_t line_begin(std::size_t line) const;

  const Source& source_;
  Layer layer_;
  std::size_t line_ = 0;  ///< index of the line of offset_
  std::size_t offset_ = 0;
  std::size_t column_ = 0;  ///< code points between the beginning of the line and offset_
};

}  // namespace primus_plan::yaml
