#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/diagnostics/edits.h"
#include "primus_plan/planner/written_plan.h"
#include "support/utf8.h"

namespace primus_plan {
namespace {

constexpr std::int64_t usual_gpus_of_node = 8;
constexpr std::string_view separators = " \t\r,";

void add_word(std::string& out, std::string_view word) { out += fmt::format("{}{}", out.empty() ? "" : " ", word); }

/// The words of a launch comment with those that `comment` says in their place.
std::string reworded(std::string_view words, const LaunchComment& comment) {
  const bool sized = comment.world_size > 0;
  std::string out =
      to_words({.world_size = comment.world_size, .gpus_per_node = comment.gpus_per_node, .hardware = {}});
  while (!words.empty()) {
    words.remove_prefix(std::min(words.find_first_not_of(separators), words.size()));
    const std::string_view word = words.substr(0, words.find_first_of(separators));
    words.remove_prefix(word.size());
    const bool of_size = word.starts_with("world-size=") || word.starts_with("nodes=");
    const bool of_node = word.starts_with("gpus-per-node=");
    const bool of_part = word.starts_with("hardware=");
    if (word.empty() || (sized && of_size) || (of_part && !comment.hardware.empty())) continue;
    if (!sized || !of_node) {
      add_word(out, word);
    } else if (comment.gpus_per_node == usual_gpus_of_node) {  // others are told already
      add_word(out, fmt::format("gpus-per-node={}", comment.gpus_per_node));
    }
  }
  if (!comment.hardware.empty()) add_word(out, fmt::format("hardware={}", comment.hardware));
  return out;
}

/// The text with a launch comment in a line of its own at its beginning, behind a byte order mark.
std::string with_new_line(const std::string& text, const LaunchComment& comment) {
  const std::size_t first = text.find('\n');
  const bool has_returns = first != std::string::npos && first > 0 && text[first - 1] == '\r';
  const std::string line = fmt::format("# primus-plan: {}{}", to_words(comment), has_returns ? "\r\n" : "\n");
  if (!text.starts_with(byte_order_mark)) return line + text;
  return fmt::format("{}{}{}", byte_order_mark, line, text.substr(byte_order_mark.size()));
}

}  // namespace

std::string to_words(const LaunchComment& comment) {
  std::string out;
  if (comment.world_size > 0) {
    add_word(out, fmt::format("world-size={}", comment.world_size));
    if (comment.gpus_per_node != usual_gpus_of_node)
      add_word(out, fmt::format("gpus-per-node={}", comment.gpus_per_node));
  }
  if (!comment.hardware.empty()) add_word(out, fmt::format("hardware={}", comment.hardware));
  return out;
}

std::string with_launch_comment(const std::string& text, const Origin& pragma, const LaunchComment& comment) {
  if (to_words(comment).empty()) return text;
  if (!pragma) return with_new_line(text, comment);
  if (pragma.source->text() != text) return text;
  auto change = text_change({.where = pragma, .replacement = {}, .insert_line = false});
  if (!change) return text;
  change->replacement = reworded(std::string_view(text).substr(change->begin, change->end - change->begin), comment);
  return apply_changes(text, {*change});
}

}  // namespace primus_plan
