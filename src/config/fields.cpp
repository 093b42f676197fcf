#include "primus_plan/config/fields.h"

#include <cmath>

namespace primus_plan {
namespace fields_detail {
namespace {

/// Python's integers reach code that computes with them also as True/False and as whole floats.
std::optional<Int> as_integer(const Node& node, BadValue& bad) {
  bad.expected = "an integer";
  switch (node.kind) {
    case Kind::integer:
      return node.integer;
    case Kind::boolean:
      bad.usable = true;
      return node.boolean ? 1 : 0;
    case Kind::real:
      if (std::floor(node.real) == node.real && std::abs(node.real) < 9e15) {
        bad.usable = true;
        return static_cast<Int>(node.real);
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<double> as_number(const Node& node, BadValue& bad) {
  bad.expected = "a number";
  switch (node.kind) {
    case Kind::real:
      return node.real;
    case Kind::integer:
      return static_cast<double>(node.integer);
    case Kind::boolean:
      bad.usable = true;
      return node.boolean ? 1.0 : 0.0;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool read(Flag& field, const Node& node, BadValue& bad) {
  bad.expected = "true or false";
  bad.usable = true;  // Python asks any value for its truth
  switch (node.kind) {
    case Kind::boolean:
      field.value = node.boolean;
      return true;
    case Kind::null:
      field.value = false;
      return true;
    case Kind::integer:
      field.value = node.integer != 0;
      return node.integer == 0 || node.integer == 1;
    case Kind::real:
      field.value = node.real != 0;
      return false;
    case Kind::string:
      field.value = !node.text.empty();
      return false;
    default:
      field.value = !node.items.empty() || !node.entries().empty();
      return false;
  }
}

bool read(Count& field, const Node& node, BadValue& bad) {
  const auto value = as_integer(node, bad);
  if (value) field.value = *value;
  return node.kind == Kind::integer;
}

bool read(MaybeCount& field, const Node& node, BadValue& bad) {
  if (node.is_null()) {
    field.value = std::nullopt;
    return true;
  }
  const auto value = as_integer(node, bad);
  if (value) field.value = value;
  return node.kind == Kind::integer;
}

bool read(Number& field, const Node& node, BadValue& bad) {
  const auto value = as_number(node, bad);
  if (value) field.value = *value;
  return value && !bad.usable;
}

bool read(MaybeNumber& field, const Node& node, BadValue& bad) {
  if (node.is_null()) {
    field.value = std::nullopt;
    return true;
  }
  const auto value = as_number(node, bad);
  if (value) field.value = value;
  return value && !bad.usable;
}

bool read(Word& field, const Node& node, BadValue& bad) {
  bad.expected = "a string";
  if (node.is_null()) {
    field.value = {};
    return true;
  }
  if (!node.is_string()) return false;
  field.value = node.text;
  return true;
}

bool read(Raw& field, const Node& node, BadValue&) {
  field.value = node.is_null() ? nullptr : &node;
  return true;
}

void set_default(Flag& field, const Literal& value) { field.value = value.integer != 0; }
void set_default(Count& field, const Literal& value) { field.value = value.integer; }
void set_default(MaybeCount& field, const Literal& value) {
  if (value.type == Literal::Type::integer) field.value = value.integer;
}
void set_default(Number& field, const Literal& value) {
  field.value = value.type == Literal::Type::integer ? static_cast<double>(value.integer) : value.real;
}
void set_default(MaybeNumber& field, const Literal& value) {
  if (value.type == Literal::Type::real) field.value = value.real;
  if (value.type == Literal::Type::integer) field.value = static_cast<double>(value.integer);
}
void set_default(Word& field, const Literal& value) { field.value = value.text; }
void set_default(Raw& field, const Literal&) { field.value = nullptr; }

}  // namespace fields_detail

NodePtr to_node(const Flag& field) { return make_boolean(field.value, field.origin); }
NodePtr to_node(const Count& field) { return make_integer(field.value, field.origin); }
NodePtr to_node(const MaybeCount& field) {
  return field.value ? make_integer(*field.value, field.origin) : make_null(field.origin);
}
NodePtr to_node(const Number& field) { return make_real(field.value, field.origin); }
NodePtr to_node(const MaybeNumber& field) {
  return field.value ? make_real(*field.value, field.origin) : make_null(field.origin);
}
NodePtr to_node(const Word& field) {
  return field.value.data() != nullptr ? make_string(std::string(field.value), field.origin) : make_null(field.origin);
}
NodePtr to_node(const Raw& field) {
  return field.value != nullptr ? std::make_shared<const Node>(*field.value) : make_null(field.origin);
}

}  // namespace primus_plan
