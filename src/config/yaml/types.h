#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "primus_plan/config/node.h"

namespace primus_plan::yaml {

/// The scalar types of YAML 1.1 that PyYAML's SafeLoader knows. `merge` ("<<") and `value` ("=") exist only as keys.
enum class ScalarType : std::uint8_t { null, boolean, integer, real, timestamp, binary, string, merge, value };

/// The type of a plain scalar. Source: yaml/resolver.py, the regular expressions of Resolver.
ScalarType resolve(std::string_view text);

/// The type that a tag such as "tag:yaml.org,2002:int" asks for; empty for tags that SafeLoader has no constructor for.
std::optional<ScalarType> type_of_tag(std::string_view tag);

/// Gives `node` the kind and the value of `text` read as `type`. Returns what is wrong with the text, in words that go
/// after "the value"; empty when nothing is. Source: yaml/constructor.py:SafeConstructor.
std::string construct(Node& node, ScalarType type, std::string text);

}  // namespace primus_plan::yaml
