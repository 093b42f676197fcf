#include "primus_plan/support/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "support/lower_case.h"
#include "support/utf8.h"

namespace primus_plan {
namespace {

template <class Part>
std::string join_parts(std::span<const Part> parts, std::string_view separator) {
  std::string result;
  for (const Part& part : parts) {
    if (&part != parts.data()) result += separator;
    result += part;
  }
  return result;
}

struct Range {
  char32_t first;
  char32_t last;
};

constexpr bool before(const Range& range, char32_t value) { return range.last < value; }

template <std::size_t n>
bool within(const std::array<Range, n>& sorted, char32_t value) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), value, before);
  return found != sorted.end() && found->first <= value;
}

// Controls (C0, DEL and C1), then what reorders or breaks lines (Unicode UAX #9 and #14).
constexpr std::array<Range, 7> steering{{{0x00, 0x1f},
                                         {0x7f, 0x9f},
                                         {0x61c, 0x61c},
                                         {0x200e, 0x200f},
                                         {0x2028, 0x202e},
                                         {0x2066, 0x2069},
                                         {0xfeff, 0xfeff}}};

// The combining blocks and zero-width characters that configuration files may hold; the full tables of Unicode are not
// worth their size here.
constexpr std::array<Range, 12> zero_width{{{0x00, 0x1f},
                                            {0x7f, 0x9f},
                                            {0x300, 0x36f},
                                            {0x483, 0x489},
                                            {0x591, 0x5bd},
                                            {0x64b, 0x65f},
                                            {0x200b, 0x200f},
                                            {0x2028, 0x202e},
                                            {0x2060, 0x2069},
                                            {0x20d0, 0x20ff},
                                            {0xfe00, 0xfe0f},
                                            {0xfe20, 0xfe2f}}};

// East Asian wide and fullwidth blocks, emoji (Unicode UAX #11).
constexpr std::array<Range, 12> wide{{{0x1100, 0x115f},
                                      {0x231a, 0x231b},
                                      {0x2e80, 0x303e},
                                      {0x3041, 0x33ff},
                                      {0x3400, 0x4dbf},
                                      {0x4e00, 0xa4cf},
                                      {0xac00, 0xd7a3},
                                      {0xf900, 0xfaff},
                                      {0xfe30, 0xfe6f},
                                      {0xff01, 0xff60},
                                      {0x1f300, 0x1faff},
                                      {0x20000, 0x3fffd}}};

std::string escaped(const CodePoint& point) {
  if (point.value == '\n') return "\\n";
  if (point.value == '\r') return "\\r";
  if (point.value == '\t') return "\\t";
  const auto value = static_cast<std::uint32_t>(point.value);
  return value < 0x100 ? fmt::format("\\x{:02x}", value) : fmt::format("\\u{:04x}", value);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t cutoff) {
  if (a.size() > b.size()) std::swap(a, b);
  const std::size_t too_far = cutoff + 1;
  if (b.size() - a.size() > cutoff) return too_far;
  // Rows of the alignment table: two above for swaps, one above, the current one; in one piece.
  constexpr std::size_t usual = 64;
  std::array<std::size_t, 3 * usual> here;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  std::vector<std::size_t> heap;
  const std::size_t width = a.size() + 1;
  if (width > usual) heap.resize(3 * width);
  std::size_t* older = width > usual ? heap.data() : here.data();
  std::size_t* above = older + width;
  std::size_t* row = above + width;
  std::iota(above, above + width, std::size_t{0});
  for (std::size_t i = 1; i <= b.size(); ++i) {
    row[0] = i;
    std::size_t best = i;
    for (std::size_t j = 1; j <= a.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (b[i - 1] == a[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && b[i - 1] == a[j - 2] && b[i - 2] == a[j - 1]) row[j] = std::min(row[j], older[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    // A swap may still reach back over one row, so a row above the cutoff ends the search only together with the last.
    if (best > cutoff && *std::min_element(above, above + width) > cutoff) return too_far;
    std::swap(older, above);
    std::swap(above, row);
  }
  return std::min(above[width - 1], too_far);
}

namespace {

/// The characters of a word, one bit for each of 64 classes. An edit changes at most two bits.
std::uint64_t characters(std::string_view word) {
  std::uint64_t bits = 0;
  for (const char c : word) bits |= std::uint64_t{1} << (static_cast<unsigned char>(c) & 63U);
  return bits;
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view word, std::span<const std::string_view> candidates,
                                            std::size_t max) {
  struct Match {
    std::size_t distance;
    std::string_view name;
  };
  const std::string wanted = lower_case(word);
  const std::size_t cutoff = std::clamp<std::size_t>(word.size() / 3, 1, 6);
  const std::uint64_t wanted_characters = characters(wanted);
  std::vector<Match> matches;  // at most `max`, nearest first; of equals the first candidate
  for (const std::string_view candidate : candidates) {
    const bool is_full = matches.size() == max;
    if (is_full && (max == 0 || matches.back().distance == 0)) break;
    const std::size_t most = is_full ? matches.back().distance - 1 : cutoff;
    const std::size_t longer = std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (longer > most) continue;
    const std::string letters = lower_case(candidate);
    if (static_cast<std::size_t>(std::popcount(wanted_characters ^ characters(letters))) > 2 * most) continue;
    const std::size_t distance = edit_distance(wanted, letters, most);
    if (distance > most || distance >= candidate.size()) continue;
    if (is_full) matches.pop_back();
    const auto after = std::upper_bound(matches.begin(), matches.end(), distance,
                                        [](std::size_t d, const Match& match) { return d < match.distance; });
    matches.insert(after, {distance, candidate});
  }
  std::vector<std::string_view> names;
  names.reserve(matches.size());
  for (const Match& match : matches) names.push_back(match.name);
  return names;
}

std::string one_is_singular(std::string text) {
  static constexpr std::string_view nouns[] = {"GPUs",   "chunks",   "devices",    "experts", "groups", "heads",
                                               "layers", "nodes",    "ranks",      "samples", "slices", "slots",
                                               "shards", "stages",   "tokens",     "repeats", "rounds", "steps",
                                               "times",  "segments", "candidates", "replicas"};
  constexpr std::string_view batches = "micro-batches";
  for (std::size_t at = text.find("1 "); at != std::string::npos; at = text.find("1 ", at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (before != ' ' && before != '(' && before != '=') continue;  // a longer number, or a name
    const std::string_view rest = std::string_view(text).substr(at + 2);
    const std::string_view word = rest.substr(0, rest.find_first_of(" ,.:;)"));
    if (word == batches) {
      text.erase(at + 2 + batches.size() - 2, 2);
    } else if (std::find(std::begin(nouns), std::end(nouns), word) != std::end(nouns)) {
      text.erase(at + 2 + word.size() - 1, 1);
    }
  }
  return text;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_parts(parts, separator);
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_parts(parts, separator);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower_case(c);
  return result;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

std::string escape_controls(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint point = decode_utf8(text, position);
    if (point.valid && !within(steering, point.value)) {
      result += text.substr(position, point.length);
    } else {
      result += escaped(point);
    }
    position += point.length;
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint point = decode_utf8(text, position);
    const bool is_wide = point.valid && within(wide, point.value);
    const bool is_zero = point.valid && !is_wide && within(zero_width, point.value);
    if (!is_zero) width += is_wide ? 2 : 1;
    position += point.length;
  }
  return width;
}

}  // namespace primus_plan
