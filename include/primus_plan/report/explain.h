#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "primus_plan/report/report.h"

namespace primus_plan {

/// The page of a topic, a rule (by id or name) or a key; `format` is "text", "markdown" or "json". Nothing for other
/// words.
std::optional<std::string> explain(const std::string& word, const std::string& format, const TextStyle& style);

/// Whether there is such a page.
bool can_explain(const std::string& word);

/// Topics, rules and keys that a word may be a slip of, with commas between; empty when none is near.
std::string nearest_explained(const std::string& word);

}  // namespace primus_plan
