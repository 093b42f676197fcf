#include "primus_plan/config/environment.h"

#include <unistd.h>

namespace primus_plan {

Environment Environment::of_process() {
  Environment result;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::size_t equals = text.find('=', 1);
    if (equals == std::string_view::npos) continue;
    result.set(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
  }
  return result;
}

std::optional<std::string_view> Environment::get(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

}  // namespace primus_plan
