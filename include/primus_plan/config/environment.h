#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace primus_plan {

/// The environment variables that loading may see. A value, so that tests and `--env K=V` can make their own.
class Environment {
 public:
  Environment() = default;
  /// The process's variables.
  static Environment of_process();

  std::optional<std::string_view> get(std::string_view name) const;
  void set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace primus_plan
