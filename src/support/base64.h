#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace primus_plan {

/// Python's base64.decodebytes: characters outside the alphabet are passed over; empty for non-ASCII text and for wrong
/// padding. Source: CPython, binascii.a2b_base64.
std::optional<std::string> decode_base64(std::string_view text);
/// RFC 4648, with padding and without line breaks.
std::string encode_base64(std::string_view bytes);

}  // namespace primus_plan
