#pragma once

#include <string>
#include <utility>
#include <vector>

namespace primus_plan::test {

/// How a program is started.
struct ProcessOptions {
  std::string input;                                             ///< standard input
  std::vector<std::pair<std::string, std::string>> environment;  ///< on top of PATH, HOME and TMPDIR alone
  std::string folder;                                            ///< to start in; empty: this process's
  std::string stdout_file;                                       ///< where standard output goes instead of `out`
  bool close_output_early = false;                               ///< the reader of standard output goes away at once
  bool ignore_pipe_signal = false;                               ///< started with SIGPIPE ignored, as some parents do
};

struct ProcessResult {
  int exit_code = -1;  ///< -1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

/// Runs a program to its end; a minute is the limit. Throws std::runtime_error when it cannot be started.
ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const ProcessOptions& options = {});

/// Runs primus-plan.
ProcessResult run_plan(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

}  // namespace primus_plan::test
