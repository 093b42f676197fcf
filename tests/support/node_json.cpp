#include "support/node_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace primus_plan::test {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned value = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      value = value << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? letters[value >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

Json integer(const Node& node) { return node.kind == Kind::integer ? Json(node.integer) : Json::parse(node.text); }

Json real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

template <class Encode>
Json items(const Node& node, Encode encode) {
  Json result = Json::array();
  for (const NodePtr& item : node.items) result.push_back(encode(*item));
  return result;
}

bool has_text_keys(const Node& node) {
  return std::ranges::all_of(node.entries(), [](const Entry& entry) { return entry.key->is_string(); });
}

bool is_same_scalar(const Json& a, const Json& b) {
  if (a.is_number_integer() && b.is_number_integer()) return a == b;
  return a.type() == b.type() && a == b;
}

}  // namespace

Json plain(const Node& node) {
  switch (node.kind) {
    case Kind::null:
      return nullptr;
    case Kind::boolean:
      return node.boolean;
    case Kind::integer:
    case Kind::big_integer:
      return integer(node);
    case Kind::real:
      return real(node.real).is_string() ? Json{{"$float", real(node.real)}} : real(node.real);
    case Kind::string:
      return node.text;
    case Kind::date:
      return {{"$date", node.text}};
    case Kind::datetime:
      return {{"$datetime", node.text}};
    case Kind::bytes:
      return {{"$bytes", base64(node.text)}};
    case Kind::sequence:
      return items(node, plain);
    case Kind::set:
      return {{"$set", items(node, plain)}};
    case Kind::tuple:
      return {{"$tuple", items(node, plain)}};
    case Kind::mapping:
      break;
  }
  Json result = Json::object();
  if (has_text_keys(node)) {
    for (const Entry& entry : node.entries()) result[entry.key->text] = plain(*entry.value);
    return result;
  }
  Json pairs = Json::array();
  for (const Entry& entry : node.entries()) pairs.push_back(Json::array({plain(*entry.key), plain(*entry.value)}));
  result["$map"] = std::move(pairs);
  return result;
}

Json typed(const Node& node) {
  const auto make = [](std::string_view type, Json value) { return Json{{"type", type}, {"value", std::move(value)}}; };
  switch (node.kind) {
    case Kind::null:
      return make("None", nullptr);
    case Kind::boolean:
      return make("bool", node.boolean);
    case Kind::integer:
    case Kind::big_integer:
      return make("int", integer(node));
    case Kind::real:
      return make("float", real(node.real));
    case Kind::string:
      return make("str", node.text);
    case Kind::date:
      return make("date", node.text);
    case Kind::datetime:
      return make("datetime", node.text);
    case Kind::bytes:
      return make("bytes", hex(node.text));
    case Kind::sequence:
      return make("list", items(node, typed));
    case Kind::set:
      return make("set", items(node, typed));
    case Kind::tuple:
      return make("tuple", items(node, typed));
    case Kind::mapping:
      break;
  }
  Json pairs = Json::array();
  for (const Entry& entry : node.entries()) pairs.push_back(Json::array({typed(*entry.key), typed(*entry.value)}));
  return make("dict", std::move(pairs));
}

std::string difference(const Json& expected, const Json& actual, bool ordered, const std::string& path) {
  const auto differs = [&] { return fmt::format("{}: expected {}, got {}", path, expected.dump(), actual.dump()); };
  if (expected.is_object() && actual.is_object()) {
    if (expected.size() != actual.size()) {
      for (const auto& [key, value] : expected.items()) {
        if (!actual.contains(key)) return fmt::format("{}.{} is missing", path, key);
      }
      for (const auto& [key, value] : actual.items()) {
        if (!expected.contains(key)) return fmt::format("{}.{} is too much", path, key);
      }
    }
    auto other = actual.items().begin();
    for (const auto& [key, value] : expected.items()) {
      if (!actual.contains(key)) return fmt::format("{}.{} is missing", path, key);
      if (ordered && other.key() != key) return fmt::format("{}: expected key {}, got {}", path, key, other.key());
      ++other;
      std::string inside = difference(value, actual[key], ordered, path + "." + key);
      if (!inside.empty()) return inside;
    }
    return {};
  }
  if (expected.is_array() && actual.is_array()) {
    if (expected.size() != actual.size()) return differs();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      std::string inside = difference(expected[i], actual[i], ordered, fmt::format("{}[{}]", path, i));
      if (!inside.empty()) return inside;
    }
    return {};
  }
  return is_same_scalar(expected, actual) ? std::string() : differs();
}

Json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

}  // namespace primus_plan::test
