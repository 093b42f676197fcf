#pragma once

#include <string>
#include <string_view>

#include "primus_plan/report/what_if.h"
#include "report/paint.h"

namespace primus_plan {

/// Green where a number went where people want it, red where it did not.
inline std::string paint_trend(const Paint& paint, Trend trend, std::string_view text) {
  if (trend == Trend::neutral) return std::string(text);
  return trend == Trend::better ? paint.good(text) : paint.bad(text);
}

}  // namespace primus_plan
