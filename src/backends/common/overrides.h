#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

namespace primus_plan {

/// KEY=VALUE overrides (dotted keys, YAML values).
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// Asks for a degree; 0 leaves it to the framework's default.
inline void ask_for_degree(Overrides& out, const char* key, std::int64_t degree) {
  if (degree > 0) out.emplace_back(key, fmt::format("{}", degree));
}

}  // namespace primus_plan
