#pragma once

#include <unistd.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace primus_plan::app {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  /// Negative: none, as open gives it back with errno.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// Everything up to the end of a file or pipe, which stays open. Throws Trouble, with `name` in it, when it cannot be
/// read or has more than `most_bytes`.
std::string read_all(int descriptor, std::string_view name,
                     std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace primus_plan::app
