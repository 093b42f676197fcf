#include "config/yaml/text.h"

#include <fmt/core.h>

#include <cstdint>
#include <vector>

#include "config/document_rules.h"
#include "support/utf8.h"

namespace primus_plan::yaml {
namespace {

bool is_allowed(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  if (c < 0x7F) return true;
  if (c < 0xA0) return c == 0x85;
  return c != 0xFFFE && c != 0xFFFF;
}

[[noreturn]] void fail_encoding(Locator& locator, std::size_t at) {
  const std::string_view text = locator.text();
  const auto byte = static_cast<unsigned char>(text[at]);
  const bool utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  locator.fail(loading::invalid_character, {at, at + 1},
               utf16 ? std::string("the file is UTF-16 text; save it as UTF-8")
                     : fmt::format("the byte 0x{:02X} is not UTF-8 text here; save the file as UTF-8", byte));
}

}  // namespace

CheckedText::CheckedText(Locator& locator) : view_(locator.text()) {
  const std::string_view text = view_;
  if (text.starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
  std::vector<std::size_t> lone_returns;
  std::vector<std::size_t> next_lines;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x7F) {
      ++i;
      continue;
    }
    const CodePoint c = decode_utf8(text, i);
    if (!c.valid) fail_encoding(locator, i);
    if (!is_allowed(c.value)) {
      locator.fail(loading::invalid_character, {i, i + c.length},
                   fmt::format("the control character U+{:04X}{} is not allowed in YAML",
                               static_cast<unsigned>(c.value), c.value == 0 ? " (NUL)" : ""));
    }
    if (c.value == '\r' && text.substr(i + 1, 1) != "\n") lone_returns.push_back(i);
    if (c.value == 0x85) next_lines.push_back(i);
    i += c.length;
  }
  if (lone_returns.empty() && next_lines.empty()) return;
  changed_ = text;
  for (const std::size_t at : lone_returns) changed_[at] = '\n';
  for (const std::size_t at : next_lines) changed_.replace(at, 2, "\r\n");
  view_ = changed_;
}

}  // namespace primus_plan::yaml
