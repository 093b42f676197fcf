#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "config/decimal_digits.h"
#include "config/document_rules.h"
#include "config/make_finding.h"
#include "config/numbers.h"
#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/support/text.h"
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
    if (close == std::string_view::npos) return std::nullopt;  // and none further on can be closed
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

/// -?\d+
bool is_integer(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Gives a substituted text the type that Primus gives it.
/// Source: primus/core/config/yaml_loader.py:_try_scalar.
void retype(Node& node) {
  const bool is_true = equal_ignoring_case(node.text, "true");
  if (is_true || equal_ignoring_case(node.text, "false")) {
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
