#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "primus_plan/planner/mend.h"

namespace primus_plan::app {

/// Whether and how `check` edits the files it reads.
struct FixFlags {
  bool safe = false;
  bool unsafe = false;
  bool diff = false;  ///< print what would be changed instead

  void declare(CLI::App& app);
  bool wanted() const { return safe || unsafe || diff; }
  FixLevel level() const { return unsafe ? FixLevel::all : FixLevel::safe; }
};

/// What became of one file.
struct Fixed {
  Mended mended;
  std::string diff;    ///< with --diff
  std::string remark;  ///< for standard error: what was done, or why the file was left as it is
};

/// Mends the text of the file at `path` and, without --diff, writes it there: to a temporary file beside it that then
/// takes its place with its permissions. Files that are reached through a symbolic link, that changed since they were
/// read, or that are no regular files are left as they are. Throws Trouble when the file cannot be written; it is then
/// still whole. `one_change_is_enough`: see mend_unless_one_change_does.
Fixed fix_file(const std::string& path, const std::string& text, const Judge& judge, const FixFlags& flags,
               const OneChangeIsEnough& one_change_is_enough);

}  // namespace primus_plan::app
