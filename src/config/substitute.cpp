#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "config/document_rules.h"
#include "config/make_finding.h"
#include "config/numbers.h"
#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"
#include "support/utf8.h"

namespace primus_plan {
namespace {

/// One ${NAME} or ${NAME:default} in a text.
struct Reference {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name;
  std::optional<std::string_view> fallback;
};

/// The first reference at or after `from`: the name has no colon or brace, the default ends at the first brace.
std::optional<Reference> find_reference(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find("${", from); at != std::string_view::npos; at = text.find("${", at + 1)) {
    const std::size_t name = at + 2;
    const std::size_t name_end = text.find_first_of(":{}", name);
    if (name_end == std::string_view::npos) return std::nullopt;
    if (name_end == name || text[name_end] == '{') continue;
    Reference result{at, name_end + 1, text.substr(name, name_end - name), std::nullopt};
    if (text[name_end] == '}') return result;
    const std::size_t close = text.find('}', name_end);
    if (close == std::string_view::npos) continue;
    result.fallback = text.substr(name_end + 1, close - name_end - 1);
    result.end = close + 1;
    return result;
  }
  return std::nullopt;
}

[[noreturn]] void fail_not_set(const Node& node, std::string_view name) {
  Finding finding = make_finding(
      loading::environment_variable_not_set, node.origin,
      fmt::format("the environment variable '{}' is required here, but it is not set and has no default", name));
  finding.help.push_back(fmt::format("export {0}, or give --env {0}=VALUE", name));
  finding.help.push_back(fmt::format("${{{}:VALUE}} says what holds where nobody sets it", name));
  throw LoadError(std::move(finding));
}

std::string replace_references(const Node& node, const Environment& environment, std::vector<EnvironmentUse>& uses) {
  const std::string& text = node.text;
  std::string result;
  std::size_t done = 0;
  while (const auto reference = find_reference(text, done)) {
    const auto value = environment.get(reference->name);
    if (!value && !reference->fallback) fail_not_set(node, reference->name);
    result.append(text, done, reference->begin - done);
    result += value ? *value : *reference->fallback;
    uses.push_back({std::string(reference->name), value.has_value()});
    done = reference->end;
  }
  return result.append(text, done);
}

/// First code points of the blocks of ten decimal digits (Unicode category Nd, Unicode 14), which Python's \d, int and
/// float know.
constexpr char32_t digit_blocks[] = {
    0x0030,  0x0660,  0x06F0,  0x07C0,  0x0966,  0x09E6,  0x0A66,  0x0AE6,  0x0B66,  0x0BE6,  0x0C66,
    0x0CE6,  0x0D66,  0x0DE6,  0x0E50,  0x0ED0,  0x0F20,  0x1040,  0x1090,  0x17E0,  0x1810,  0x1946,
    0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,  0xA900,  0xA9D0,
    0xA9F0,  0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0,
    0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60,
    0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
};

std::optional<char> ascii_digit(char32_t c) {
  const auto* block = std::upper_bound(std::begin(digit_blocks), std::end(digit_blocks), c);
  if (block == std::begin(digit_blocks) || c - *(block - 1) > 9) return std::nullopt;
  return static_cast<char>('0' + (c - *(block - 1)));
}

/// The text with every decimal digit in ASCII; empty when another character could not be part of a number.
std::optional<std::string> ascii_number(std::string_view text) {
  constexpr std::string_view other = "-+.eE";
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    const auto digit = c.valid ? ascii_digit(c.value) : std::nullopt;
    if (!digit && other.find(text[i]) == std::string_view::npos) return std::nullopt;
    result += digit ? *digit : text[i];
    i += c.length;
  }
  return result;
}

bool equals_word(std::string_view text, std::string_view lower_word) {
  return text.size() == lower_word.size() &&
         std::equal(text.begin(), text.end(), lower_word.begin(),
                    [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); });
}

/// -?\d+
bool is_integer(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Gives a substituted text the type that Primus gives it.
/// Source: primus/core/config/yaml_loader.py:_try_scalar.
void retype(Node& node) {
  const bool is_true = equals_word(node.text, "true");
  if (is_true || equals_word(node.text, "false")) {
    node.kind = Kind::boolean;
    node.boolean = is_true;
    return;
  }
  const auto number = ascii_number(node.text);
  if (!number || number->empty()) return;
  if (is_integer(*number)) {
    const auto value = parse_python_integer(*number, 10);
    if (!value) {
      throw LoadError(make_finding(loading::bad_value, node.origin,
                                   fmt::format("the value is an integer of more than {} digits", max_integer_digits)));
    }
    set_integer(node, value->negative, value->digits);
  } else if (const auto real = number->starts_with('+') ? std::nullopt : parse_python_float(*number)) {
    node.kind = Kind::real;
    node.real = *real;
  }
}

NodePtr substitute_string(const NodePtr& node, const Environment& environment) {
  if (!find_reference(node->text, 0)) return node;
  auto result = std::make_shared<Node>(*node);
  result->raw = node->text;
  result->text = replace_references(*node, environment, result->environment);
  const bool any_set = std::any_of(result->environment.begin(), result->environment.end(),
                                   [](const EnvironmentUse& use) { return use.was_set; });
  if (any_set) result->origin.layer = Layer::environment;
  if (result->text != result->raw) retype(*result);
  if (result->kind != Kind::string && result->kind != Kind::big_integer) result->text.clear();
  return result;
}

NodePtr substitute_items(const NodePtr& node, const Environment& environment) {
  std::vector<NodePtr> items;
  items.reserve(node->items.size());
  bool changed = false;
  for (const NodePtr& item : node->items) {
    items.push_back(substitute_environment(item, environment));
    changed = changed || items.back() != item;
  }
  if (!changed) return node;
  auto result = std::make_shared<Node>(*node);
  result->items = std::move(items);
  return result;
}

/// The history of an entry whose newest value was substituted: what the file says now, over the same past.
AssignmentPtr with_value(const AssignmentPtr& history, const NodePtr& value) {
  Assignment newest = *history;
  newest.value = value;
  return std::make_shared<const Assignment>(std::move(newest));
}

NodePtr substitute_entries(const NodePtr& node, const Environment& environment) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < node->entries().size(); ++i) {
    const Entry& entry = node->entries()[i];
    NodePtr value = substitute_environment(entry.value, environment);
    if (value == entry.value) continue;
    if (entries.empty()) entries = node->entries();
    entries[i].history = with_value(entry.history, value);
    entries[i].value = std::move(value);
  }
  if (entries.empty()) return node;
  auto result = std::make_shared<Node>(*node);
  result->set_entries(std::move(entries));
  return result;
}

}  // namespace

NodePtr substitute_environment(const NodePtr& node, const Environment& environment) {
  switch (node->kind) {
    case Kind::string:
      return substitute_string(node, environment);
    case Kind::sequence:
      return substitute_items(node, environment);
    case Kind::mapping:
      return substitute_entries(node, environment);
    default:
      return node;  // Primus looks into dicts and lists only
  }
}

}  // namespace primus_plan
