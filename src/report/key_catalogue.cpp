#include <algorithm>
#include <nlohmann/json.hpp>

#include "primus_plan/config/embedded.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/support/glob.h"

namespace primus_plan {

namespace {

using Json = nlohmann::json;

std::string text_of(const Json& key, const char* attribute) {
  const auto found = key.find(attribute);
  return found != key.end() ? found->get<std::string>() : std::string();
}

std::string value_of(const Json& key, const char* attribute) {
  const auto found = key.find(attribute);
  return found != key.end() ? found->dump() : std::string();
}

CatalogueKey read_key(const std::string& name, const std::string& owner, const Json& key) {
  CatalogueKey out{.name = name,
                   .owner = owner,
                   .backend = owner == "primus" ? text_of(key, "backend") : owner,
                   .type = text_of(key, "type"),
                   .nullable = key.value("null", false),
                   .default_value = value_of(key, "default"),
                   .preset = value_of(key, "preset"),
                   .choices = {},
                   .at_least = value_of(key, "at_least"),
                   .above = value_of(key, "above"),
                   .at_most = value_of(key, "at_most"),
                   .flag = text_of(key, "flag"),
                   .owner_class = text_of(key, "class"),
                   .only = text_of(key, "only"),
                   .status = text_of(key, "status"),
                   .instead = text_of(key, "instead"),
                   .about = text_of(key, "about")};
  for (const Json& choice : key.value("choices", Json::array())) out.choices.push_back(choice.dump());
  return out;
}

std::vector<CatalogueKey> read_catalogues() {
  std::vector<CatalogueKey> out;
  for (const EmbeddedFile& file : embedded_keys()) {
    const Json catalogue = Json::parse(file.text);
    const std::string owner = catalogue.at("backend");
    for (const auto& [name, key] : catalogue.at("keys").items()) out.push_back(read_key(name, owner, key));
  }
  return out;
}

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.find_first_of("*?") != std::string_view::npos) return matches_glob(pattern, name);
  return name.find(pattern) != std::string_view::npos;
}

}  // namespace

const std::vector<CatalogueKey>& key_catalogue() {
  static const std::vector<CatalogueKey> keys = read_catalogues();
  return keys;
}

std::vector<const CatalogueKey*> find_keys(std::string_view backend, std::string_view pattern) {
  std::vector<const CatalogueKey*> out;
  for (const CatalogueKey& key : key_catalogue()) {
    const bool is_theirs = backend.empty() || key.backend == backend || key.backend.empty();
    if (is_theirs && fits(pattern, key.name)) out.push_back(&key);
  }
  return out;
}

std::vector<const CatalogueKey*> keys_named(std::string_view name) {
  std::vector<const CatalogueKey*> out;
  for (const CatalogueKey& key : key_catalogue()) {
    const std::string_view known = key.name;
    if (known == name || known.substr(known.rfind('.') + 1) == name) out.push_back(&key);
  }
  return out;
}

}  // namespace primus_plan
