#pragma once

#include <string>
#include <string_view>

namespace primus_plan {

/// SHA-256 (FIPS 180-4) as lower-case hexadecimal text.
std::string sha256(std::string_view text);

}  // namespace primus_plan
