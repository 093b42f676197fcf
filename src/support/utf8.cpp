#include "support/utf8.h"

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
    if ((next & 0xc0U) != 0x80U) return invalid;
    value = (value << 6U) | (next & 0x3fU);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (overlong || surrogate || value > 0x10ffff) return invalid;
  return {value, length, true};
}

}  // namespace primus_plan
