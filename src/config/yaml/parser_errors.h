#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/yaml/text.h"

namespace primus_plan::yaml {

/// A collection whose end has not been seen.
struct OpenCollection {
  std::size_t at = 0;
  bool flow = false;
};

/// Throws the LoadError for a refusal of yaml-cpp: its terse message in words, at a place that helps. yaml-cpp names
/// the place where it gave up, which for an unclosed bracket is far from the bracket.
[[noreturn]] void fail_as_parser_error(const std::string& message, std::size_t at,
                                       const std::vector<OpenCollection>& open, const CheckedText& text,
                                       Locator& locator);

}  // namespace primus_plan::yaml
