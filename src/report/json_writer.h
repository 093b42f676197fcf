#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan {

/// Writes JSON as text, piece by piece and in the order given. Numbers keep their type: a real is always written with a
/// point or an exponent, integers of any size are written digit by digit.
class JsonWriter {
 public:
  /// How the members of an object or array are laid out.
  enum class Layout : std::uint8_t { lines, one_line };

  JsonWriter& begin_object(Layout layout = Layout::lines) { return begin('{', layout); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array(Layout layout = Layout::lines) { return begin('[', layout); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& null() { return raw("null"); }
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& integer(std::int64_t value);
  /// Must be finite: JSON has no infinities.
  JsonWriter& real(double value);
  JsonWriter& string(std::string_view value);
  /// A piece that is JSON already.
  JsonWriter& raw(std::string_view json);

  /// Everything in one line, whatever is asked for later.
  void compact() { compact_ = true; }
  /// Nesting to begin with, for text that will be put inside other JSON.
  void indent(std::size_t levels) { base_ = levels; }
  std::string take() { return std::move(out_); }

 private:
  struct Level {
    Layout layout;
    bool empty = true;
  };
  JsonWriter& begin(char bracket, Layout layout);
  JsonWriter& end(char bracket);
  void separate();
  void new_line();

  std::string out_;
  std::vector<Level> levels_;
  std::size_t base_ = 0;
  bool after_key_ = false;
  bool compact_ = false;
};

/// A text as a JSON string with its quotes, which YAML reads as the same text. Bytes that are not UTF-8 become U+FFFD;
/// characters without a picture and encoded surrogates become \uXXXX escapes.
std::string json_string(std::string_view text);

/// The shortest decimal that reads back as the same double, always with a point or an exponent ("1.0", "1e-05").
std::string real_text(double value);

}  // namespace primus_plan
