#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/rule_choice.h"
#include "primus_plan/report/baseline.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// What is to be told of the findings of one file. What it points to must outlive it.
struct Choice {
  const Levels* levels = nullptr;      ///< rules with a level of the user's own; null: none
  std::set<std::string_view> ignored;  ///< ids of rules that this file need not keep
  const Baseline* baseline = nullptr;  ///< findings that are known; null: none
  std::string path;                    ///< what the baseline calls the file: relative to its folder
};

/// Takes out what the user does not want to hear, gives the rest the severities that were asked for, and makes verdicts
/// and counts follow. Every format and command that comes after sees the same. An ignored fault of loading does not
/// make the file pass: nothing of it was checked, and the report says so (verdict not-checked).
void apply_choice(FileReport& file, const Choice& choice);
/// The same for modules that are not part of a file's report.
void apply_choice(std::vector<Analysis>& modules, const Choice& choice);

/// The findings of a file as entries of a baseline, which calls the file by its path relative to the baseline's folder.
std::vector<BaselineEntry> baseline_entries(const FileReport& file, const std::string& relative_path);

}  // namespace primus_plan
