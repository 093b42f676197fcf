#include "backends/maxtext/coerce.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "support/lower_case.h"

namespace primus_plan::maxtext {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::optional<double> parse_real(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole(double value) {
  constexpr double limit = 9.0e18;
  if (!std::isfinite(value) || std::trunc(value) != value || std::fabs(value) > limit) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.empty()) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.empty()) return value;
  // "2.0" counts as 2.
  const bool zeros = rest.size() > 1 && rest.front() == '.' && rest.find_first_not_of('0', 1) == std::string_view::npos;
  return zeros ? std::optional(value) : std::nullopt;
}

Coerced as_integer(const NodePtr& value) {
  Coerced out{.node = nullptr, .expected = "an integer"};
  std::optional<std::int64_t> number;
  switch (value->kind) {
    case Kind::integer:
      out.node = value;
      return out;
    case Kind::boolean:
      number = value->boolean ? 1 : 0;
      out.surprising = true;
      break;
    case Kind::real:
      number = whole(value->real);
      break;
    case Kind::string:
      number = parse_integer(value->text);
      break;
    default:
      break;
  }
  if (number) out.node = make_integer(*number, value->origin);
  return out;
}

Coerced as_real(const NodePtr& value) {
  Coerced out{.node = nullptr, .expected = "a number"};
  switch (value->kind) {
    case Kind::integer:
    case Kind::real:
      out.node = value;
      return out;
    case Kind::boolean:
      out.node = make_real(value->boolean ? 1.0 : 0.0, value->origin);
      out.surprising = true;
      return out;
    case Kind::string:
      if (const auto number = parse_real(value->text)) out.node = make_real(*number, value->origin);
      return out;
    default:
      return out;
  }
}

Coerced as_boolean(const NodePtr& value) {
  static constexpr std::array<std::string_view, 6> yes{"true", "yes", "on", "t", "y", "1"};
  static constexpr std::array<std::string_view, 6> no{"false", "no", "off", "f", "n", "0"};
  Coerced out{.node = nullptr, .expected = "true or false"};
  std::optional<bool> flag;
  if (value->kind == Kind::boolean) flag = value->boolean;
  if (value->kind == Kind::integer && (value->integer == 0 || value->integer == 1)) flag = value->integer == 1;
  if (value->kind == Kind::real && (value->real == 0 || value->real == 1)) flag = value->real == 1;
  if (value->kind == Kind::string) {
    const std::string text = lower_case(value->text);
    if (std::find(yes.begin(), yes.end(), text) != yes.end()) flag = true;
    if (std::find(no.begin(), no.end(), text) != no.end()) flag = false;
  }
  if (flag) out.node = value->kind == Kind::boolean ? value : make_boolean(*flag, value->origin);
  return out;
}

}  // namespace

Coerced coerce(const KeySpec& spec, const NodePtr& value) {
  const bool none = value->is_string() && value->text.size() == 4 && lower_case(value->text) == "none";
  if (value->is_null() || none) {
    if (spec.nullable || spec.type == KeyType::any || spec.type == KeyType::computed) {
      return {.node = none ? make_null(value->origin) : value, .expected = {}};
    }
    Coerced refused{.node = nullptr, .expected = "a value"};
    return refused;
  }
  switch (spec.type) {
    case KeyType::boolean:
      return as_boolean(value);
    case KeyType::integer:
      return as_integer(value);
    case KeyType::number:
      return as_real(value);
    case KeyType::text:
      return {.node = value->is_string() ? value : nullptr, .expected = "a string"};
    case KeyType::list: {
      // pyconfig wraps a lone text of the data columns and masks into a list.
      const bool wraps = value->is_string() && (spec.name.ends_with("_columns") || spec.name.ends_with("_mask"));
      return {.node = value->is_sequence() || value->kind == Kind::tuple || wraps ? value : nullptr,
              .expected = "a list"};
    }
    case KeyType::any:
    case KeyType::mapping:
    case KeyType::computed:
      break;
  }
  return {.node = value, .expected = {}};
}

NodePtr read_variable(const Node& before, std::string_view text) {
  const Origin origin{.layer = Layer::environment};
  switch (before.kind) {
    case Kind::boolean: {
      const std::string word = lower_case(text);
      if (word == "true") return make_boolean(true, origin);
      if (word == "false") return make_boolean(false, origin);
      return nullptr;
    }
    case Kind::integer: {
      const std::string_view digits = trimmed(text);
      const auto number = digits.find('.') == std::string_view::npos ? parse_integer(digits) : std::nullopt;
      return number ? make_integer(*number, origin) : nullptr;
    }
    case Kind::real: {
      const auto number = parse_real(text);
      return number ? make_real(*number, origin) : nullptr;
    }
    case Kind::string:
      return make_string(std::string(text), origin);
    default:
      return nullptr;
  }
}

}  // namespace primus_plan::maxtext
