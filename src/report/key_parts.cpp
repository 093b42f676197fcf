#include "report/key_parts.h"

#include <fmt/core.h>

#include "primus_plan/backends/backend.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

std::string_view title_of(const std::string& backend) {
  const Backend* found = find_backend(backend);
  return found != nullptr ? found->title() : std::string_view(backend);
}

}  // namespace

std::string key_type(const CatalogueKey& key) { return key.nullable ? key.type + " or null" : key.type; }

std::string key_choices(const CatalogueKey& key) {
  std::vector<std::string> words;
  for (const std::string& choice : key.choices) {
    const bool is_plain = choice.size() > 2 && choice.front() == '"';
    words.push_back(is_plain ? choice.substr(1, choice.size() - 2) : choice);
  }
  return join(words, ", ");
}

std::string key_owner(const CatalogueKey& key) {
  if (key.owner != "primus") return std::string(title_of(key.owner));
  if (key.backend.empty()) return "Primus";
  if (key.backend == "experiment") return "Primus, the experiment's own";
  return fmt::format("Primus, for {}", title_of(key.backend));
}

void write_key(JsonWriter& json, const CatalogueKey& key) {
  json.begin_object(JsonWriter::Layout::one_line);
  json.key("name").string(key.name).key("owner").string(key.owner);
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) json.key(name).string(value);
  };
  const auto value = [&](const char* name, const std::string& json_text) {
    if (!json_text.empty()) json.key(name).raw(json_text);
  };
  text("backend", key.backend);
  json.key("type").string(key.type).key("null").boolean(key.nullable);
  value("default", key.default_value);
  value("preset", key.preset);
  if (!key.choices.empty()) {
    json.key("choices").begin_array(JsonWriter::Layout::one_line);
    for (const std::string& choice : key.choices) json.raw(choice);
    json.end_array();
  }
  value("at_least", key.at_least);
  value("above", key.above);
  value("at_most", key.at_most);
  text("flag", key.flag);
  text("class", key.owner_class);
  text("only", key.only);
  text("status", key.status);
  text("instead", key.instead);
  text("about", key.about);
  json.end_object();
}

}  // namespace primus_plan
