#include "config/pragma.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/source_text.h"

namespace primus_plan {
namespace {

constexpr std::string_view marker = "primus-plan:";
constexpr std::string_view blanks = " \t\r";

/// The part of a comment line after the marker; null data when the line is no such comment.
std::string_view pragma_text(std::string_view line) {
  const std::size_t start = line.find_first_not_of(blanks);
  if (start == std::string_view::npos || line[start] != '#') return {};
  line.remove_prefix(start + 1);
  const std::size_t word = line.find_first_not_of(" \t");
  if (word == std::string_view::npos || !line.substr(word).starts_with(marker)) return {};
  return line.substr(word + marker.size());
}

/// Takes the next word off the text. Blanks and commas inside brackets belong to the word.
std::string_view take_word(std::string_view& text) {
  const auto is_separator = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; };
  while (!text.empty() && is_separator(text[0])) text.remove_prefix(1);
  std::size_t end = 0;
  for (bool bracket = false; end < text.size() && (bracket || !is_separator(text[end])); ++end) {
    if (text[end] == '[') bracket = true;
    if (text[end] == ']') bracket = false;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::optional<std::int64_t>* size_field(Pragma& pragma, std::string_view key) {
  if (key == "world-size") return &pragma.world_size;
  if (key == "nodes") return &pragma.nodes;
  if (key == "gpus-per-node") return &pragma.gpus_per_node;
  return nullptr;
}

bool is_ignore(std::string_view word) { return word.starts_with("ignore[") && word.ends_with(']'); }

/// Why a word is not understood; empty when it is. Sizes go into the pragma.
std::string read_word(std::string_view word, Pragma& pragma) {
  if (is_ignore(word)) return {};
  const std::size_t equals = word.find('=');
  std::optional<std::int64_t>* field = size_field(pragma, word.substr(0, equals));
  if (field == nullptr) return fmt::format("'{}' is no word that a primus-plan comment can have", word);
  if (equals == std::string_view::npos) return fmt::format("{} needs a number: {}=8", word, word);
  const std::string_view number = word.substr(equals + 1);
  *field = parse_launch_size(number);
  if (*field) return {};
  return fmt::format("{} must be a whole number from 1 to {}, not '{}'", word.substr(0, equals), largest_launch,
                     number);
}

}  // namespace

std::optional<std::int64_t> parse_launch_size(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > largest_launch)
    return std::nullopt;
  return value;
}

Pragma find_pragma(const Source& source, std::uint32_t first, std::uint32_t last, Remarks& remarks) {
  Pragma result;
  const std::string_view all = source.text();
  if (all.find(marker) == std::string_view::npos) return result;
  const auto lines = static_cast<std::uint32_t>(source.line_starts().size());
  for (std::uint32_t number = first; number <= std::min(last, lines); ++number) {
    std::string_view text = pragma_text(source.line(number));
    if (text.data() == nullptr) continue;
    const auto place = [&](std::string_view word) {
      const auto begin = static_cast<std::size_t>(word.data() - all.data());
      return origin_in(source, begin, begin + word.size(), Layer::experiment);
    };
    Pragma here;
    here.origin = place(text.substr(std::min(text.find_first_not_of(blanks), text.size())));
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
      const std::string trouble = read_word(word, here);
      if (trouble.empty()) continue;
      remarks.push_back(fault(loading::bad_pragma, place(word), trouble,
                              {"write # primus-plan: world-size=64, nodes=8 gpus-per-node=8, or ignore[RULE]"}));
    }
    const bool has_size = here.world_size || here.nodes || here.gpus_per_node;
    if (has_size && !result.origin) result = here;
  }
  return result;
}

}  // namespace primus_plan
