#pragma once

#include <memory>
#include <string>
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
};

struct Summary {
  std::size_t files = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
  std::size_t not_checked = 0;
};

struct Report {
  std::vector<FileReport> files;
};

Summary summarize(const Report& report);

/// How text is laid out for a person.
struct TextStyle {
  bool color = false;
  bool quiet = false;    ///< findings only
  bool verbose = false;  ///< stages, rewrites, effective values
  int width = 100;
};

/// The report for a terminal.
std::string format_text(const Report& report, const TextStyle& style);
/// The JSON contract, version 1 (design, section 7).
std::string format_json(const Report& report);

}  // namespace primus_plan
