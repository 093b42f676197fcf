#pragma once

#include <string_view>

#include "primus_plan/report/keys.h"
#include "report/json_writer.h"

namespace primus_plan {

/// The types of the catalogues as definitions of a JSON Schema, each with ${VAR} beside it, and "-or-null" forms.
void write_scalar_definitions(JsonWriter& json);

/// A key as a member of `properties`, called `name` there.
void write_schema_key(JsonWriter& json, const CatalogueKey& key, std::string_view name);

/// The keys below `overrides` of a framework's modules, as a definition that has the framework's name. Sections are
/// objects; no other keys are allowed.
void write_overrides_definition(JsonWriter& json, std::string_view framework);

}  // namespace primus_plan
