#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace primus_plan::app {

/// Where the lines of the prompt are kept: $XDG_STATE_HOME/primus-plan/history, else ~/.local/state/primus-plan/history
/// (XDG Base Directory Specification). Empty where neither is an absolute path.
std::string history_path();

/// Lines of earlier sessions, in a file that only its owner reads. Whatever goes wrong with it is no trouble: then
/// nothing is remembered. Sessions that run at the same time add their lines in turn.
class HistoryFile {
 public:
  static constexpr std::size_t most_lines = 1000;

  /// `path`: empty for none.
  explicit HistoryFile(std::string path) : path_(std::move(path)) {}

  /// The last lines, the oldest first; shortens a file that has grown to twice what is remembered.
  std::vector<std::string> load() const;
  /// Makes the file and its folder when they are not there. A line that is as the last one is not kept twice.
  void add(const std::string& line);

 private:
  std::string path_;
  std::string last_;
};

}  // namespace primus_plan::app
