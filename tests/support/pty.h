#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace primus_plan::test {

/// How a program is started on a terminal of its own.
struct PtyOptions {
  int columns = 100;
  int rows = 40;
  std::string term = "xterm-256color";
  std::vector<std::pair<std::string, std::string>> environment;  ///< on top of PATH, HOME, TERM and a UTF-8 locale
  std::string folder;
  std::string program;  ///< in place of primus-plan
};

/// primus-plan, or another program, on a pseudo-terminal, with a person's hands and eyes.
class Pty {
 public:
  explicit Pty(const std::vector<std::string>& arguments, const PtyOptions& options = {});
  ~Pty();
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  void type(const std::string& keys);
  /// Waits until a text is seen in what came since the last wait, and gives back all up to its end; everything that
  /// came, when it never does. The limit grows with patience().
  std::string wait_for(const std::string& text, std::chrono::milliseconds limit = std::chrono::seconds(20));
  /// Types a line and waits for the next prompt.
  std::string run(const std::string& line);
  void resize(int columns, int rows);
  void signal(int number);
  /// Waits for the program's end; -1 when a signal ended it or it did not end.
  int exit_code();
  /// Everything that was seen.
  const std::string& seen() const { return seen_; }

 private:
  bool read_some(std::chrono::milliseconds limit);
  bool has_ended() const;

  int terminal_ = -1;
  pid_t child_ = -1;
  std::string seen_;
  std::size_t at_ = 0;
};

/// The lines that a terminal shows in the end: what was drawn over is gone, and so is what steers the terminal.
std::string plain_text(const std::string& text);

}  // namespace primus_plan::test
