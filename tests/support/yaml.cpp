#include "support/yaml.h"

#include <fmt/core.h>

#include <utility>

namespace primus_plan::test {
namespace {

template <class Load>
std::string refusal_of(Load&& load) {
  try {
    load();
  } catch (const LoadError& error) {
    const Finding& finding = error.finding();
    return fmt::format("{}@{}:{}", finding.rule->name, finding.primary.origin.line, finding.primary.origin.column);
  }
  return "accepted";
}

std::string_view type_name(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::big_integer:
      return "big";
    case Kind::real:
      return "float";
    case Kind::string:
      return "str";
    case Kind::date:
      return "date";
    case Kind::datetime:
      return "datetime";
    case Kind::bytes:
      return "bytes";
    case Kind::sequence:
      return "list";
    case Kind::mapping:
      return "map";
    case Kind::set:
      return "set";
    case Kind::tuple:
      return "tuple";
  }
  return "?";
}

}  // namespace

ParsedYaml parse(std::string text, const Limits& limits) {
  ParsedYaml result;
  result.source = std::make_shared<const Source>("test.yaml", std::move(text));
  result.root = parse_yaml(*result.source, Layer::experiment, limits, result.remarks);
  return result;
}

std::string refusal(std::string text, const Limits& limits) {
  return refusal_of([&] { parse(std::move(text), limits); });
}

std::string load_refusal(const FileReader& files, const Environment& environment, const Limits& limits) {
  return refusal_of([&] { load_document("main.yaml", Layer::experiment, files, environment, limits); });
}

std::string typed(std::string_view text) {
  const ParsedYaml parsed = parse(fmt::format("v: {}\n", text));
  return describe(*parsed.root->get("v"));
}

std::string describe(const Node& node) {
  const bool has_text = node.kind == Kind::string || node.kind == Kind::bytes;
  if (node.is_null()) return "null";
  return fmt::format("{} {}", type_name(node.kind), has_text ? node.text : to_text(node));
}

std::string place(const Origin& origin) { return fmt::format("{}:{}+{}", origin.line, origin.column, origin.length); }

}  // namespace primus_plan::test
