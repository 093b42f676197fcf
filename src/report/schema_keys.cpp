#include "report/schema_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

/// A type of the catalogues in the words of JSON Schema.
constexpr std::pair<std::string_view, std::string_view> types[] = {
    {"boolean", "boolean"}, {"integer", "integer"}, {"number", "number"},
    {"text", "string"},     {"list", "array"},      {"mapping", "object"},
};

/// Megatron's keys for which Primus's own patches know more values than the framework lists.
constexpr std::string_view open_choices[] = {"fp4", "fp4_recipe", "moe_router_score_function", "tokenizer_type"};

/// Keys of one section, by the last part of their names.
struct Section {
  std::map<std::string_view, const CatalogueKey*> keys;
  std::map<std::string_view, Section> sections;
};

void add_key(Section& root, const CatalogueKey& key) {
  Section* at = &root;
  std::string_view name = key.name;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    at = &at->sections[name.substr(0, dot)];
    name.remove_prefix(dot + 1);
  }
  at->keys.emplace(name, &key);
}

bool is_schema_type(std::string_view type) {
  for (const auto& [ours, theirs] : types) {
    if (ours == type) return true;
  }
  return false;
}

void write_variable(JsonWriter& json) { json.begin_object().key("$ref").string("#/definitions/variable").end_object(); }

/// What presets or the framework set it to is legal, whatever is declared. Megatron's lists of choices bind its command
/// line alone, which Primus goes around: null stands for "not set".
bool takes_null(const CatalogueKey& key) {
  const bool is_set_around = key.owner == "megatron" && !key.choices.empty();
  return key.nullable || key.default_value == "null" || key.preset == "null" || is_set_around;
}

/// Any text where choices are only suggestions, else ${VAR}.
void write_other_text(JsonWriter& json, const CatalogueKey& key) {
  const bool is_open = key.owner == "megatron" && std::ranges::find(open_choices, key.name) != std::end(open_choices);
  if (!is_open) return write_variable(json);
  json.begin_object().key("type").string("string").end_object();
}

void write_type(JsonWriter& json, const CatalogueKey& key) {
  if (!key.choices.empty()) {
    json.key("anyOf").begin_array().begin_object().key("enum").begin_array();
    for (const std::string& choice : key.choices) json.raw(choice);
    bool lists_null = false;
    for (const std::string& choice : key.choices) lists_null = lists_null || choice == "null";
    if (takes_null(key) && !lists_null) json.null();
    json.end_array().end_object();
    write_other_text(json, key);
    json.end_array();
  } else if (is_schema_type(key.type)) {
    json.key("allOf").begin_array().begin_object().key("$ref");
    json.string(fmt::format("#/definitions/{}{}", key.type, takes_null(key) ? "-or-null" : ""));
    json.end_object().end_array();
  }
}

std::string description_of(const CatalogueKey& key) {
  std::string text = key.about;
  if (!key.preset.empty()) text += fmt::format("{}Primus's presets: {}.", text.empty() ? "" : " ", key.preset);
  if (!key.only.empty()) text += fmt::format("{}Only for {}.", text.empty() ? "" : " ", key.only);
  return text;
}

std::string warning_of(const CatalogueKey& key) {
  if (key.status.empty() || key.status == "overwritten") return {};
  const std::string fate = key.status == "removed" ? "removed: the run stops at it" : "no effect: nothing reads it";
  return key.instead.empty() ? fate : fmt::format("{}; see {}", fate, key.instead);
}

void write_section(JsonWriter& json, const Section& section) {
  json.key("properties").begin_object();
  for (const auto& [name, inner] : section.sections) {
    json.key(name).begin_object().key("type").begin_array(Layout::one_line).string("object").string("null").end_array();
    write_section(json, inner);
    json.end_object();
  }
  for (const auto& [name, key] : section.keys) {
    if (!section.sections.contains(name)) write_schema_key(json, *key, name);
  }
  json.end_object().key("additionalProperties").boolean(false);
}

}  // namespace

void write_scalar_definitions(JsonWriter& json) {
  json.key("variable").begin_object(Layout::one_line);
  json.key("type").string("string").key("pattern").string("\\$\\{[^}]+\\}").end_object();
  for (const auto& [ours, theirs] : types) {
    for (const bool nullable : {false, true}) {
      json.key(fmt::format("{}{}", ours, nullable ? "-or-null" : "")).begin_object(Layout::one_line);
      json.key("anyOf").begin_array().begin_object().key("type");
      if (nullable) json.begin_array();
      json.string(theirs);
      if (nullable) json.string("null").end_array();
      json.end_object();
      // Python takes 0 and 1 for truth values, and list options take one item alone.
      if (ours == "boolean")
        json.begin_object().key("enum").begin_array().integer(0).integer(1).end_array().end_object();
      if (ours == "list")
        json.begin_object().key("type").begin_array().string("string").string("number").end_array().end_object();
      if (theirs != "string" && ours != "list") write_variable(json);
      json.end_array().end_object();
    }
  }
}

void write_schema_key(JsonWriter& json, const CatalogueKey& key, std::string_view name) {
  json.key(name).begin_object(Layout::one_line);
  write_type(json, key);
  const auto value = [&](const char* word, const std::string& json_text) {
    if (!json_text.empty()) json.key(word).raw(json_text);
  };
  const auto text = [&](const char* word, const std::string& sentence) {
    if (!sentence.empty()) json.key(word).string(sentence);
  };
  value("minimum", key.at_least);
  value("exclusiveMinimum", key.above);
  value("maximum", key.at_most);
  value("default", key.default_value);
  text("description", description_of(key));
  text("deprecationMessage", warning_of(key));
  json.end_object();
}

void write_overrides_definition(JsonWriter& json, std::string_view framework) {
  Section root;
  for (const CatalogueKey* key : find_keys(framework, "")) {
    if (key->backend == framework || key->name != "model") add_key(root, *key);
  }
  json.key(framework).begin_object().key("type").begin_array(Layout::one_line).string("object").string("null");
  json.end_array();
  write_section(json, root);
  json.end_object();
}

}  // namespace primus_plan
