#pragma once

#include <string>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/report/report.h"
#include "primus_plan/run/hardware.h"
#include "report/json_writer.h"

namespace primus_plan {

/// Objects of the JSON contract that several formats and commands print.

/// One module of a file: launch, degrees, batch, effective values, rewrites, findings.
void write_module(JsonWriter& json, const Analysis& module);
/// A file of which nothing but its faults is known, in the shape of a module.
void write_unloaded(JsonWriter& json, const FileReport& file);
/// One finding; without a place of its own it is at `fallback`.
void write_finding(JsonWriter& json, const Finding& finding, const Origin& fallback, const std::string& path);

/// path, module, backend, world_size, world_size_assumed: what the JSON of one run's estimates begins with.
void write_run_identity(JsonWriter& json, const Analysis& analysis);
/// {"name", "source", "memory_bytes"} of the part that a run is estimated for.
void write_part(JsonWriter& json, const Hardware& part, const std::string& source);

}  // namespace primus_plan
