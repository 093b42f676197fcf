#include "config/cli_tokens.h"

#include <fmt/core.h>

#include <algorithm>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/namespaces.h"
#include "config/python_literal.h"
#include "config/python_text.h"
#include "config/source_text.h"

namespace primus_plan {
namespace {

/// Dots in one key: a bound on hostile input.
constexpr std::ptrdiff_t most_dots = 100;

/// A token brought into the form key=value, with the places of both in its source.
struct Assigned {
  std::string_view key;
  std::string_view value;
  std::shared_ptr<const Source> source;
};

bool is_true_or_false(std::string_view text) {
  const auto equals = [&](std::string_view word) {
    return std::ranges::equal(text, word, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
  };
  return equals("true") || equals("false");
}

/// _coerce_cli_value_modern.
NodePtr coerce(std::string_view text, const Origin& origin) {
  if (is_true_or_false(text)) return make_boolean(text.size() == 4, origin);
  if (text == "None" || text.starts_with('[') || text.starts_with('(') || text.starts_with('{')) {
    python::Literal literal = python::parse_literal(text, origin);
    if (literal.unhashable) {
      throw LoadError(fault(loading::override_key_type, origin,
                            fmt::format("{} has a list, dict or set as a key, which Python cannot do", text)));
    }
    if (literal.value) return literal.value;
  }
  NodePtr number;
  if (text.find('.') != std::string_view::npos) number = python::to_real(text, origin);
  if (!number) number = python::to_integer(text, origin);
  return number ? number : make_string(std::string(text), origin);
}

std::size_t offset_in(const Source& source, std::string_view part) {
  return static_cast<std::size_t>(part.data() - source.text().data());
}

Origin place_of(const Assigned& assigned, std::string_view part) {
  const std::size_t begin = part.data() == nullptr ? 0 : offset_in(*assigned.source, part);
  return origin_in(*assigned.source, begin, begin + std::max<std::size_t>(part.size(), 1), Layer::command_line);
}

Finding skipped(const Source& source) {
  return fault(loading::bad_override_token, origin_in(source, 0, source.text().size(), Layer::command_line),
               fmt::format("'{}' is no override: Primus skips it with a warning", source.text()),
               {"write key=value, --key value, or --key for true"});
}

/// The loop of parse_cli_overrides that brings tokens into one form.
std::vector<Assigned> normalize(const std::vector<std::string>& tokens, TokenOverrides& result) {
  std::vector<Assigned> assigned;
  const auto remember = [&](std::string text) {
    return result.sources.emplace_back(std::make_shared<const Source>("command line", std::move(text)));
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = python::strip(tokens[i]);
    if (token.empty()) continue;
    const bool takes_next = token.starts_with("--") && token.find('=') == std::string_view::npos &&
                            i + 1 < tokens.size() && !tokens[i + 1].starts_with("--");
    const auto source = remember(takes_next ? std::string(token) + " " + tokens[++i] : std::string(token));
    const std::string_view text = source->text();
    if (takes_next) {
      // The pair becomes "key=value" and is split at its first '='; the key has none.
      const std::string_view key = python::strip(python::strip_dashes(text.substr(0, token.size())));
      assigned.push_back({key, python::strip(text.substr(token.size() + 1)), source});
    } else if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
      const std::string_view key = python::strip(python::strip_dashes(text.substr(0, equals)));
      assigned.push_back({key, python::strip(text.substr(equals + 1)), source});
    } else if (text.starts_with("--")) {
      assigned.push_back({python::strip(python::strip_dashes(text)), "true", source});
    } else {
      result.remarks.push_back(skipped(*source));
    }
  }
  return assigned;
}

}  // namespace

NodePtr with_dotted_key(const NodePtr& mapping, std::string_view dotted, const NodePtr& value,
                        const Origin& key_origin) {
  if (std::ranges::count(dotted, '.') > most_dots) {
    throw LoadError(fault(loading::override_key_type, key_origin,
                          fmt::format("an override key may have at most {} dots", most_dots)));
  }
  const std::size_t dot = dotted.find('.');
  const std::string_view key = dotted.substr(0, dot);
  if (dot == std::string_view::npos) return with_entry(mapping, make_entry(key, value, key_origin));
  const Entry* inside = mapping->find(key);
  if (inside != nullptr && !inside->value->is_mapping()) {
    throw LoadError(fault(loading::override_key_type, key_origin,
                          fmt::format("'{}' cannot be set inside '{}': an earlier override made that {}",
                                      dotted.substr(dot + 1), key, to_string(inside->value->kind))));
  }
  const NodePtr below = inside != nullptr ? inside->value : make_mapping({}, key_origin);
  return with_entry(mapping,
                    make_entry(key, with_dotted_key(below, dotted.substr(dot + 1), value, key_origin), key_origin));
}

TokenOverrides parse_cli_tokens(const std::vector<std::string>& tokens) {
  TokenOverrides result;
  result.values = make_mapping({}, {});
  for (const Assigned& assigned : normalize(tokens, result)) {
    const bool flag = assigned.value.data() == std::string_view("true").data();
    const Origin key_origin = place_of(assigned, assigned.key);
    const bool inside = !flag && assigned.value.data() >= assigned.source->text().data() &&
                        assigned.value.data() <= assigned.source->text().data() + assigned.source->text().size();
    const Origin origin = inside ? place_of(assigned, assigned.value) : key_origin;
    result.values = with_dotted_key(result.values, assigned.key, coerce(assigned.value, origin), key_origin);
  }
  return result;
}

}  // namespace primus_plan
