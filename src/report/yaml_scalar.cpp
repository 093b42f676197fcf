#include "report/yaml_scalar.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "primus_plan/support/text.h"
#include "report/json_writer.h"
#include "support/base64.h"

namespace primus_plan {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Words that YAML 1.1 reads as a boolean or null. Compared without case, so a few more are quoted than must be.
bool is_reserved_word(std::string_view text) {
  constexpr std::array<std::string_view, 9> words = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  return std::ranges::any_of(words, [text](std::string_view word) { return equal_ignoring_case(word, text); });
}

/// Whether a text can stand without quotes: begins so that it is no number, date or indicator, and holds only
/// characters that mean nothing to YAML, inside a flow list as well.
bool is_plain(std::string_view text) {
  if (text.empty() || text.back() == ' ' || text.back() == ':' || is_reserved_word(text)) return false;
  const bool begins_plainly =
      is_letter(text[0]) || text[0] == '_' || text[0] == '/' || text.substr(0, 2) == "./" || text.substr(0, 3) == "../";
  if (!begins_plainly) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c) || is_digit(c) || std::string_view("_./+-=@$*^~").find(c) != std::string_view::npos) continue;
    if (c == ' ' && text[i - 1] != ' ') continue;
    if (c == ':' && text[i + 1] != ' ' && text[i + 1] != ':') continue;
    return false;
  }
  return true;
}

/// In single quotes where that spares escapes, else in double quotes.
std::string quoted(std::string_view text) {
  std::string in_double_quotes = json_string(text);
  const bool only_harmless_escapes = escape_controls(text) == text && text.find('\'') == std::string_view::npos;
  const bool escapes = in_double_quotes.find('\\') != std::string::npos;
  if (!escapes || !only_harmless_escapes || text.find("\xEF\xBF") != std::string_view::npos) return in_double_quotes;
  return fmt::format("'{}'", text);
}

std::string real(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text = real_text(value);
  const std::size_t exponent = text.find('e');  // YAML 1.1 wants a point before it
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string join(const std::vector<NodePtr>& items, std::string (*write)(const Node&)) {
  std::string out;
  for (const NodePtr& item : items) {
    if (!out.empty()) out += ", ";
    out += write(*item);
  }
  return out;
}

std::string flow_mapping(const Node& node) {
  std::string out;
  for (const Entry& entry : node.entries()) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{}: {}", yaml_flow(*entry.key), yaml_flow(*entry.value));
  }
  return "{" + out + "}";
}

/// SafeLoader makes tuples only as the members of !!pairs and !!omap.
std::string flow_pair(const Node& tuple) {
  if (tuple.kind != Kind::tuple || tuple.items.size() != 2) return yaml_flow(tuple);
  return fmt::format("{{? {} : {}}}", yaml_flow(*tuple.items[0]), yaml_flow(*tuple.items[1]));
}

std::string flow_sequence(const Node& node) {
  const bool pairs = !node.items.empty() && node.items.front()->kind == Kind::tuple;
  if (pairs) return fmt::format("!!pairs [{}]", join(node.items, flow_pair));
  return fmt::format("[{}]", join(node.items, yaml_flow));
}

std::string flow_set(const Node& node) {
  std::string out;
  for (const NodePtr& item : node.items) {
    if (!out.empty()) out += ", ";
    out += "? " + yaml_flow(*item);
  }
  return "!!set {" + out + "}";
}

}  // namespace

std::string yaml_scalar(const Node& node) {
  switch (node.kind) {
    case Kind::boolean:
      return node.boolean ? "true" : "false";
    case Kind::integer:
      return fmt::format("{}", node.integer);
    case Kind::real:
      return real(node.real);
    case Kind::string:
      return is_plain(node.text) ? node.text : quoted(node.text);
    case Kind::big_integer:
    case Kind::date:
    case Kind::datetime:
      return node.text;
    case Kind::bytes:
      return fmt::format("!!binary \"{}\"", encode_base64(node.text));
    default:
      return "null";
  }
}

std::string yaml_flow(const Node& node) {
  switch (node.kind) {
    case Kind::mapping:
      return flow_mapping(node);
    case Kind::sequence:
    case Kind::tuple:
      return flow_sequence(node);
    case Kind::set:
      return flow_set(node);
    default:
      return yaml_scalar(node);
  }
}

}  // namespace primus_plan
