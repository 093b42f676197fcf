#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>

#include "primus_plan/config/fields.h"
#include "primus_plan/config/node.h"
#include "primus_plan/run/candidate.h"

namespace primus_plan {

/// Whether a key is named in the overrides of a candidate when it has the wanted value already.
enum class Named : std::uint8_t { always, when_changed };

/// Turns keys of a config copy as overrides on the command line would. `Config` is a backend's typed struct.
template <class Config>
class KeySetter {
 public:
  KeySetter(const Config& base, Config& turned) : base_(base), turned_(turned) {}

  template <class T>
  void set(Sourced<T> Config::*member, T value, Named named = Named::when_changed) {
    const Sourced<T>& before = base_.*member;
    Sourced<T>& field = turned_.*member;
    if (named == Named::when_changed && before.value == value && !before.is_unreadable) {
      field.value = before.value;
      field.origin = before.origin;
      field.is_explicit = before.is_explicit;
      return;
    }
    field.value = value;
    field.origin = Origin{.source = nullptr, .line = 0, .column = 0, .length = 0, .layer = Layer::command_line};
    field.is_explicit = true;
    field.is_unreadable = false;
  }

 private:
  const Config& base_;
  Config& turned_;
};

namespace turned_detail {
inline std::string yaml(Int value) { return fmt::format("{}", value); }
inline std::string yaml(bool value) { return value ? "true" : "false"; }
inline std::string yaml(std::string_view value) {
  return value.data() == nullptr ? "null" : to_text(*make_string(std::string(value)));
}
inline std::string yaml(const Node* node) { return node == nullptr ? "null" : to_text(*node); }
inline std::string yaml(const std::optional<Int>& value) { return value ? yaml(*value) : "null"; }
inline std::string yaml(double value) { return fmt::format("{}", value); }
}  // namespace turned_detail

/// Lists the same keys as overrides.
template <class Config>
class KeyLister {
 public:
  KeyLister(const Config& base, bool only_changes, CandidateOverrides& out)
      : base_(base), only_changes_(only_changes), out_(out) {}

  template <class T>
  void set(Sourced<T> Config::*member, T value, Named named = Named::when_changed) {
    const Sourced<T>& before = base_.*member;
    const bool same = before.value == value && !before.is_unreadable;
    if (same && (only_changes_ || named == Named::when_changed)) return;
    out_.emplace_back(before.key, turned_detail::yaml(value));
  }

 private:
  const Config& base_;
  bool only_changes_;
  CandidateOverrides& out_;
};

}  // namespace primus_plan
