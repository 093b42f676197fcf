#include "backends/megatron/layer_layout.h"

#include <algorithm>
#include <utility>

#include "support/utf8.h"

namespace primus_plan::megatron {
namespace {

constexpr std::size_t longest_layout = 1'000'000;
constexpr std::string_view layout_characters = "EtmL";
constexpr std::string_view hybrid_symbols = "M*-E";

/// A text whose bytes remember where they stood in the original.
struct Traced {
  std::string text;
  std::vector<std::size_t> origin;

  void add(char c, std::size_t from) {
    text.push_back(c);
    origin.push_back(from);
  }
  void add(const Traced& source, std::size_t start, std::size_t end) {
    text.append(source.text, start, end - start);
    origin.insert(origin.end(), source.origin.begin() + static_cast<std::ptrdiff_t>(start),
                  source.origin.begin() + static_cast<std::ptrdiff_t>(end));
  }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A factor "*n" and where it ends.
struct Factor {
  std::size_t times;
  std::size_t end;
};

std::optional<Factor> read_factor(std::string_view text, std::size_t star) {
  if (star + 1 >= text.size() || text[star] != '*' || !is_digit(text[star + 1])) return std::nullopt;
  std::size_t times = 0;
  std::size_t end = star + 1;
  for (; end < text.size() && is_digit(text[end]); ++end) {
    times = std::min(times * 10 + static_cast<std::size_t>(text[end] - '0'), longest_layout + 1);
  }
  return Factor{times, end};
}

/// What one repetition covers: bytes [start, end), its factor behind.
struct Repeat {
  std::size_t start;
  std::size_t end;
  Factor factor;
};

/// "(group)*n" at `position`: everything up to the next closing bracket.
std::optional<Repeat> group_at(std::string_view text, std::size_t position) {
  if (text[position] != '(') return std::nullopt;
  const std::size_t close = text.find(')', position);
  if (close == std::string_view::npos || close == position + 1) return std::nullopt;
  const auto factor = read_factor(text, close + 1);
  if (!factor) return std::nullopt;
  return Repeat{position + 1, close, *factor};
}

/// "x*n" at `position`.
std::optional<Repeat> single_at(std::string_view text, std::size_t position) {
  if (text[position] == '\n') return std::nullopt;
  const std::size_t end = position + decode_utf8(text, position).length;
  const auto factor = read_factor(text, end);
  if (!factor) return std::nullopt;
  return Repeat{position, end, *factor};
}

/// One pass from left to right; nothing is read twice, so what an expansion makes is not expanded again. False when the
/// result grows past the limit, with the position of the repetition in `failed_at`.
template <class Find>
bool expand(Traced& traced, Find find, std::size_t& failed_at) {
  Traced result;
  for (std::size_t position = 0; position < traced.text.size();) {
    const auto repeat = find(traced.text, position);
    if (!repeat) {
      result.add(traced.text[position], traced.origin[position]);
      ++position;
      continue;
    }
    const std::size_t length = repeat->end - repeat->start;
    if (result.text.size() + length * repeat->factor.times > longest_layout) {
      failed_at = traced.origin[position];
      return false;
    }
    for (std::size_t i = 0; i < repeat->factor.times; ++i) result.add(traced, repeat->start, repeat->end);
    position = repeat->factor.end;
  }
  traced = std::move(result);
  return true;
}

std::vector<std::pair<std::size_t, std::size_t>> split(std::string_view text, char separator) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(start, end);
    start = end + 1;
  }
  return parts;
}

}  // namespace

LayoutParse parse_pipeline_layout(std::string_view text) {
  LayoutParse result;
  Traced traced;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') traced.add(text[i], i);
  }
  std::size_t failed_at = 0;
  if (!expand(traced, group_at, failed_at) || !expand(traced, single_at, failed_at)) {
    result.error = LayoutError{LayoutError::Kind::too_long, failed_at, 1, 0};
    return result;
  }
  const auto stages = split(traced.text, '|');
  for (const auto& [start, end] : stages) {
    const std::size_t wrong = traced.text.find_first_not_of(layout_characters, start);
    if (wrong < end) {
      const std::size_t origin = traced.origin[wrong];
      result.error = LayoutError{LayoutError::Kind::invalid_character, origin, decode_utf8(text, origin).length,
                                 result.layout.stages.size()};
      result.layout.stages.clear();
      return result;
    }
    result.layout.stages.push_back(traced.text.substr(start, end - start));
  }
  return result;
}

std::int64_t HybridPattern::layers() const {
  std::size_t total = 0;
  for (const std::string& segment : segments) total += segment.size();
  return static_cast<std::int64_t>(total);
}

HybridParse parse_hybrid_pattern(std::string_view text) {
  HybridParse result;
  const auto check = [&](std::size_t start, std::size_t end) {
    const std::size_t wrong = text.find_first_not_of(hybrid_symbols, start);
    if (wrong >= end) return true;
    result.error = HybridError{HybridError::Kind::invalid_symbol, wrong, decode_utf8(text, wrong).length};
    return false;
  };
  const auto parts = split(text, '/');
  const std::string_view main = text.substr(0, parts[0].second);
  for (const auto& [start, end] : split(main, '|')) {
    if (!check(start, end)) return result;
    result.pattern.segments.emplace_back(main.substr(start, end - start));
  }
  const auto part = [&](std::size_t i) { return text.substr(parts[i].first, parts[i].second - parts[i].first); };
  bool all_empty = true;
  for (std::size_t i = 1; i < parts.size(); ++i) all_empty = all_empty && part(i).empty();
  if (all_empty) return result;
  for (std::size_t i = 2; i < parts.size(); ++i) {
    if (part(i) == part(1)) continue;
    result.error = HybridError{HybridError::Kind::different_mtp_patterns, parts[i].first, part(i).size()};
    return result;
  }
  if (!check(parts[1].first, parts[1].second)) return result;
  result.pattern.mtp = part(1);
  result.pattern.mtp_depths = static_cast<std::int64_t>(parts.size() - 1);
  return result;
}

}  // namespace primus_plan::megatron
