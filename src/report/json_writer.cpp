#include "report/json_writer.h"

#include <fmt/core.h>

#include <cmath>

#include "primus_plan/support/text.h"
#include "support/utf8.h"

namespace primus_plan {

namespace {

constexpr std::size_t indent_width = 2;

/// The half of a UTF-16 pair that a text carries encoded (Python's '\ud800'), or 0. Python keeps these, so JSON must.
std::uint32_t surrogate_at(std::string_view text, std::size_t at) {
  if (text.size() - at < 3 || static_cast<unsigned char>(text[at]) != 0xED) return 0;
  const auto second = static_cast<unsigned char>(text[at + 1]);
  const auto third = static_cast<unsigned char>(text[at + 2]);
  if (second < 0xA0 || second > 0xBF || (third & 0xC0U) != 0x80U) return 0;
  return 0xD000U | ((second & 0x3FU) << 6U) | (third & 0x3FU);
}

/// Characters that have no picture (or that YAML readers refuse) are written as escapes, which change no value.
bool needs_escape(const CodePoint& point, std::string_view bytes) {
  if (point.value < 0x7F) return point.value < 0x20;
  return point.value == 0xFFFE || point.value == 0xFFFF || escape_controls(bytes) != bytes;
}

void append_escaped(std::string& out, const CodePoint& point, std::string_view bytes) {
  switch (point.value) {
    case U'"':
      out += "\\\"";
      return;
    case U'\\':
      out += "\\\\";
      return;
    case U'\n':
      out += "\\n";
      return;
    case U'\t':
      out += "\\t";
      return;
    case U'\r':
      out += "\\r";
      return;
    default:
      break;
  }
  if (!point.valid) {
    out += "\xEF\xBF\xBD";
  } else if (needs_escape(point, bytes)) {
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point.value));
  } else {
    out += bytes;
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (std::size_t at = 0; at < text.size();) {
    if (const std::uint32_t surrogate = surrogate_at(text, at); surrogate != 0) {
      out += fmt::format("\\u{:04x}", surrogate);
      at += 3;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    append_escaped(out, point, text.substr(at, point.length));
    at += point.length;
  }
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

JsonWriter& JsonWriter::real(double value) { return std::isfinite(value) ? raw(real_text(value)) : null(); }

JsonWriter& JsonWriter::string(std::string_view value) { return raw(json_string(value)); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::begin(char bracket, Layout layout) {
  separate();
  if (compact_ || (!levels_.empty() && levels_.back().layout == Layout::one_line)) layout = Layout::one_line;
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
