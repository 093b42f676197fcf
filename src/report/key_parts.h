#pragma once

#include <string>

#include "primus_plan/report/keys.h"
#include "report/json_writer.h"

namespace primus_plan {

/// "integer or null"; "computed" for keys that the framework computes.
std::string key_type(const CatalogueKey& key);

/// "fp8, int8, …" as YAML writes them.
std::string key_choices(const CatalogueKey& key);

/// Whose key it is: "Megatron-LM", "Primus, for Megatron-LM", "Primus".
std::string key_owner(const CatalogueKey& key);

/// What the catalogue knows of a key, as a JSON object on one line.
void write_key(JsonWriter& json, const CatalogueKey& key);

}  // namespace primus_plan
