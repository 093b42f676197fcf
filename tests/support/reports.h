#pragma once

#include "primus_plan/report/report.h"

namespace primus_plan::test {

/// Reports made by hand, so that formats are tested apart from what the checks find.

/// Llama 3 70B on 64 GPUs, nothing to say.
FileReport clean_report();
/// An error with everything a finding can have, a warning in a preset, a note about the module; interleaved stages.
FileReport broken_report();
/// A file that could not be loaded.
FileReport unloadable_report();
/// A framework without a checker.
FileReport unchecked_report();

/// Texts that try to be markup, commands and line breaks in every format; two findings that are alike.
FileReport hostile_report();

/// "0.1.0" with made-up pins.
ToolInfo some_tool();

}  // namespace primus_plan::test
