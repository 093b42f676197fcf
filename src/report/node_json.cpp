#include "report/node_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "primus_plan/report/node_text.h"

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

void write_tagged(JsonWriter& json, std::string_view tag, std::string_view text) {
  json.begin_object(Layout::one_line).key(tag).string(text).end_object();
}

void write_real(JsonWriter& json, double value) {
  if (std::isnan(value)) return write_tagged(json, "$float", "nan");
  if (std::isinf(value)) return write_tagged(json, "$float", value > 0 ? "inf" : "-inf");
  json.real(value);
}

void write_items(JsonWriter& json, const Node& node) {
  const bool scalars = std::none_of(node.items.begin(), node.items.end(),
                                    [](const NodePtr& item) { return item->is_mapping() || !item->items.empty(); });
  json.begin_array(scalars ? Layout::one_line : Layout::lines);
  for (const NodePtr& item : node.items) write_node(json, *item);
  json.end_array();
}

void write_tagged_items(JsonWriter& json, std::string_view tag, const Node& node) {
  json.begin_object(Layout::one_line).key(tag);
  write_items(json, node);
  json.end_object();
}

void write_pairs(JsonWriter& json, const Node& node) {
  json.begin_object().key("$map").begin_array();
  for (const Entry& entry : node.entries()) {
    json.begin_array();
    write_node(json, *entry.key);
    write_node(json, *entry.value);
    json.end_array();
  }
  json.end_array().end_object();
}

void write_mapping(JsonWriter& json, const Node& node) {
  const auto& entries = node.entries();
  const bool plain = std::all_of(entries.begin(), entries.end(), [](const Entry& e) { return e.key->is_string(); });
  if (!plain) return write_pairs(json, node);
  json.begin_object();
  for (const Entry& entry : entries) {
    json.key(entry.key->text);
    write_node(json, *entry.value);
  }
  json.end_object();
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

void write_node(JsonWriter& json, const Node& node) {
  switch (node.kind) {
    case Kind::null:
      json.null();
      break;
    case Kind::boolean:
      json.boolean(node.boolean);
      break;
    case Kind::integer:
      json.integer(node.integer);
      break;
    case Kind::big_integer:
      json.raw(node.text);
      break;
    case Kind::real:
      write_real(json, node.real);
      break;
    case Kind::string:
      json.string(node.text);
      break;
    case Kind::date:
      write_tagged(json, "$date", node.text);
      break;
    case Kind::datetime:
      write_tagged(json, "$datetime", node.text);
      break;
    case Kind::bytes:
      write_tagged(json, "$bytes", hex(node.text));
      break;
    case Kind::sequence:
      write_items(json, node);
      break;
    case Kind::tuple:
      write_tagged_items(json, "$tuple", node);
      break;
    case Kind::set:
      write_tagged_items(json, "$set", node);
      break;
    case Kind::mapping:
      write_mapping(json, node);
      break;
  }
}

std::string node_to_json(const Node& node) {
  JsonWriter json;
  write_node(json, node);
  return json.take();
}

std::string document_to_json(const Node& root) {
  JsonWriter json;
  json.begin_object().key("document");
  write_node(json, root);
  json.end_object();
  return json.take() + '\n';
}

std::string experiment_to_json(const Experiment& experiment) {
  JsonWriter json;
  json.begin_object().key("exp");
  write_node(json, *experiment.exp);
  json.key("modules").begin_array();
  for (const Module& module : experiment.modules) {
    json.begin_object();
    for (const Entry& entry : module.attributes->entries()) {
      json.key(entry.key->text);
      write_node(json, *entry.value);
    }
    json.key("params");
    write_node(json, *module.params);
    json.end_object();
  }
  json.end_array().end_object();
  return json.take() + '\n';
}

}  // namespace primus_plan
