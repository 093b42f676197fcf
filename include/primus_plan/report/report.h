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
  std::size_t not_checked = 0;         ///< modules of frameworks without a checker
  std::vector<const RuleInfo*> rules;  ///< those that fired, each once, sorted by id

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
  bool strict = false;          ///< warnings fail, too (in formats that know tests)
  bool wraps = false;           ///< long lines are broken between words, for a terminal
  int width = 100;              ///< columns of the terminal
};

/// What a report says of the tool that made it, and where the tool ran.
struct ToolInfo {
  std::string version;
  std::vector<std::pair<std::string, std::string>> pins;  ///< framework and the version that the checks speak for
  std::string folder = {};                                ///< absolute; what paths were given relative to
  std::string root = {};  ///< absolute; the repository, where CI systems look for files. Empty: paths stay as given
};

/// A report format. The pieces are made one by one, so that a file can be forgotten once it is rendered: begin, the
/// files with separators between them, end. All functions are pure and may be called from many threads.
class Formatter {
 public:
  virtual ~Formatter() = default;
  /// `total` and `rows` speak for the whole report if the format opens with totals, else they are empty.
  virtual std::string begin(const Summary& /*total*/, const std::string& /*rows*/) const { return {}; }
  virtual std::string file(const FileReport& file) const = 0;
  /// What a format that opens with totals says of a file in advance.
  virtual std::string row(const FileReport& /*file*/) const { return {}; }
  /// Stands between two files that are not empty.
  virtual std::string separator() const { return {}; }
  virtual std::string end(const Summary& summary) const = 0;
  /// Whether begin() needs the totals and every file's row: pieces are then held until the last one is made.
  virtual bool opens_with_totals() const { return false; }
};

/// One file as a format says it.
struct Piece {
  std::string row;
  std::string text;
};

Piece make_piece(const Formatter& formatter, const FileReport& file);

/// Puts pieces in order into a report. Each call gives back what can be written now.
class Assembly {
 public:
  explicit Assembly(const Formatter& formatter) : formatter_(formatter) {}
  std::string add(const Piece& piece);
  std::string end(const Summary& total);

 private:
  const Formatter& formatter_;
  std::string rows_;
  std::string held_;
  bool first_ = true;
};

/// The report for a terminal.
std::unique_ptr<Formatter> make_text_formatter(const TextStyle& style);
/// The JSON contract, version 1.
std::unique_ptr<Formatter> make_json_formatter(ToolInfo tool);
/// A line for each module: the objects of the JSON contract's `files`.
std::unique_ptr<Formatter> make_jsonl_formatter();
/// A line for each finding, as gcc writes them: "path:line:column: severity: message [id name]".
std::unique_ptr<Formatter> make_concise_formatter(const TextStyle& style);
/// SARIF 2.1.0 (OASIS): rules that fired with their help, results with fingerprints, related places and fixes.
std::unique_ptr<Formatter> make_sarif_formatter(ToolInfo tool);
/// Workflow commands of GitHub Actions: an annotation for each finding.
std::unique_ptr<Formatter> make_github_formatter(const ToolInfo& tool);
/// GitLab's code quality report: a JSON array with an object for each finding.
std::unique_ptr<Formatter> make_gitlab_formatter(const ToolInfo& tool);
/// JUnit XML: a suite for each file; findings of error level (with `strict` warnings, too) are failed tests.
std::unique_ptr<Formatter> make_junit_formatter(const TextStyle& style, const ToolInfo& tool);
/// A job summary in GitHub's Markdown: totals, a table of modules, findings folded for each file.
std::unique_ptr<Formatter> make_markdown_formatter(const TextStyle& style);

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
