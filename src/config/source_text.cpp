#include "config/source_text.h"

#include <algorithm>

#include "config/yaml/locator.h"

namespace primus_plan {
namespace {

std::uint32_t code_points(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

Origin origin_in(const Source& source, std::size_t begin, std::size_t end, Layer layer) {
  const std::string_view text = source.text();
  const std::vector<std::size_t>& starts = source.line_starts();
  const auto line = static_cast<std::uint32_t>(std::ranges::upper_bound(starts, begin) - starts.begin());
  const std::size_t mark =
      text.starts_with(yaml::byte_order_mark) ? yaml::byte_order_mark.size() : 0;  // takes no column
  const std::size_t line_start = std::min(begin, std::max(starts[line - 1], mark));
  const std::size_t line_end = std::max(begin, starts[line - 1] + source.line(line).size());
  return {.source = &source,
          .line = line,
          .column = 1 + code_points(text.substr(line_start, begin - line_start)),
          .length = code_points(text.substr(begin, std::min(end, line_end) - begin)),
          .layer = layer};
}

}  // namespace primus_plan
