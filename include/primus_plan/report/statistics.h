#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "primus_plan/report/report.h"

namespace primus_plan {

/// How often each rule has fired.
class Statistics {
 public:
  void add(const FileReport& file);
  void add(const Statistics& other);

  /// A table, the most frequent rule first: count, files, severity, id, name; then a line of totals.
  std::string to_text(const Summary& total, const TextStyle& style) const;
  /// {"schema": "primus-plan/1", "statistics": [{"rule", "name", "severity", "count", "files"}], "summary": {…}}.
  std::string to_json(const Summary& total) const;

 private:
  struct Row {
    const RuleInfo* rule = nullptr;
    Severity severity = Severity::note;  ///< the gravest it was reported with
    std::size_t count = 0;
    std::size_t files = 0;
  };
  std::vector<const Row*> sorted() const;

  std::map<std::string_view, Row> rows_;  ///< by id
};

}  // namespace primus_plan
