#include "primus_plan/config/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace primus_plan {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::optional<std::string> fail(ReadFailure& failure, std::string reason, bool missing = false) {
  failure = {.reason = std::move(reason), .missing = missing, .too_large = false};
  return std::nullopt;
}

std::optional<std::string> fail_too_large(ReadFailure& failure, std::string reason) {
  failure = {.reason = std::move(reason), .missing = false, .too_large = true};
  return std::nullopt;
}

std::optional<std::string> fail_errno(ReadFailure& failure, int error) {
  switch (error) {
    case ENOENT:
      return fail(failure, "no such file", true);
    case ENOTDIR:
      return fail(failure, "no such file (a part of the path is not a folder)", true);
    case EACCES:
      return fail(failure, "permission denied");
    case ELOOP:
      return fail(failure, "too many symbolic links");
    case ENAMETOOLONG:
      return fail(failure, "the name is too long");
    default:
      return fail(failure, std::generic_category().message(error));
  }
}

/// What a path is when it is no regular file; empty when it is one.
std::string_view special_kind(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a named pipe, not a regular file";
  if (S_ISSOCK(mode)) return "it is a socket, not a regular file";
  return "it is a device, not a regular file";
}

std::optional<std::string> read_up_to(int descriptor, std::size_t limit, std::size_t expected, ReadFailure& failure) {
  std::string text;
  text.resize(std::min(limit, expected) + 1);
  std::size_t size = 0;
  while (true) {
    const ssize_t got = ::read(descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(failure, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > limit) return fail_too_large(failure, fmt::format("it is larger than the limit of {} bytes", limit));
    if (size == text.size()) text.resize(std::min(limit + 1, text.size() * 2));
  }
  text.resize(size);
  return text;
}

}  // namespace

std::optional<std::string> DiskFiles::read(const std::string& path, ReadFailure& failure) const {
  constexpr std::size_t first_guess = 64U << 10U;
  if (path == "-") return read_up_to(STDIN_FILENO, max_bytes_, first_guess, failure);
  if (path.find('\0') != std::string::npos) return fail(failure, "the name has a NUL character", true);
  // O_NONBLOCK: opening a pipe without a writer must not wait.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0) {
    const int error = errno;
    struct stat link {};
    const bool is_link = error == ENOENT && ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
    return is_link ? fail(failure, "it is a symbolic link to nothing", true) : fail_errno(failure, error);
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return fail_errno(failure, errno);
  if (const auto kind = special_kind(status.st_mode); !kind.empty()) return fail(failure, std::string(kind));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > max_bytes_) {
    return fail_too_large(failure, fmt::format("it has {} bytes, more than the limit of {}", size, max_bytes_));
  }
  return read_up_to(file.number(), max_bytes_, size, failure);
}

bool DiskFiles::exists(const std::string& path) const {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

}  // namespace primus_plan
