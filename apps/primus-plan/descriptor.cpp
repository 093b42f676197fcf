#include "descriptor.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "command.h"

namespace primus_plan::app {

std::string read_all(int descriptor, std::string_view name, std::size_t most_bytes) {
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Trouble(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > most_bytes) throw Trouble(fmt::format("{} is larger than {} bytes", name, most_bytes));
  }
}

}  // namespace primus_plan::app
