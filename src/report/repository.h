#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "primus_plan/diagnostics/finding.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// A place as CI systems name it. Lines and columns are 1-based, `end_column` is one past the last character; 0 =
/// unknown.
struct Place {
  std::string path;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_column = 0;
};

/// Says where things stand for systems that know the files of one repository only.
class Repository {
 public:
  explicit Repository(const ToolInfo& tool) : folder_(tool.folder), root_(tool.root) {}

  /// A given path as seen from the top of the repository; absolute when it is not below, and unchanged when nothing is
  /// known of a repository or it names no file on disk ("<stdin>").
  std::string path(const std::string& given) const;
  /// Whether a given path is one of the repository's files. Presets inside the binary are not.
  bool holds(const std::string& given) const;

  Place place(const Origin& origin) const;
  /// Where to show a finding: its own place if that is in the repository, else the module's (`fallback`), else the top
  /// of the file that was checked.
  Place place(const Finding& finding, const Origin& fallback, const std::string& file) const;
  /// What the finding has to say below its sentence; a place that place() could not show is told in words.
  std::vector<std::string> remarks(const Finding& finding) const;

 private:
  std::string folder_;
  std::string root_;
};

}  // namespace primus_plan
