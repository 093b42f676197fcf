#include "report/json_writer.h"

#include <fmt/core.h>

#include "support/code_points.h"

namespace primus_plan {

namespace {

constexpr std::size_t indent_width = 2;

void append_escaped(std::string& out, const CodePoint& point) {
  switch (point.value) {
    case U'"': out += "\\\""; return;
    case U'\\': out += "\\\\"; return;
    case U'\n': out += "\\n"; return;
    case U'\t': out += "\\t"; return;
    case U'\r': out += "\\r"; return;
    default: break;
  }
  const auto code = static_cast<std::uint32_t>(point.value);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < 0x20 || code == 0x7F || surrogate) {
    out += fmt::format("\\u{:04x}", code);
  } else if (!point.valid) {
    out += "\xEF\xBF\xBD";
  } else {
    out += point.bytes;
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (std::size_t at = 0; at < text.size();) append_escaped(out, next_code_point(text, at));
  out += '"';
  return out;
}

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  out_ += json_string(name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) { return raw(fmt::format("{}", value)); }

JsonWriter& JsonWriter::real(double value) { return raw(real_text(value)); }

JsonWriter& JsonWriter::string(std::string_view value) { return raw(json_string(value)); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::begin(char bracket, Layout layout) {
  separate();
  if (!levels_.empty() && levels_.back().layout == Layout::one_line) layout = Layout::one_line;
  levels_.push_back({layout});
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == Layout::lines && !level.empty) new_line();
  out_ += bracket;
  return *this;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.layout == Layout::lines ? "," : ", ";
  level.empty = false;
  if (level.layout == Layout::lines) new_line();
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append((base_ + levels_.size()) * indent_width, ' ');
}

}  // namespace primus_plan
