#include "lsp/messages.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

namespace primus_plan::lsp {

namespace {

using Json = nlohmann::json;

/// Bounds what JSON may do to the stack; the protocol's own messages nest about ten deep.
bool is_too_deep(std::string_view text) {
  constexpr std::size_t deepest = 64;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string && c == '\\') ++at;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > deepest) return true;
  }
  return false;
}

enum class Half : std::uint8_t { none, first, second };

/// Which half of a surrogate pair the escape at a place is: \uD800 to \uDBFF, \uDC00 to \uDFFF.
Half half_at(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(at, 6);
  if (escape.size() < 6 || !escape.starts_with("\\u") || std::tolower(static_cast<unsigned char>(escape[2])) != 'd') {
    return Half::none;
  }
  const int third = std::tolower(static_cast<unsigned char>(escape[3]));
  if (third == '8' || third == '9' || third == 'a' || third == 'b') return Half::first;
  return third >= 'c' && third <= 'f' ? Half::second : Half::none;
}

std::string without_halves(std::string_view text) {
  constexpr std::size_t escape = 6;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    if (text[at] == '\\') length = 2;
    if (const Half half = half_at(text, at); half != Half::none) {
      const bool is_pair = half == Half::first && half_at(text.substr(at), escape) == Half::second;
      length = is_pair ? 2 * escape : escape;
      if (!is_pair) {
        out += "\\ufffd";
        at += length;
        continue;
      }
    }
    out += text.substr(at, length);
    at += length;
  }
  return out;
}

}  // namespace

Json parse_message(const std::string& text) {
  if (is_too_deep(text)) return Json(Json::value_t::discarded);
  Json message = Json::parse(text, nullptr, false);
  const bool may_have_halves = message.is_discarded() && text.find("\\u") != std::string::npos;
  return may_have_halves ? Json::parse(without_halves(text), nullptr, false) : message;
}

}  // namespace primus_plan::lsp
