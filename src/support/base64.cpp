#include "support/base64.h"

#include <algorithm>
#include <cstdint>

namespace primus_plan {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char to_char(std::uint32_t byte) { return static_cast<char>(static_cast<unsigned char>(byte & 0xFFU)); }

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7F; })) {
    return std::nullopt;
  }
  std::string bytes;
  std::uint32_t bits = 0;
  int position = 0;  // within a group of four
  int padding = 0;
  for (const char c : text) {
    if (c == '=') {
      if (position >= 2 && position + ++padding >= 4) return bytes;
      continue;
    }
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) continue;
    padding = 0;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    if (position > 0) bytes += to_char(bits >> (6U - 2U * static_cast<unsigned>(position)));
    position = (position + 1) % 4;
  }
  if (position != 0) return std::nullopt;
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = (bits << 8U) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      result += i + k > bytes.size() ? '=' : alphabet[(bits >> (18U - 6U * k)) & 0x3FU];
    }
  }
  return result;
}

}  // namespace primus_plan
