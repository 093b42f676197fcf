#pragma once

#include <cstddef>
#include <string_view>

#include "primus_plan/diagnostics/origin.h"

namespace primus_plan {

/// The place of bytes [begin, end) of a source's text; the length does not go past the line.
Origin origin_in(const Source& source, std::size_t begin, std::size_t end, Layer layer);
/// The place of a part of a source's text.
Origin origin_of(const Source& source, std::string_view part, Layer layer);

}  // namespace primus_plan
