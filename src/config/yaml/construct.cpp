#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "config/numbers.h"
#include "config/yaml/timestamp.h"
#include "config/yaml/types.h"
#include "primus_plan/support/text.h"
#include "support/base64.h"
#include "support/lower_case.h"
#include "support/utf8.h"

namespace primus_plan::yaml {
namespace {

std::string without_lines(std::string text) {
  std::erase(text, '_');
  return text;
}

std::string quote(const std::string& text) {
  constexpr std::size_t longest = 40;
  return text.size() <= longest ? fmt::format("'{}'", text) : fmt::format("'{}...'", cut_utf8(text, longest));
}

std::string construct_boolean(Node& node, const std::string& text) {
  const std::string word = lower_case(text);
  const bool is_true = word == "yes" || word == "true" || word == "on";
  if (!is_true && word != "no" && word != "false" && word != "off") return fmt::format("{} is no boolean", quote(text));
  node.kind = Kind::boolean;
  node.boolean = is_true;
  return {};
}

/// 1:30:00 in base 60.
std::optional<std::string> sixtieths(std::string_view text) {
  if (text.size() > max_integer_digits) return std::nullopt;
  Decimal value;
  while (true) {
    const std::size_t colon = text.find(':');
    const auto part = parse_python_integer(text.substr(0, colon), 10);
    if (!part || part->negative || part->digits.size() > 9) return std::nullopt;
    value.multiply_add(60, static_cast<std::uint32_t>(std::stoul(part->digits)));
    if (colon == std::string_view::npos) return value.digits();
    text.remove_prefix(colon + 1);
  }
}

std::optional<ParsedInteger> parse_unsigned(std::string_view digits) {
  if (digits == "0") return ParsedInteger{false, "0"};
  if (digits.starts_with("0b")) return parse_python_integer(digits.substr(2), 2);
  if (digits.starts_with("0x")) return parse_python_integer(digits.substr(2), 16);
  if (digits.starts_with('0')) return parse_python_integer(digits, 8);
  if (digits.find(':') != std::string_view::npos) {
    auto value = sixtieths(digits);
    return value ? std::optional(ParsedInteger{false, std::move(*value)}) : std::nullopt;
  }
  return parse_python_integer(digits, 10);
}

std::string construct_integer(Node& node, const std::string& text) {
  const std::string clean = without_lines(text);
  std::string_view digits = clean;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const auto value = digits.empty() ? std::nullopt : parse_unsigned(digits);
  if (!value && text.size() > max_integer_digits)
    return fmt::format("is an integer of more than {} digits", max_integer_digits);
  if (!value) return fmt::format("{} is no integer", quote(text));
  set_integer(node, negative != value->negative, value->digits);
  return {};
}

std::optional<double> sixtieths_of_reals(std::string_view text) {
  double value = 0;
  double base = 1;
  while (true) {
    const std::size_t colon = text.rfind(':');
    const auto part = parse_python_float(colon == std::string_view::npos ? text : text.substr(colon + 1));
    if (!part) return std::nullopt;
    value += *part * base;
    base *= 60;
    if (colon == std::string_view::npos) return value;
    text = text.substr(0, colon);
  }
}

std::string construct_real(Node& node, const std::string& text) {
  const std::string clean = lower_case(without_lines(text));
  std::string_view digits = clean;
  const double sign = digits.starts_with('-') ? -1.0 : 1.0;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  std::optional<double> value;
  if (digits == ".inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (digits == ".nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (digits.find(':') != std::string_view::npos) {
    value = sixtieths_of_reals(digits);
  } else {
    value = parse_python_float(digits);
  }
  if (!value) return fmt::format("{} is no number", quote(text));
  node.kind = Kind::real;
  node.real = digits == ".nan" ? *value : sign * *value;
  return {};
}

std::string construct_timestamp(Node& node, const std::string& text) {
  const auto time = parse_timestamp(text, DateForm::one_or_two_digits);
  if (!time) return fmt::format("{} is no timestamp", quote(text));
  if (const std::string_view fault = check(*time); !fault.empty()) {
    return fmt::format("{} is read as a date, and {}", quote(text), fault);
  }
  node.kind = time->has_time ? Kind::datetime : Kind::date;
  node.text = to_iso(*time);
  return {};
}

std::string construct_binary(Node& node, const std::string& text) {
  auto bytes = decode_base64(text);
  if (!bytes) return "is no base64 text";
  node.kind = Kind::bytes;
  node.text = std::move(*bytes);
  return {};
}

}  // namespace

std::string construct(Node& node, ScalarType type, std::string text) {
  std::string fault;
  switch (type) {
    case ScalarType::null:
      break;
    case ScalarType::boolean:
      fault = construct_boolean(node, text);
      break;
    case ScalarType::integer:
      fault = construct_integer(node, text);
      break;
    case ScalarType::real:
      fault = construct_real(node, text);
      break;
    case ScalarType::timestamp:
      fault = construct_timestamp(node, text);
      break;
    case ScalarType::binary:
      fault = construct_binary(node, text);
      break;
    case ScalarType::string:
    case ScalarType::merge:
    case ScalarType::value:
      node.kind = Kind::string;
      node.text = std::move(text);
      return {};
  }
  if (fault.empty() && node.text != text) node.raw = std::move(text);
  return fault;
}

}  // namespace primus_plan::yaml
