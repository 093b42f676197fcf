#include "primus_plan/diagnostics/rule_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

constexpr std::array<std::pair<std::string_view, Level>, 4> level_names = {
    {{"off", Level::off}, {"note", Level::note}, {"warning", Level::warning}, {"error", Level::error}}};

constexpr std::size_t shortest_prefix = 2;

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

}  // namespace

std::string_view to_string(Level level) {
  const auto found = std::ranges::find(level_names, level, &std::pair<std::string_view, Level>::second);
  return found->first;
}

std::optional<Level> parse_level(std::string_view word) {
  const auto found = std::ranges::find(level_names, word, &std::pair<std::string_view, Level>::first);
  return found == level_names.end() ? std::nullopt : std::optional(found->second);
}

std::vector<const RuleInfo*> rules_called(std::string_view word, RuleList rules) {
  const std::string id = upper(word);
  std::vector<const RuleInfo*> begun;
  for (const RuleInfo* rule : rules) {
    if (rule->id == id || rule->name == word) return {rule};
    if (id.size() >= shortest_prefix && rule->id.starts_with(id)) begun.push_back(rule);
  }
  return begun;
}

std::string unknown_rule_text(std::string_view word, RuleList rules) {
  std::vector<std::string_view> names;
  for (const RuleInfo* rule : rules) {
    names.push_back(rule->id);
    names.push_back(rule->name);
  }
  const auto nearest = nearest_names(word, names, 1);
  std::string text = fmt::format("no rule is called {}", word);
  if (nearest.empty()) return text;
  const RuleInfo* rule = rules_called(nearest.front(), rules).front();
  return text + fmt::format("; did you mean {} ({})?", rule->id, rule->name);
}

void apply_wishes(std::span<const LevelWish> wishes, RuleList rules, Levels& levels) {
  std::vector<LevelWish> in_order(wishes.begin(), wishes.end());
  // A name says one rule, as an id does, and is longer than any.
  std::ranges::stable_sort(in_order, {}, [](const LevelWish& wish) { return wish.word.size(); });
  for (const LevelWish& wish : in_order) {
    for (const RuleInfo* rule : rules_called(wish.word, rules)) levels[rule->id] = wish.level;
  }
}

}  // namespace primus_plan
