#include "config/yaml/timestamp.h"

#include <fmt/core.h>

#include <cstdlib>

namespace primus_plan::yaml {
namespace {

constexpr int minutes_per_day = 24 * 60;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_space() {
    const std::size_t before = rest_.size();
    while (take(' ') || take('\t')) {
    }
    return rest_.size() != before;
  }
  /// Between `least` and `most` digits.
  bool number(std::size_t least, std::size_t most, int& value) {
    std::size_t count = 0;
    value = 0;
    while (count < most && count < rest_.size() && is_digit(rest_[count])) value = value * 10 + (rest_[count++] - '0');
    rest_.remove_prefix(count);
    return count >= least;
  }
  /// Digits after a decimal point; the first six are the microseconds.
  int fraction() {
    int value = 0;
    int places = 0;
    while (!rest_.empty() && is_digit(rest_.front())) {
      if (places++ < 6) value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    for (; places < 6; ++places) value *= 10;
    return value;
  }

 private:
  std::string_view rest_;
};

bool scan_zone(Scanner& text, Timestamp& time) {
  text.take_space();
  if (text.take('Z')) {
    time.has_zone = true;
    return true;
  }
  const bool west = text.take('-');
  if (!west && !text.take('+')) return false;
  int hours = 0;
  int minutes = 0;
  if (!text.number(1, 2, hours)) return false;
  if (text.take(':') && !text.number(2, 2, minutes)) return false;
  time.has_zone = true;
  time.zone_minutes = (west ? -1 : 1) * (hours * 60 + minutes);
  return true;
}

bool scan_time(Scanner& text, Timestamp& time) {
  time.has_time = true;
  if (!text.number(1, 2, time.hour) || !text.take(':') || !text.number(2, 2, time.minute) || !text.take(':') ||
      !text.number(2, 2, time.second)) {
    return false;
  }
  if (text.take('.')) time.microsecond = text.fraction();
  return text.at_end() || (scan_zone(text, time) && text.at_end());
}

int days_in_month(int year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text, DateForm form) {
  constexpr std::size_t date_length = 10;
  Timestamp time;
  Scanner rest(text);
  if (!rest.number(4, 4, time.year) || !rest.take('-') || !rest.number(1, 2, time.month) || !rest.take('-') ||
      !rest.number(1, 2, time.day)) {
    return std::nullopt;
  }
  if (rest.at_end()) {
    const bool complete = form == DateForm::one_or_two_digits || text.size() == date_length;
    return complete ? std::optional(time) : std::nullopt;
  }
  if (!rest.take('T') && !rest.take('t') && !rest.take_space()) return std::nullopt;
  return scan_time(rest, time) ? std::optional(time) : std::nullopt;
}

std::string_view check(const Timestamp& time) {
  if (time.year < 1) return "the year must be in 1..9999";
  if (time.month < 1 || time.month > 12) return "the month must be in 1..12";
  if (time.day < 1 || time.day > days_in_month(time.year, time.month)) return "the month has no such day";
  if (time.hour > 23) return "the hour must be in 0..23";
  if (time.minute > 59) return "the minute must be in 0..59";
  if (time.second > 59) return "the second must be in 0..59";
  if (std::abs(time.zone_minutes) >= minutes_per_day) return "the time zone must be less than 24 hours from UTC";
  return "";
}

std::string to_iso(const Timestamp& time) {
  std::string result = fmt::format("{:04}-{:02}-{:02}", time.year, time.month, time.day);
  if (!time.has_time) return result;
  result += fmt::format("T{:02}:{:02}:{:02}", time.hour, time.minute, time.second);
  if (time.microsecond != 0) result += fmt::format(".{:06}", time.microsecond);
  if (time.has_zone) {
    const int minutes = std::abs(time.zone_minutes);
    result += fmt::format("{}{:02}:{:02}", time.zone_minutes < 0 ? '-' : '+', minutes / 60, minutes % 60);
  }
  return result;
}

}  // namespace primus_plan::yaml
