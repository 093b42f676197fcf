#include "support/code_points.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace primus_plan {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 15: combining marks of the scripts that occur in comments, variation selectors and joiners.
constexpr std::array zero_width = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A}, Range{0x064B, 0x065F},
    Range{0x06D6, 0x06DC}, Range{0x0900, 0x0902}, Range{0x093C, 0x093C}, Range{0x0941, 0x0948}, Range{0x0E31, 0x0E31},
    Range{0x0E34, 0x0E3A}, Range{0x0E47, 0x0E4E}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200D},
    Range{0x20D0, 0x20FF}, Range{0x302A, 0x302D}, Range{0x3099, 0x309A}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F},
    Range{0xE0100, 0xE01EF}};

// East_Asian_Width W and F, and emoji that terminals draw over two columns.
constexpr std::array double_width = {
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x23E9, 0x23EC},   Range{0x25FD, 0x25FE},
    Range{0x2614, 0x2615},   Range{0x2648, 0x2653},   Range{0x267F, 0x267F},   Range{0x2693, 0x2693},
    Range{0x26A1, 0x26A1},   Range{0x26AA, 0x26AB},   Range{0x26BD, 0x26BE},   Range{0x26C4, 0x26C5},
    Range{0x26CE, 0x26CE},   Range{0x26D4, 0x26D4},   Range{0x26EA, 0x26EA},   Range{0x26F2, 0x26F5},
    Range{0x26FA, 0x26FD},   Range{0x2705, 0x2705},   Range{0x270A, 0x270B},   Range{0x2728, 0x2728},
    Range{0x274C, 0x274E},   Range{0x2753, 0x2757},   Range{0x2795, 0x2797},   Range{0x27B0, 0x27BF},
    Range{0x2B1B, 0x2B1C},   Range{0x2B50, 0x2B55},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x17000, 0x18AFF}, Range{0x1B000, 0x1B2FF}, Range{0x1F004, 0x1F004},
    Range{0x1F0CF, 0x1F0CF}, Range{0x1F18E, 0x1F18E}, Range{0x1F191, 0x1F19A}, Range{0x1F200, 0x1F320},
    Range{0x1F32D, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F7E0, 0x1F7EB}, Range{0x1F900, 0x1FAFF},
    Range{0x20000, 0x3FFFD}};

template <std::size_t n>
bool is_in(const std::array<Range, n>& ranges, char32_t value) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), value,
                                      [](char32_t wanted, const Range& range) { return wanted < range.first; });
  return after != ranges.begin() && value <= std::prev(after)->last;
}

/// Bytes of the character that a lead byte announces; 0 when it announces none.
std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

}  // namespace

CodePoint next_code_point(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = announced_length(lead);
  const CodePoint stray{.value = 0xFFFD, .bytes = text.substr(at, 1), .valid = false};
  if (length == 0 || at + length > text.size()) {
    ++at;
    return stray;
  }
  constexpr std::array<unsigned char, 5> lead_bits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t value = lead & lead_bits[length];
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0U) != 0x80U) {
      ++at;
      return stray;
    }
    value = (value << 6U) | (byte & 0x3FU);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10FFFF) {
    ++at;
    return stray;
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  const CodePoint point{.value = value, .bytes = text.substr(at, length), .valid = !surrogate};
  at += length;
  return point;
}

int display_width(char32_t value) {
  if (value < 0x300) return 1;
  if (is_in(zero_width, value)) return 0;
  return is_in(double_width, value) ? 2 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) width += display_width(next_code_point(text, at).value);
  return width;
}

bool is_control(char32_t value) {
  if (value < 0x20 || (value >= 0x7F && value < 0xA0)) return true;
  return value == 0x2028 || value == 0x2029 || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069) || value == 0x200E || value == 0x200F || value == 0xFEFF;
}

}  // namespace primus_plan
