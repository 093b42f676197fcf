#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// What `check` found in one file: an analysis for each module, or only the findings of loading when it could not be
/// loaded.
struct FileReport {
  std::string path;
  std::vector<Analysis> modules;
  std::vector<Finding> load_errors;
  std::vector<std::shared_ptr<const Source>> sources;  ///< owners of the texts that findings point into
};

/// Counts over files: `files` counts files, the others findings and modules.
struct Summary {
  std::size_t files = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
  std::size_t not_checked = 0;  ///< modules of frameworks without a checker

  Summary& operator+=(const Summary& other);
};

/// The counts of one file.
Summary summarize(const FileReport& file);

/// How text is laid out for a person.
struct TextStyle {
  bool color = false;
  bool quiet = false;           ///< findings only
  bool verbose = false;         ///< stages, rewrites, effective values
  bool brief_if_clean = false;  ///< of many files: nothing for a clean one (one line if verbose)
  bool worlds = false;          ///< a table of the legal world sizes
  int width = 100;              ///< columns of the terminal
};

/// What a report says of the tool that made it.
struct ToolInfo {
  std::string version;
  std::vector<std::pair<std::string, std::string>> pins;  ///< framework and the version that the checks speak for
};

/// A report format. The pieces are made one by one, so that a file can be forgotten once it is rendered: begin, the
/// files with separators between them, end. All functions are pure and may be called from many threads.
class Formatter {
 public:
  virtual ~Formatter() = default;
  virtual std::string begin() const { return {}; }
  virtual std::string file(const FileReport& file) const = 0;
  /// Stands between two files that are not empty.
  virtual std::string separator() const { return {}; }
  virtual std::string end(const Summary& summary) const = 0;
};

/// The report for a terminal.
std::unique_ptr<Formatter> make_text_formatter(const TextStyle& style);
/// The JSON contract, version 1.
std::unique_ptr<Formatter> make_json_formatter(ToolInfo tool);

/// One row of the list of formats.
struct Format {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Formatter> (*make)(const TextStyle& style, const ToolInfo& tool);
};

/// All formats; a new one is a file and a row.
std::span<const Format> formats();
/// Null when there is none of this name.
const Format* find_format(std::string_view name);

/// A whole report at once.
std::string format_report(const Formatter& formatter, std::span<const FileReport> files);

}  // namespace primus_plan
