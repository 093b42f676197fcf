#include <fmt/core.h>

#include <cmath>

#include "config/yaml/types.h"
#include "primus_plan/config/node.h"
#include "support/base64.h"
#include "support/utf8.h"

namespace primus_plan {
namespace {

/// Whether a plain scalar of this text is read back as the same text, in flow context too.
bool can_be_plain(std::string_view text) {
  constexpr std::string_view indicators = "-?:,[]{}#&*!|>'\"%@` ";
  constexpr std::string_view never = ",[]{}\"'\\\t\n\r";
  if (text.empty() || yaml::resolve(text) != yaml::ScalarType::string) return false;
  const bool risky_start = indicators.find(text.front()) != std::string_view::npos;
  if (risky_start || text.back() == ' ' || text.back() == ':' || text.find_first_of(never) != std::string_view::npos) {
    return false;
  }
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7F) return false;
  }
  return true;
}

std::string escape(char32_t c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return c <= 0xFF ? fmt::format("\\x{:02X}", static_cast<unsigned>(c))
                       : fmt::format("\\u{:04X}", static_cast<unsigned>(c));
  }
}

bool needs_escape(char32_t c) {
  return c < 0x20 || c == '"' || c == '\\' || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    if (needs_escape(c.value)) {
      result += escape(c.value);
    } else {
      result += text.substr(i, c.length);
    }
    i += c.length;
  }
  return result + '"';
}

/// The shortest text that PyYAML reads back as the same float.
std::string real_text(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

std::string join_items(const Node& node) {
  std::string result;
  for (const NodePtr& item : node.items) result += (result.empty() ? "" : ", ") + to_text(*item);
  return result;
}

std::string join_entries(const Node& node) {
  std::string result;
  for (const Entry& entry : node.entries()) {
    result += (result.empty() ? "" : ", ") + to_text(*entry.key) + ": " + to_text(*entry.value);
  }
  return result;
}

}  // namespace

std::string to_text(const Node& node) {
  switch (node.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return node.boolean ? "true" : "false";
    case Kind::integer:
      return fmt::format("{}", node.integer);
    case Kind::real:
      return real_text(node.real);
    case Kind::string:
      return can_be_plain(node.text) ? node.text : quote(node.text);
    case Kind::big_integer:
    case Kind::date:
    case Kind::datetime:
      return node.text;
    case Kind::bytes:
      return fmt::format("!!binary \"{}\"", encode_base64(node.text));
    case Kind::sequence:
    case Kind::tuple:
      return fmt::format("[{}]", join_items(node));
    case Kind::set:
      return fmt::format("!!set {{{}}}", join_items(node));
    case Kind::mapping:
      return fmt::format("{{{}}}", join_entries(node));
  }
  return {};
}

}  // namespace primus_plan
