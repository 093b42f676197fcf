#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "history_file.h"
#include "primus_plan/session/session.h"

namespace primus_plan::app {

/// A line editor on the terminal (libedit): history, completion, Ctrl-C for the line, Ctrl-D for the end.
class Terminal {
 public:
  using Complete = std::function<session::Completions(const std::string& line)>;

  /// `history`: of earlier sessions; what is remembered goes there, too.
  Terminal(Complete complete, HistoryFile history);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  enum class End : std::uint8_t { line, interrupted, closed };
  struct Input {
    End end = End::closed;
    std::string line;
  };
  /// `remember`: the line goes into the history.
  Input read(const std::string& prompt, bool remember);

 private:
  struct Editor;
  std::unique_ptr<Editor> editor_;
};

}  // namespace primus_plan::app
