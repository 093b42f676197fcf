#pragma once

#include <cstddef>
#include <string_view>

namespace primus_plan::app {

/// How far a long run is, on standard error: on a terminal a line that takes the place of the one before, elsewhere a
/// line after the other. Needs no more of a terminal than the carriage return.
class StatusLine {
 public:
  StatusLine();
  /// Takes the line off the terminal.
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool is_at_terminal() const { return is_at_terminal_; }
  void show(std::string_view line);
  /// Takes the line off the terminal, so that something else can be printed there.
  void clear();

 private:
  bool is_at_terminal_;
  std::size_t columns_ = 0;  ///< that the line takes on the terminal now
};

}  // namespace primus_plan::app
