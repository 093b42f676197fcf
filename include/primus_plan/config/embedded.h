#pragma once

#include <span>
#include <string_view>

namespace primus_plan {

/// A file that is part of the library. The text lives as long as the program and ends with a '\0' that `text` does not
/// count.
struct EmbeddedFile {
  std::string_view path;  ///< relative to the folder it came from: "configs/modules/megatron/pre_trainer.yaml"
  std::string_view text;
};

/// The files of presets/, sorted by path.
std::span<const EmbeddedFile> embedded_presets();
/// The key catalogues: "megatron.json", "torchtitan.json", "maxtext.json", "primus.json" (Primus's own keys).
std::span<const EmbeddedFile> embedded_keys();
/// The tables of published measurements: "published.csv".
std::span<const EmbeddedFile> embedded_measurements();

/// Style and script of HTML reports: "page.css", "page.js".
std::span<const EmbeddedFile> embedded_page();

/// The texts of `explain TOPIC`: "batch.txt", …
std::span<const EmbeddedFile> embedded_topics();
/// The schemas that are written by hand: "plan.schema.json", "report.schema.json".
std::span<const EmbeddedFile> embedded_schemas();

}  // namespace primus_plan
