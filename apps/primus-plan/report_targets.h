#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "options.h"
#include "output.h"
#include "primus_plan/report/report.h"

namespace primus_plan::app {

/// --format of a command that writes reports: any number of FORMAT=FILE, and one FORMAT for standard output or
/// --output.
struct ReportFlags : OutputFlags {
  std::vector<std::string> reports;

  void declare(CLI::App& app);
};

/// One report being written.
struct ReportTarget {
  std::unique_ptr<Output> output;
  std::unique_ptr<Formatter> formatter;
  std::unique_ptr<Assembly> assembly;
};

/// Opens every report that the flags ask for, styled as they say and as `wishes` for what they do not. Throws Trouble
/// for two reports in one place, for files that cannot be written and for files that are `read`.
class ReportTargets {
 public:
  ReportTargets(const ReportFlags& flags, const TextStyle& wishes, const std::vector<std::string>& read);

  /// One file in every format. Pure, may be called from many threads.
  std::vector<Piece> render(const FileReport& file) const;
  /// Writes what can be written already; whether that was anything.
  bool add(const std::vector<Piece>& pieces);
  /// Puts every file in its place.
  void finish(const Summary& total);

 private:
  void open(const ReportFlags& flags, const TextStyle& wishes, const std::string& format, const std::string& file);

  std::vector<ReportTarget> targets_;
};

}  // namespace primus_plan::app
