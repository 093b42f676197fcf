#include "support/utf8.h"

#include <algorithm>

namespace primus_plan {
namespace {

unsigned char byte_at(std::string_view text, std::size_t position) {
  return static_cast<unsigned char>(text[position]);
}

/// Bytes of a sequence that starts with this byte; 0 for one that cannot start a sequence.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t position) {
  const unsigned char lead = byte_at(text, position);
  const CodePoint invalid{lead, 1, false};
  const std::size_t length = sequence_length(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0 || text.size() - position < length) return invalid;
  char32_t value = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned char next = byte_at(text, position + i);
    if (!continues_character(text[position + i])) return invalid;
    value = (value << 6U) | (next & 0x3fU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (overlong || surrogate || value > 0x10ffff) return invalid;
  return {value, length, true};
}

std::size_t count_code_points(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

void append_utf8(std::string& out, char32_t value) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (value < 0x80) return put(value);
  if (value < 0x800) {
    put(0xC0U | (value >> 6U));
  } else {
    if (value < 0x10000) {
      put(0xE0U | (value >> 12U));
    } else {
      put(0xF0U | (value >> 18U));
      put(0x80U | ((value >> 12U) & 0x3FU));
    }
    put(0x80U | ((value >> 6U) & 0x3FU));
  }
  put(0x80U | (value & 0x3FU));
}

std::string_view cut_utf8(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && continues_character(text[most])) --most;
  return text.substr(0, most);
}

}  // namespace primus_plan
