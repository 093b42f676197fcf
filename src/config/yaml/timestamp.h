#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace primus_plan::yaml {

/// A date, or a date with a time, as written; not yet checked to be possible.
struct Timestamp {
  int year = 0;
  int month = 0;
  int day = 0;
  bool has_time = false;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int microsecond = 0;
  bool has_zone = false;
  int zone_minutes = 0;  ///< east of UTC
};

/// A plain scalar counts as a date only with two digits for month and day; one tagged !!timestamp may have one.
enum class DateForm : std::uint8_t { two_digits, one_or_two_digits };

/// Source: yaml/resolver.py and yaml/constructor.py:timestamp_regexp.
std::optional<Timestamp> parse_timestamp(std::string_view text, DateForm form);

/// What makes it impossible ("the month must be in 1..12"); empty when nothing does. Source: Python's datetime.
std::string_view check(const Timestamp& time);

/// Python's isoformat().
std::string to_iso(const Timestamp& time);

}  // namespace primus_plan::yaml
