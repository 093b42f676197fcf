#pragma once

#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// One known finding.
struct BaselineEntry {
  std::string fingerprint;  ///< 16 hexadecimal digits; the second of two findings that are alike ends in "-2"
  std::string rule;         ///< this and what follows are for people who read the file
  std::string path;         ///< relative to the baseline's folder
  std::string module;       ///< empty for findings of loading
  std::string message;
};

/// Findings that are known and need not be told again. Lines do not matter: a finding is known by its rule, experiment,
/// module and message, numbers included.
class Baseline {
 public:
  Baseline() = default;
  /// Throws BadBaseline for a text that is no baseline.
  explicit Baseline(std::string_view text);

  bool contains(const std::string& fingerprint) const { return fingerprints_.contains(fingerprint); }
  std::size_t size() const { return fingerprints_.size(); }

 private:
  std::set<std::string, std::less<>> fingerprints_;
};

class BadBaseline : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text of a baseline: JSON with one finding a line, sorted by path, so that version control shows what changed.
std::string baseline_to_json(std::vector<BaselineEntry> entries);

}  // namespace primus_plan
