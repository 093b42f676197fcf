#include "report/html/markup.h"

#include <cassert>

#include "primus_plan/support/text.h"
#include "report/escape_markup.h"

namespace primus_plan::html {

std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == ' ' || c == '\n')) continue;
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void Markup::begin(std::string_view tag, Attributes attributes) {
  out_ += '<';
  out_ += tag;
  for (const auto& [name, value] : attributes) {
    if (value.empty() && name != "open" && name != "value") continue;
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    append_markup(out_, escape_controls(value));
    out_ += '"';
  }
}

Markup& Markup::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  out_ += '>';
  open_.push_back(tag);
  return *this;
}

Markup& Markup::close() {
  assert(!open_.empty());
  out_ += "</";
  out_ += open_.back();
  out_ += '>';
  open_.pop_back();
  return *this;
}

Markup& Markup::text(std::string_view text) {
  append_markup(out_, escape_controls(text));
  return *this;
}

Markup& Markup::element(std::string_view tag, std::string_view text, Attributes attributes) {
  open(tag, attributes);
  this->text(text);
  return close();
}

Markup& Markup::empty(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  out_ += "/>";
  return *this;
}

Markup& Markup::raw(std::string_view html) {
  out_ += html;
  return *this;
}

std::string Markup::take() {
  assert(open_.empty());
  return std::move(out_);
}

}  // namespace primus_plan::html
