#include "replace_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "command.h"
#include "descriptor.h"
#include "temporary_file.h"

namespace primus_plan::app {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Trouble(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

void write_all(const std::string& path, int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(path, errno);
    }
  }
}

/// Owner, group and permissions of another file, and everything on the disk.
bool settle_as(int file, const struct stat& original) {
  // Only root may give files away; the owner of a file edited by somebody of its group changes.
  if (::fchown(file, original.st_uid, original.st_gid) != 0) {
    static_cast<void>(::fchown(file, static_cast<uid_t>(-1), original.st_gid) == 0);
  }
  return ::fchmod(file, original.st_mode & 07777U) == 0 && ::fsync(file) == 0;
}

bool holds(int file, std::string_view text) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0 && text.empty();
    const auto size = static_cast<std::size_t>(count);
    if (text.substr(0, size) != std::string_view(buffer.data(), size)) return false;
    text.remove_prefix(size);
  }
}

}  // namespace

std::string replace_file(const std::string& path, std::string_view before, std::string_view after) {
  const Descriptor original(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!original.is_open() && errno == ELOOP) return "it is a symbolic link; name the file that it leads to";
  if (!original.is_open()) fail(path, errno);
  struct stat status {};
  if (::fstat(original.get(), &status) != 0) fail(path, errno);
  if (!S_ISREG(status.st_mode)) return "it is no regular file";
  if ((status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0) return "it is read-only";
  if (status.st_nlink > 1) return "it has other names (hard links), which would keep the old text";
  if (!holds(original.get(), before)) return "it has changed since it was read";
  TemporaryFile replacement(path);
  if (!replacement.is_open()) fail(path, errno);
  write_all(path, replacement.descriptor(), after);
  if (!settle_as(replacement.descriptor(), status) || !replacement.take_place_of(path)) fail(path, errno);
  return {};
}

}  // namespace primus_plan::app
