// What every text becomes on its way to a terminal, into JSON and into Markdown.

#include "primus_plan/support/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "primus_plan/support/terminal_text.h"
#include "report/json_writer.h"
#include "report/markdown_text.h"
#include "report/wrap.h"

namespace primus_plan {
namespace {

using Json = nlohmann::json;

/// Bytes that mean something to somebody, and any others.
std::string any_text() {
  const auto piece = rc::gen::oneOf(
      rc::gen::element<std::string>("\x1b[31m", "\x1b]0;title\x07", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x80\xa8", "\r\n",
                                    "\n", "::error::", "<script>", "]]>", "%0A", "`", "|", "\\", "\"", "\xff",
                                    "\xed\xa0\x80", "\xf0\x9f\x98\x80", " ", "words of a line", "\xe4\xb8\xad"),
      rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
  std::string text;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) text += part;
  return text;
}

bool steers(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return text.find("\xe2\x80\xae") != std::string_view::npos || text.find("\xe2\x80\xa8") != std::string_view::npos;
}

RC_GTEST_PROP(Text, EscapesLeaveNothingThatSteers, ()) {
  const std::string escaped = escape_controls(any_text());
  RC_ASSERT(!steers(escaped));
  RC_ASSERT(escape_controls(escaped) == escaped);
}

RC_GTEST_PROP(Text, ATerminalSeesLineBreaksTabsAndColoursAlone, ()) {
  const std::string text = any_text();
  const std::string safe = terminal_text(text);
  RC_ASSERT(terminal_text(safe) == safe);
  std::string rest;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    if (safe[i] == '\n' || safe[i] == '\t') continue;
    if (safe[i] == '\x1b') {
      RC_ASSERT(safe.substr(i, 2) == "\x1b[");
      i = safe.find_first_not_of("0123456789;", i + 2);
      RC_ASSERT(i != std::string::npos);
      RC_ASSERT(safe[i] == 'm');
      continue;
    }
    rest += safe[i];
  }
  RC_ASSERT(!steers(rest));
}

RC_GTEST_PROP(Text, WrappedLinesFitAndLoseNoWord, ()) {
  TextStyle style;
  style.wraps = true;
  style.width = *rc::gen::inRange(24, 120);
  std::string line;
  std::size_t widest = 0;
  for (const int length : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 16))) {
    line += (line.empty() ? "" : " ") + std::string(static_cast<std::size_t>(length), 'x');
    widest = std::max(widest, static_cast<std::size_t>(length));
  }
  const std::string wrapped_line = wrapped(line, 4, style);
  std::string joined;
  std::size_t start = 0;
  while (start <= wrapped_line.size()) {
    const std::size_t end = std::min(wrapped_line.find('\n', start), wrapped_line.size());
    std::string_view part = std::string_view(wrapped_line).substr(start, end - start);
    RC_ASSERT(display_width(part) <= static_cast<std::size_t>(style.width));
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    joined += (joined.empty() ? "" : " ") + std::string(part);
    start = end + 1;
  }
  RC_ASSERT(joined == line);
}

RC_GTEST_PROP(Text, MarkdownHasNoMarkupOfItsOwn, ()) {
  const std::string text = any_text();
  for (const std::string& shown : {markdown_text(text), markdown_code(text)}) {
    RC_ASSERT(!steers(shown));
    RC_ASSERT(shown.starts_with('`') || shown.find("<script") == std::string::npos);
    RC_ASSERT(shown.find('|') == std::string::npos);
  }
}

RC_GTEST_PROP(Text, JsonStringsReadBack, ()) {
  const std::string text = *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  RC_ASSERT(Json::parse(json_string(text)).get<std::string>() == text);
  const std::string any = any_text();
  RC_ASSERT(!steers(json_string(any)));
  // Halves of characters are kept, as Python keeps them; nlohmann's reader does not take them.
  RC_ASSERT(any.find('\xed') != std::string::npos || Json::accept(json_string(any)));
}

/// A small JSON value of any shape.
Json any_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3: {
      const double number = *rc::gen::arbitrary<double>();
      return std::isfinite(number) ? Json(number) : Json(0.5);
    }
    case 4:
      return *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
    case 5: {
      Json list = Json::array();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) list.push_back(any_json(depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) object["k" + std::to_string(i)] = any_json(depth - 1);
      return object;
    }
  }
}

void write(JsonWriter& json, const Json& value) {
  const auto layout = *rc::gen::element(JsonWriter::Layout::lines, JsonWriter::Layout::one_line);
  if (value.is_null()) json.null();
  if (value.is_boolean()) json.boolean(value.get<bool>());
  if (value.is_number_integer()) json.integer(value.get<std::int64_t>());
  if (value.is_number_float()) json.real(value.get<double>());
  if (value.is_string()) json.string(value.get<std::string>());
  if (value.is_array()) {
    json.begin_array(layout);
    for (const Json& item : value) write(json, item);
    json.end_array();
  }
  if (value.is_object()) {
    json.begin_object(layout);
    for (const auto& [key, item] : value.items()) {
      json.key(key);
      write(json, item);
    }
    json.end_object();
  }
}

RC_GTEST_PROP(Text, JsonReadsBackAsItWasWritten, ()) {
  const Json value = any_json(3);
  JsonWriter json;
  if (*rc::gen::arbitrary<bool>()) json.compact();
  write(json, value);
  RC_ASSERT(Json::parse(json.take()) == value);
}

}  // namespace
}  // namespace primus_plan
