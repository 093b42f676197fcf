#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/diagnostics/rule.h"

namespace primus_plan {

using RuleList = std::span<const RuleInfo* const>;

/// How loud the user wants a rule to be. `off`: not reported.
enum class Level : std::uint8_t { off, note, warning, error };
/// "off", "note", "warning", "error".
std::string_view to_string(Level level);
/// Nothing for any other word.
std::optional<Level> parse_level(std::string_view word);

/// The rules that a word stands for: an id (MG203), a name (global-batch-not-divisible), or the first letters of ids,
/// two at least (MG, MG2). Upper and lower case of ids count as equal. Empty when there is none.
std::vector<const RuleInfo*> rules_called(std::string_view word, RuleList rules);
/// "no rule is called MG2033; did you mean MG203 (global-batch-not-divisible)?"
std::string unknown_rule_text(std::string_view word, RuleList rules);

/// Levels that differ from the rules' own severities, by id.
using Levels = std::map<std::string_view, Level>;

/// A word for rules, and the level it asks for.
struct LevelWish {
  std::string_view word;
  Level level = Level::off;
};
/// What wishes of one place come to: a longer word beats a shorter one that holds for the same rule, whatever their
/// order; of equally long ones the last. Words that call no rule are passed over.
void apply_wishes(std::span<const LevelWish> wishes, RuleList rules, Levels& levels);

}  // namespace primus_plan
