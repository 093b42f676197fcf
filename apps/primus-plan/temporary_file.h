#pragma once

#include <string>

namespace primus_plan::app {

/// A file beside another one that takes its place when it is complete, and is removed otherwise: also when an
/// interrupt, a request to end or a hang-up (SIGINT, SIGTERM, SIGHUP) ends the program.
class TemporaryFile {
 public:
  /// errno says why when it is not open then.
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// Closes it and gives it the name `path`; false, with errno, when that fails.
  bool take_place_of(const std::string& path);

 private:
  std::string name_;
  int descriptor_ = -1;
  void* slot_ = nullptr;  ///< where the handler of signals finds the name
};

}  // namespace primus_plan::app
