#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/estimate/memory.h"
#include "primus_plan/report/report.h"
#include "primus_plan/run/hardware.h"
#include "report/json_writer.h"

namespace primus_plan {

/// Parts of the JSON contract that several formats and commands print.

/// A key with a number; null for 0 and less, which stand for "could not be derived".
void write_count(JsonWriter& json, std::string_view key, std::int64_t value);
void write_real(JsonWriter& json, std::string_view key, double value);

/// A key with a number that may be 0; null where it is not known.
void write_known(JsonWriter& json, std::string_view key, std::optional<double> value);
void write_lines(JsonWriter& json, std::string_view key, const std::vector<std::string>& lines);
/// {"low", "expected", "high"} in bytes.
void write_range(JsonWriter& json, std::string_view key, const MemoryRange& range);

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
