#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "primus_plan/backends/backend.h"
#include "primus_plan/config/embedded.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/report/schema.h"
#include "report/json_writer.h"
#include "report/schema_keys.h"

namespace primus_plan {

namespace {

using Layout = JsonWriter::Layout;

constexpr std::string_view meta_keys[] = {"work_group", "user_name", "exp_name", "workspace"};

const CatalogueKey& primus_key(std::string_view name) {
  const auto found = std::ranges::find_if(
      key_catalogue(), [&](const CatalogueKey& key) { return key.owner == "primus" && key.name == name; });
  static const CatalogueKey unknown;
  return found == key_catalogue().end() ? unknown : *found;
}

void write_about(JsonWriter& json, std::string_view key) { json.key("description").string(primus_key(key).about); }

void write_reference(JsonWriter& json, std::string_view definition) {
  json.begin_object(Layout::one_line);
  json.key("$ref").string(fmt::format("#/definitions/{}", definition)).end_object();
}

/// A key that stands for a definition, with its sentence.
void write_use(JsonWriter& json, std::string_view key, std::string_view definition) {
  json.key(key).begin_object(Layout::one_line).key("allOf").begin_array();
  write_reference(json, definition);
  json.end_array();
  write_about(json, key);
  json.end_object();
}

/// Files of presets inside the binary: "llama3.1_8B.yaml".
std::vector<std::string_view> preset_names(const std::string& folder) {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : embedded_presets()) {
    if (file.path.starts_with(folder)) names.push_back(file.path.substr(folder.size()));
  }
  return names;
}

/// Built-in names to choose from, and any other text: a Primus tree may have more.
void write_preset_choice(JsonWriter& json, std::string_view key, const std::string& folder) {
  json.key(key).begin_object(Layout::one_line);
  write_about(json, key);
  json.key("anyOf").begin_array().begin_object().key("enum").begin_array();
  for (const std::string_view name : preset_names(folder)) json.string(name);
  json.end_array().end_object().begin_object().key("type").string("string").end_object().end_array().end_object();
}

void write_framework_keys(JsonWriter& json, std::string_view framework) {
  write_preset_choice(json, "config", fmt::format("configs/modules/{}/", framework));
  write_preset_choice(json, "model", fmt::format("configs/models/{}/", framework));
  write_use(json, "overrides", framework);
}

/// What follows from `framework: megatron`.
void write_condition(JsonWriter& json, std::string_view framework) {
  json.begin_object().key("if").begin_object(Layout::one_line).key("properties").begin_object();
  json.key("framework").begin_object().key("const").string(framework).end_object().end_object();
  json.key("required").begin_array().string("framework").end_array().end_object();
  json.key("then").begin_object().key("properties").begin_object();
  write_framework_keys(json, framework);
  json.end_object().end_object().end_object();
}

void write_module(JsonWriter& json, std::string_view only) {
  json.key("module").begin_object().key("type").string("object");
  json.key("properties").begin_object();
  json.key("framework").begin_object(Layout::one_line);
  write_about(json, "framework");
  json.key("anyOf").begin_array().begin_object().key("enum").begin_array();
  for (const Backend* backend : backends()) {
    if (only.empty() || backend->name() == only) json.string(backend->name());
  }
  json.end_array().end_object();
  if (only.empty()) json.begin_object().key("type").string("string").end_object();
  json.end_array().end_object();
  if (!only.empty()) write_framework_keys(json, only);
  for (const CatalogueKey& key : key_catalogue()) {
    if (key.owner == "primus" && key.backend.empty() && key.name != "model") write_schema_key(json, key, key.name);
  }
  json.end_object();
  if (only.empty()) {
    json.key("allOf").begin_array();
    for (const Backend* backend : backends()) write_condition(json, backend->name());
    json.end_array();
  }
  json.end_object();
}

void write_platform(JsonWriter& json) {
  json.key("platform").begin_object().key("type").string("object").key("properties").begin_object();
  write_preset_choice(json, "config", "configs/platforms/");
  json.key("overrides").begin_object(Layout::one_line).key("type").string("object").end_object();
  json.end_object().key("additionalProperties").boolean(false).end_object();
}

void write_top_level(JsonWriter& json) {
  json.key("type").string("object").key("properties").begin_object();
  json.key("extends").begin_object(Layout::one_line).key("type").begin_array().string("string").string("array");
  json.end_array().key("items").begin_object().key("type").string("string").end_object();
  write_about(json, "extends");
  json.end_object();
  for (const std::string_view key : meta_keys) write_use(json, key, "text");
  write_use(json, "platform", "platform");
  json.key("env").begin_object(Layout::one_line).key("type").string("object");
  write_about(json, "env");
  json.end_object();
  json.key("modules").begin_object(Layout::one_line).key("type").string("object");
  write_about(json, "modules");
  json.key("propertyNames").begin_object().key("pattern").string("trainer").end_object();
  json.key("additionalProperties");
  write_reference(json, "module");
  json.end_object().end_object();
}

/// A file that extends another may leave anything to it.
void write_required(JsonWriter& json) {
  json.key("if").begin_object(Layout::one_line).key("not").begin_object().key("required").begin_array();
  json.string("extends").end_array().end_object().end_object();
  json.key("then").begin_object(Layout::one_line).key("required").begin_array();
  for (const std::string_view key : meta_keys) json.string(key);
  json.string("modules").end_array().end_object();
}

}  // namespace

std::string experiment_schema(std::string_view backend) {
  JsonWriter json;
  json.begin_object();
  json.key("$schema").string("http://json-schema.org/draft-07/schema#");
  json.key("title").string("Primus experiment");
  json.key("$comment").string("Written by `primus-plan schema`; `./dev golden` renews it.");
  write_top_level(json);
  write_required(json);
  json.key("definitions").begin_object();
  write_scalar_definitions(json);
  write_platform(json);
  write_module(json, backend);
  for (const Backend* one : backends()) {
    if (backend.empty() || one->name() == backend) write_overrides_definition(json, one->name());
  }
  json.end_object().end_object();
  return json.take() + '\n';
}

std::string_view output_schema(std::string_view name) {
  const auto schemas = embedded_schemas();
  const auto found = std::ranges::find_if(schemas, [&](const EmbeddedFile& file) {
    return file.path.starts_with(name) && file.path.substr(name.size()) == ".schema.json";
  });
  return found == schemas.end() ? std::string_view() : found->text;
}

}  // namespace primus_plan
