#include "config/yaml/locator.h"

#include <algorithm>
#include <utility>

#include "config/make_finding.h"
#include "primus_plan/diagnostics/load_error.h"
#include "support/utf8.h"

namespace primus_plan::yaml {

Locator::Locator(const Source& source, Layer layer) : source_(source), layer_(layer), offset_(line_begin(0)) {}

/// The first character of a line; a byte order mark takes no column.
std::size_t Locator::line_begin(std::size_t line) const {
  const std::size_t begin = source_.line_starts()[line];
  return begin == 0 && text().starts_with(byte_order_mark) ? byte_order_mark.size() : begin;
}

void Locator::move_to(std::size_t offset) {
  const auto& starts = source_.line_starts();
  const bool same_line = offset >= starts[line_] && (line_ + 1 == starts.size() || offset < starts[line_ + 1]);
  if (!same_line) {
    line_ = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin()) - 1;
  }
  if (!same_line || offset < offset_) {
    offset_ = line_begin(line_);
    column_ = 0;
  }
  if (offset <= offset_) return;
  column_ += count_code_points(text().substr(offset_, offset - offset_));
  offset_ = offset;
}

Origin Locator::origin(Range range) {
  const std::size_t begin = std::min(range.begin, text().size());
  move_to(begin);
  Origin result;
  result.source = &source_;
  result.line = static_cast<std::uint32_t>(line_ + 1);
  result.column = static_cast<std::uint32_t>(column_ + 1);
  result.layer = layer_;
  const std::string_view token = text().substr(begin, range.end > begin ? range.end - begin : 0);
  result.length = static_cast<std::uint32_t>(count_code_points(token.substr(0, token.find_first_of("\r\n"))));
  return result;
}

void Locator::fail(const RuleInfo& rule, Range range, std::string message, std::vector<Label> related) {
  fail(rule, origin(range), std::move(message), std::move(related));
}

void Locator::fail(const RuleInfo& rule, const Origin& where, std::string message, std::vector<Label> related) {
  throw LoadError(make_finding(rule, where, std::move(message), std::move(related)));
}

}  // namespace primus_plan::yaml
