#pragma once

#include <string>
#include <vector>

#include "primus_plan/diagnostics/origin.h"
#include "primus_plan/diagnostics/rule.h"

namespace primus_plan {

/// A place and what to say about it ("set here").
struct Label {
  Origin origin;
  std::string text;
};

/// Replace the text at `where` (which lies in one line). With `insert_line` set, add the replacement as a new line
/// after `where`'s line instead, indented like that line.
struct Edit {
  Origin where;
  std::string replacement;
  bool insert_line = false;
};

/// A way to mend a finding by editing the file. Safe fixes keep the meaning of the experiment.
struct Fix {
  std::string title;
  std::vector<Edit> edits;
  bool safe = false;
};

/// One problem of one experiment, ready to print.
struct Finding {
  const RuleInfo* rule = nullptr;  ///< never null in a finding that was reported
  Severity severity = Severity::error;
  std::string message;  ///< the sentence with the numbers
  Label primary;        ///< the line to edit
  std::vector<Label> related;
  std::vector<std::string> because;  ///< how the numbers came about: "DP 16 = world 64 / (TP 4 x PP 1 x CP 1)"
  std::vector<std::string> help;     ///< ways out, in the user's own keys
  std::vector<Fix> fixes;
};

}  // namespace primus_plan
