#pragma once

#include <string>
#include <string_view>

namespace primus_plan {

/// A JSON Schema (draft-07) of experiments, made from the key catalogues, for the YAML support of editors: types,
/// choices, defaults and sentences of every key. The keys below `overrides` are those of the module's framework, or of
/// `backend` alone where one is named. Any scalar may be a text with ${VAR}: Primus types it when the file is read. A
/// framework without a catalogue takes any key.
std::string experiment_schema(std::string_view backend = {});

/// schemas/NAME.schema.json: "report", what `check --format json` prints, or "plan", what `plan --format json` prints.
/// Empty for another name.
std::string_view output_schema(std::string_view name);

}  // namespace primus_plan
