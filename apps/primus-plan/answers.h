#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "output.h"

namespace primus_plan::app {

/// What a command has to say about each module of a file, written as one text.
class Answers {
 public:
  /// `path` is the FILE argument. Throws Trouble when the output cannot be opened.
  Answers(const OutputFlags& flags, const std::string& path)
      : output_(flags.open({path})), style_(flags.style(output_.is_terminal())), json_(flags.format == "json") {}

  const TextStyle& style() const { return style_; }
  /// Nothing stands for a module whose faults were told instead; `starts`: whether the run that it is about would.
  void add(std::optional<std::string> answer, bool starts = true);
  /// Writes the answers, if there are any; the command's exit code.
  int finish();

 private:
  Output output_;
  TextStyle style_;
  bool json_;
  std::vector<std::string> answers_;
  bool sound_ = true;  ///< all are there, and every run starts
};

}  // namespace primus_plan::app
