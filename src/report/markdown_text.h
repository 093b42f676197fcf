#pragma once

#include <string>
#include <string_view>

namespace primus_plan {

/// Text that Markdown (GitHub's, CommonMark) shows as it is, in paragraphs, table cells and HTML elements alike: what
/// could be markup becomes a character reference, line breaks and control characters become visible escapes.
std::string markdown_text(std::string_view text);

/// The same in a monospaced font.
std::string markdown_code(std::string_view text);

/// A fenced block, ending in a line break; the fence is longer than any in the text. A line break at the text's end is
/// not doubled. Control characters other than line breaks become visible.
std::string markdown_fence(std::string_view language, std::string_view text);

}  // namespace primus_plan
