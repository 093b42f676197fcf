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
  const std::string_view before = text.substr(0, begin);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::size_t mark =
      text.starts_with(yaml::byte_order_mark) ? yaml::byte_order_mark.size() : 0;  // takes no column
  const std::size_t line_end = std::min(text.find('\n', begin), text.size());
  return {.source = &source,
          .line = 1 + static_cast<std::uint32_t>(std::ranges::count(before, '\n')),
          .column = 1 + code_points(before.substr(std::min(begin, std::max(line_start, mark)))),
          .length = code_points(text.substr(begin, std::min(end, line_end) - begin)),
          .layer = layer};
}

}  // namespace primus_plan
