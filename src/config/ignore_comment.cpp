#include "primus_plan/config/ignore_comment.h"

#include <algorithm>

#include "config/source_text.h"
#include "config/tool_comment.h"

namespace primus_plan {
namespace {

/// What stands between the brackets of "ignore[A, B]".
std::vector<std::string_view> split_rules(std::string_view ignore) {
  constexpr std::string_view separators = ", \t";
  std::string_view list = ignore.substr(ignore.find('[') + 1);
  list.remove_suffix(1);
  std::vector<std::string_view> rules;
  while (true) {
    list.remove_prefix(std::min(list.find_first_not_of(separators), list.size()));
    if (list.empty()) return rules;
    rules.push_back(list.substr(0, list.find_first_of(separators)));
    list.remove_prefix(rules.back().size());
  }
}

/// The first line after `line` that has more than a comment.
std::uint32_t next_content(const Source& source, std::uint32_t line) {
  const auto lines = static_cast<std::uint32_t>(source.line_starts().size());
  for (++line; line <= lines; ++line) {
    const std::string_view text = source.line(line);
    const std::size_t start = text.find_first_not_of(" \t\r");
    if (start != std::string_view::npos && text[start] != '#') break;
  }
  return line;
}

}  // namespace

std::vector<IgnoreComment> find_ignores(const Source& source, std::uint32_t first, std::uint32_t last) {
  std::vector<IgnoreComment> found;
  std::uint32_t content = 0;  ///< the next line of content that was looked for last
  for (const ToolComment& comment : find_tool_comments(source, first, last)) {
    if (comment.ignore.empty()) continue;
    const auto place = [&](std::string_view part) { return origin_of(source, part, Layer::experiment); };
    IgnoreComment& ignore = found.emplace_back();
    ignore.rules = split_rules(comment.ignore);
    ignore.reason = comment.reason;
    if (comment.alone && content <= comment.line) content = next_content(source, comment.line);
    ignore.line = comment.alone ? content : comment.line;
    ignore.origin = place(comment.ignore);
    if (comment.text.find_first_not_of(" \t\r") == std::string_view::npos) ignore.comment = place(comment.whole);
  }
  return found;
}

}  // namespace primus_plan
