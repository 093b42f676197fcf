#include "config/cli_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/namespaces.h"
#include "config/python_literal.h"
#include "config/python_text.h"
#include "config/source_text.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// Dots in one key: a bound on hostile input.
constexpr std::ptrdiff_t most_dots = 100;

/// A token brought into the form key=value. Both are parts of the source's text.
struct Assigned {
  std::string_view key;
  std::optional<std::string_view> value;  ///< nothing: a bare --flag, which is true
  std::shared_ptr<const Source> source;
};

/// _coerce_cli_value_modern.
NodePtr coerce(std::string_view text, const Origin& origin) {
  const bool is_true = equal_ignoring_case(text, "true");
  if (is_true || equal_ignoring_case(text, "false")) return make_boolean(is_true, origin);
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

Finding skipped(const Source& source) {
  return fault(loading::bad_override_token, origin_of(source, source.text(), Layer::command_line),
               fmt::format("'{}' is no override: Primus skips it with a warning", source.text()),
               {"write key=value, --key value, or --key for true"});
}

/// The loop of parse_cli_overrides that brings tokens into one form.
std::vector<Assigned> normalize(const std::vector<std::string>& tokens, Sources& sources, Remarks& remarks) {
  std::vector<Assigned> assigned;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = python::strip(tokens[i]);
    if (token.empty()) continue;
    const bool takes_next = token.starts_with("--") && token.find('=') == std::string_view::npos &&
                            i + 1 < tokens.size() && !tokens[i + 1].starts_with("--");
    std::string pair = takes_next ? std::string(token) + " " + tokens[++i] : std::string(token);
    const auto source = sources.emplace_back(std::make_shared<const Source>("command line", std::move(pair)));
    const std::string_view text = source->text();
    // Primus makes a pair "key=value" and splits that at its first '='; a key of a pair has none.
    const std::size_t end_of_key = takes_next ? token.size() : text.find('=');
    const std::string_view key = python::strip(python::strip_dashes(text.substr(0, end_of_key)));
    if (end_of_key != std::string_view::npos) {
      assigned.push_back({key, python::strip(text.substr(end_of_key + 1)), source});
    } else if (text.starts_with("--")) {
      assigned.push_back({key, std::nullopt, source});
    } else {
      remarks.push_back(skipped(*source));
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

NodePtr parse_cli_tokens(const std::vector<std::string>& tokens, Sources& sources, Remarks& remarks) {
  NodePtr values = make_mapping({}, {});
  for (const Assigned& assigned : normalize(tokens, sources, remarks)) {
    const auto place = [&](std::string_view part) { return origin_of(*assigned.source, part, Layer::command_line); };
    const Origin key_origin = place(assigned.key);
    const NodePtr value =
        assigned.value ? coerce(*assigned.value, place(*assigned.value)) : make_boolean(true, key_origin);
    values = with_dotted_key(values, assigned.key, value, key_origin);
  }
  return values;
}

}  // namespace primus_plan
