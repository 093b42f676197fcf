#pragma once

#include <memory>
#include <string>

#include "output.h"
#include "primus_plan/session/session.h"

namespace primus_plan::app {

/// The commands of a session as they were given, for --script. Each is in the file as soon as it was run.
class Transcript {
 public:
  /// An empty path: none. Throws Trouble when the file cannot be written or is `experiment`.
  Transcript(const std::string& path, const std::string& experiment);
  /// What could not be run becomes a comment.
  void add(const session::Result& result);

 private:
  void write(const std::string& line);

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace primus_plan::app
