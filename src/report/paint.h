#pragma once

#include <string>
#include <string_view>

#include "primus_plan/diagnostics/rule.h"

namespace primus_plan {

/// Colours text for a terminal, or leaves it alone.
class Paint {
 public:
  explicit Paint(bool color) : color_(color) {}

  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string gutter(std::string_view text) const { return wrap("34", text); }
  std::string faint(std::string_view text) const { return wrap("2", text); }
  std::string good(std::string_view text) const { return wrap("1;32", text); }
  std::string bad(std::string_view text) const { return wrap("1;31", text); }
  /// Text in a style given as an SGR code ("30;48;5;75").
  std::string styled(std::string_view code, std::string_view text) const { return wrap(code, text); }
  bool has_color() const { return color_; }
  std::string severity(Severity severity, std::string_view text) const { return wrap(code(severity), text); }

 private:
  static std::string_view code(Severity severity);
  std::string wrap(std::string_view code, std::string_view text) const;

  bool color_;
};

}  // namespace primus_plan
