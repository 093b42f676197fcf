#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "primus_plan/config/node.h"
#include "primus_plan/diagnostics/sourced.h"

namespace primus_plan {

using Int = std::int64_t;

/// The types a field of a backend's config can have. Null is a value of the optional ones and of Word (no data) and Raw
/// (a null node); for the others it is a wrong type.
using Flag = Sourced<bool>;
using Count = Sourced<Int>;
using MaybeCount = Sourced<std::optional<Int>>;
using Number = Sourced<double>;
using MaybeNumber = Sourced<std::optional<double>>;
using Word = Sourced<std::string_view>;  ///< text lives as long as the experiment; data() == nullptr is null
using Raw =
    Sourced<const Node*>;  ///< keys of several types: lists, strings that are parsed later; nullptr = absent or default

/// A default written down in a field table.
struct Literal {
  enum class Type : std::uint8_t { null, boolean, integer, real, text } type = Type::null;
  Int integer = 0;
  double real = 0;
  std::string_view text;
  constexpr Literal(std::nullptr_t) {}                                            // NOLINT(google-explicit-constructor)
  constexpr Literal(bool value) : type(Type::boolean), integer(value ? 1 : 0) {}  // NOLINT(google-explicit-constructor)
  constexpr Literal(int value) : type(Type::integer), integer(value) {}           // NOLINT(google-explicit-constructor)
  constexpr Literal(Int value) : type(Type::integer), integer(value) {}           // NOLINT(google-explicit-constructor)
  constexpr Literal(double value) : type(Type::real), real(value) {}              // NOLINT(google-explicit-constructor)
  constexpr Literal(const char* value) : type(Type::text), text(value) {}         // NOLINT(google-explicit-constructor)
};

/// One key of a backend: its name in YAML (dotted for nested sections), where it lives in the config struct, the
/// framework's own default, and the values it may take ("a|b|c", empty = any).
template <class Config>
struct Field {
  using Member = std::variant<Flag Config::*, Count Config::*, MaybeCount Config::*, Number Config::*,
                              MaybeNumber Config::*, Word Config::*, Raw Config::*>;
  const char* name;
  Member member;
  Literal default_value;
  std::string_view choices = {};
};

/// A value whose type the framework does not expect. The field keeps its default where no sensible reading exists.
struct BadValue {
  const char* key = nullptr;
  const Node* node = nullptr;
  std::string_view expected = {};  ///< "an integer", …
  bool usable = false;  ///< Python would go on with it (0/1 for a flag, 4.0 for a count): the field holds the reading
};

namespace fields_detail {
// One function for each type, so that the field tables instantiate no code of their own.
bool read(Flag& field, const Node& node, BadValue& bad);
bool read(Count& field, const Node& node, BadValue& bad);
bool read(MaybeCount& field, const Node& node, BadValue& bad);
bool read(Number& field, const Node& node, BadValue& bad);
bool read(MaybeNumber& field, const Node& node, BadValue& bad);
bool read(Word& field, const Node& node, BadValue& bad);
bool read(Raw& field, const Node& node, BadValue& bad);
template <class T>
constexpr bool is_numeric(const Sourced<T>&) {
  return !std::is_same_v<T, bool> && !std::is_same_v<T, std::string_view> && !std::is_same_v<T, const Node*>;
}
void set_default(Flag& field, const Literal& value);
void set_default(Count& field, const Literal& value);
void set_default(MaybeCount& field, const Literal& value);
void set_default(Number& field, const Literal& value);
void set_default(MaybeNumber& field, const Literal& value);
void set_default(Word& field, const Literal& value);
void set_default(Raw& field, const Literal& value);
}  // namespace fields_detail

/// Fills a config from a module's params: the framework's default where the key is absent, else the value with its
/// origin. Values of a wrong type are listed, never thrown.
template <class Config>
void read_fields(std::span<const Field<Config>> table, const Node& params, Config& config,
                 std::vector<BadValue>& bad_values) {
  for (const Field<Config>& field : table) {
    std::visit(
        [&](auto member) {
          auto& target = config.*member;
          target.key = field.name;
          fields_detail::set_default(target, field.default_value);
          const Node* node = params.at_path(field.name);
          if (node == nullptr) return;
          target.origin = node->origin;
          target.is_explicit = true;
          BadValue bad{.key = field.name, .node = node};
          if (fields_detail::read(target, *node, bad)) return;
          bad_values.push_back(bad);
          target.is_unreadable = !bad.usable && fields_detail::is_numeric(target);
        },
        field.member);
  }
}

/// The value of a field as a node, for reports.
NodePtr to_node(const Flag& field);
NodePtr to_node(const Count& field);
NodePtr to_node(const MaybeCount& field);
NodePtr to_node(const Number& field);
NodePtr to_node(const MaybeNumber& field);
NodePtr to_node(const Word& field);
NodePtr to_node(const Raw& field);

}  // namespace primus_plan
