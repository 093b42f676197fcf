#include <algorithm>
#include <iterator>

#include "config/yaml/timestamp.h"
#include "config/yaml/types.h"

namespace primus_plan::yaml {
namespace {

constexpr std::string_view boolean_words[] = {"yes", "Yes", "YES", "no",    "No",    "NO",    "true", "True", "TRUE",
                                              "on",  "On",  "ON",  "false", "False", "FALSE", "off",  "Off",  "OFF"};
constexpr std::string_view null_words[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view infinity_words[] = {".inf", ".Inf", ".INF"};
constexpr std::string_view nan_words[] = {".nan", ".NaN", ".NAN"};

template <std::size_t size>
bool is_one_of(const std::string_view (&words)[size], std::string_view text) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

constexpr std::string_view digits = "0123456789";
constexpr std::string_view digits_and_lines = "0123456789_";

/// Consumes a text from its front.
class Matcher {
 public:
  explicit Matcher(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool one_of(std::string_view set) {
    if (rest_.empty() || set.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool some_of(std::string_view set) {
    const bool any = one_of(set);
    while (one_of(set)) {
    }
    return any;
  }
  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// (?::[0-5]?[0-9])+
bool match_sixtieths(Matcher& text) {
  if (text.rest().empty() || text.rest().front() != ':') return false;
  while (text.word(":")) {
    const std::string_view rest = text.rest();
    const bool two = rest.size() > 1 && rest[0] >= '0' && rest[0] <= '5' && rest[1] >= '0' && rest[1] <= '9';
    if (two) text.one_of(digits);
    if (!text.one_of(digits)) return false;
  }
  return true;
}

/// (?:[eE][-+][0-9]+)?$
bool match_exponent_and_end(Matcher& text) {
  if (text.at_end()) return true;
  return text.one_of("eE") && text.one_of("+-") && text.some_of(digits) && text.at_end();
}

bool is_real(std::string_view text) {
  if (is_one_of(nan_words, text)) return true;
  Matcher whole(text);
  const bool has_sign = whole.one_of("+-");
  if (is_one_of(infinity_words, whole.rest())) return true;
  if (!has_sign && whole.rest().starts_with('.')) {
    whole.word(".");
    return whole.one_of(digits) && (whole.some_of(digits_and_lines), match_exponent_and_end(whole));
  }
  if (!whole.one_of(digits)) return false;
  whole.some_of(digits_and_lines);
  if (whole.word(".")) {
    whole.some_of(digits_and_lines);
    return match_exponent_and_end(whole);
  }
  if (!match_sixtieths(whole) || !whole.word(".")) return false;
  whole.some_of(digits_and_lines);
  return whole.at_end();
}

bool is_integer(std::string_view text) {
  Matcher whole(text);
  whole.one_of("+-");
  if (whole.word("0")) {
    if (whole.at_end()) return true;
    if (whole.word("b")) return whole.some_of("01_") && whole.at_end();
    if (whole.word("x")) return whole.some_of("0123456789abcdefABCDEF_") && whole.at_end();
    return whole.some_of("01234567_") && whole.at_end();
  }
  if (!whole.one_of(digits)) return false;
  whole.some_of(digits_and_lines);
  return whole.at_end() || (match_sixtieths(whole) && whole.at_end());
}

bool starts_like_number(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.'; }

struct TaggedType {
  std::string_view tag;
  ScalarType type;
};

constexpr TaggedType tagged_types[] = {
    {"null", ScalarType::null},  {"bool", ScalarType::boolean},  {"int", ScalarType::integer},
    {"float", ScalarType::real}, {"binary", ScalarType::binary}, {"timestamp", ScalarType::timestamp},
    {"str", ScalarType::string},
};

}  // namespace

ScalarType resolve(std::string_view text) {
  if (is_one_of(null_words, text)) return ScalarType::null;
  if (starts_like_number(text.front())) {
    if (is_real(text)) return ScalarType::real;
    if (is_integer(text)) return ScalarType::integer;
    if (parse_timestamp(text, DateForm::two_digits)) return ScalarType::timestamp;
    return ScalarType::string;
  }
  if (text == "<<") return ScalarType::merge;
  if (text == "=") return ScalarType::value;
  return is_one_of(boolean_words, text) ? ScalarType::boolean : ScalarType::string;
}

std::optional<ScalarType> type_of_tag(std::string_view tag) {
  constexpr std::string_view prefix = "tag:yaml.org,2002:";
  if (!tag.starts_with(prefix)) return std::nullopt;
  tag.remove_prefix(prefix.size());
  for (const TaggedType& known : tagged_types) {
    if (known.tag == tag) return known.type;
  }
  return std::nullopt;
}

}  // namespace primus_plan::yaml
