#include "config/pragma.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/tool_comment.h"
#include "config/yaml/locator.h"
#include "primus_plan/config/hardware.h"
#include "support/whole_number.h"

namespace primus_plan {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view hardware_word = "hardware=";
constexpr std::string_view way_out =
    "write # primus-plan: world-size=64, nodes=8 gpus-per-node=8, hardware=MI300X, or ignore[RULE] reason";

/// Takes the next word off the text.
std::string_view take_word(std::string_view& text) {
  constexpr std::string_view separators = " \t\r,";
  text.remove_prefix(std::min(text.find_first_not_of(separators), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::int64_t>* size_field(Pragma& pragma, std::string_view key) {
  if (key == "world-size") return &pragma.world_size;
  if (key == "nodes") return &pragma.nodes;
  if (key == "gpus-per-node") return &pragma.gpus_per_node;
  return nullptr;
}

/// A built-in part only: a comment of a file that somebody sent must not make the program read other files.
std::string read_part(std::string_view name) {
  if (!built_in_name(name).empty()) return {};
  return fmt::format("hardware={} names none of the parts that primus-plan hardware lists", name);
}

/// Why a word is not understood; empty when it is. Sizes go into the pragma; the part is stated_hardware's to find.
std::string read_word(std::string_view word, Pragma& pragma) {
  const std::size_t equals = word.find('=');
  if (word.starts_with(hardware_word)) return read_part(word.substr(hardware_word.size()));
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
  const auto value = whole_number(text);
  return value && *value >= 1 && *value <= largest_launch ? value : std::nullopt;
}

std::string contradiction(const Pragma& pragma) {
  if (!pragma.world_size || !pragma.nodes) return {};
  constexpr std::int64_t usual_gpus = 8;
  const std::int64_t world = *pragma.world_size;
  if (!pragma.gpus_per_node && world % *pragma.nodes == 0) return {};
  const std::int64_t gpus = pragma.gpus_per_node.value_or(usual_gpus);
  const std::int64_t nodes = (world + gpus - 1) / gpus;
  if (nodes == *pragma.nodes) return {};
  return fmt::format("world-size={} does not fit nodes={}: {} ranks take {} node{} of {} GPU{}", world, *pragma.nodes,
                     world, nodes, nodes == 1 ? "" : "s", gpus, gpus == 1 ? "" : "s");
}

std::optional<HardwareHint> stated_hardware(const Source& source) {
  for (const ToolComment& comment : find_tool_comments(source, 1, std::numeric_limits<std::uint32_t>::max())) {
    std::string_view text = comment.has_colon ? comment.text : std::string_view();
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
      if (!word.starts_with(hardware_word)) continue;
      const std::string_view name = built_in_name(word.substr(hardware_word.size()));
      if (!name.empty()) return HardwareHint{std::string(name), fmt::format("the comment in line {}", comment.line)};
    }
  }
  return std::nullopt;
}

Pragma find_pragma(const Source& source, std::uint32_t first, std::uint32_t last, Remarks& remarks) {
  Pragma result;
  yaml::Locator locator(source, Layer::experiment);  // one for all words: a comment may have very many
  const auto place = [&](std::string_view word) {
    const auto begin = static_cast<std::size_t>(word.data() - source.text().data());
    return locator.origin({begin, begin + word.size()});
  };
  for (const ToolComment& comment : find_tool_comments(source, first, last)) {
    std::string_view text = comment.text;
    if (!comment.has_colon) {
      if (remarks.size() >= most_remarks) continue;
      const std::string_view words = text.substr(std::min(text.find_first_not_of(blanks), text.size()));
      remarks.push_back(fault(loading::bad_pragma, place(words.substr(0, words.find_last_not_of(blanks) + 1)),
                              "this comment says nothing to primus-plan: a colon is missing before it",
                              {std::string(way_out)}));
      continue;
    }
    Pragma here;
    here.origin = place(text.substr(std::min(text.find_first_not_of(blanks), text.size())));
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
      const std::string trouble = read_word(word, here);
      if (trouble.empty()) continue;
      if (remarks.size() >= most_remarks) break;
      remarks.push_back(fault(loading::bad_pragma, place(word), trouble, {std::string(way_out)}));
    }
    const bool has_size = here.world_size || here.nodes || here.gpus_per_node;
    if (!has_size || result.origin) continue;
    result = here;
    if (std::string trouble = contradiction(here); !trouble.empty()) {
      remarks.push_back(
          fault(loading::bad_pragma, here.origin, std::move(trouble), {"leave nodes out, or mend one of both"}));
    }
  }
  return result;
}

}  // namespace primus_plan
