#include "config/yaml/gaps.h"

#include <fmt/core.h>

#include <algorithm>

#include "config/document_rules.h"
#include "support/utf8.h"

namespace primus_plan::yaml {
namespace {

bool contains(std::string_view set, char c) { return c != '\0' && set.find(c) != std::string_view::npos; }

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

constexpr std::string_view tag_punctuation = "-;/?:@&=+$,_.!~*'()[]%";

bool is_tag_character(char c) { return is_name_character(c) || contains(tag_punctuation, c); }

}  // namespace

bool Gaps::is_line_start() const {
  return at_ == 0 || text_.is_break(at_ - 1) || (at_ == 3 && text_.peek(0) == '\xEF');
}

void Gaps::fail_unexpected() {
  if (text_.peek(at_) == '\t') {
    locator_.fail(loading::tab_as_separator, {at_, at_ + 1},
                  "a tab cannot separate or indent anything in YAML; use spaces");
  }
  const std::size_t end = text_.is_end(at_) ? at_ : at_ + decode_utf8(text_.between(at_, text_.size()), 0).length;
  if (text_.peek(at_) == '%' && is_line_start()) {
    locator_.fail(loading::invalid_yaml, {at_, end}, "a line that begins with '%' is a directive; quote the text");
  }
  locator_.fail(loading::invalid_yaml, {at_, end},
                fmt::format("'{}' is not expected here: check quotes, commas and indentation before it",
                            text_.between(at_, end)));
}

bool Gaps::pass_space_or_comment() {
  const char c = text_.peek(at_);
  if (text_.is_end(at_)) return false;
  if (c == ' ') {
    at_ = text_.skip_spaces(at_);
  } else if (text_.is_break(at_)) {
    at_ = text_.after_break(at_);
  } else if (c == '#') {
    at_ = text_.line_end(at_);
  } else {
    return false;
  }
  return true;
}

void Gaps::pass_space() {
  while (pass_space_or_comment()) {
  }
}

void Gaps::pass_indicator(bool flow, Passed& passed) {
  const char c = text_.peek(at_);
  const bool allowed = flow ? contains(":,?", c) : contains(":-?", c) && text_.is_blank(at_ + 1);
  if (!allowed) fail_unexpected();
  ++at_;
  if (c == '?') passed.key_indicator = true;
  if (passed.after_indicator == 0) passed.after_indicator = at_;
}

Gaps::Passed Gaps::pass(std::size_t to, bool flow) {
  if (to < at_) {
    locator_.fail(loading::invalid_yaml, {at_, at_ + 1},
                  "the text before this place runs on into what follows: check indentation and quotes");
  }
  Passed passed;
  while (at_ < to) {
    if (!pass_space_or_comment()) pass_indicator(flow, passed);
  }
  at_ = to;
  return passed;
}

void Gaps::pass_opening_bracket(std::size_t node) {
  if (text_.peek(at_) != '[') {
    locator_.fail(loading::unknown_tag, {node, node + 1},
                  "brackets right after a tag belong to the tag; put a space between them");
  }
  ++at_;
}

void Gaps::pass_closing(char bracket) {
  Passed passed;
  while (text_.peek(at_) != bracket) {
    if (text_.is_end(at_)) fail_unexpected();
    if (!pass_space_or_comment()) pass_indicator(true, passed);
  }
  ++at_;
}

void Gaps::pass_name() {
  const std::size_t begin = at_++;
  while (is_name_character(text_.peek(at_))) ++at_;
  if (at_ == begin + 1 || !(text_.is_blank(at_) || contains("?:,]}%@`", text_.peek(at_)))) {
    fail_name(begin);
  }
}

void Gaps::fail_name(std::size_t begin) {
  locator_.fail(loading::invalid_yaml, {begin, at_},
                "names of anchors and aliases are letters, digits, - and _; quote a text that begins with & or *");
}

void Gaps::pass_alias() { pass_name(); }

Gaps::Properties Gaps::pass_properties() {
  Properties result;
  bool anchor = false;
  bool tag = false;
  while (true) {
    const std::size_t begin = at_;
    if (text_.peek(at_) == '&' && !anchor) {
      anchor = true;
      pass_name();
      if (text_.peek(at_) == ':') fail_name(begin);
    } else if (text_.peek(at_) == '!' && !tag) {
      tag = true;
      ++at_;
      if (text_.peek(at_) == '<') {
        while (!text_.is_blank(at_) && text_.peek(at_) != '>') ++at_;
        ++at_;
      } else {
        while (is_tag_character(text_.peek(at_))) ++at_;
      }
      result.plain_tag = at_ == begin + 1;
      if (!text_.is_space_or_break(at_)) {
        locator_.fail(loading::invalid_yaml, {begin, std::min(at_ + 1, text_.size())},
                      "a tag must be followed by a space; quote a text that begins with '!'");
      }
    } else {
      return result;
    }
    result.end = at_;
    pass_space();
  }
}

void Gaps::pass_directive() {
  const std::size_t begin = at_;
  const std::size_t end = text_.line_end(at_);
  const std::string_view line = text_.between(begin, end);
  const std::size_t name_end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view name = line.substr(1, name_end - 1);
  const bool well_formed = !name.empty() && std::all_of(name.begin(), name.end(), is_name_character);
  if (!well_formed || line.find('\t') != std::string_view::npos) {
    locator_.fail(loading::invalid_yaml, {begin, end}, "a line that begins with '%' is a directive; quote the text");
  }
  if (name == "YAML") {
    const std::size_t version = std::min(line.find_first_not_of(' ', name_end), line.size());
    if (seen_yaml_directive_ || !line.substr(version).starts_with("1.")) {
      locator_.fail(loading::invalid_yaml, {begin, end}, "only one directive '%YAML 1.x' is possible");
    }
    seen_yaml_directive_ = true;
  }
  at_ = end;
}

void Gaps::pass_prologue(std::size_t to) {
  bool started = false;
  bool directive = false;
  seen_yaml_directive_ = false;
  while (at_ < to) {
    if (pass_space_or_comment()) continue;
    if (text_.peek(at_) == '%' && is_line_start() && !started) {
      pass_directive();
      directive = true;
    } else if (is_line_start() && text_.is_document_marker(at_) && (text_.peek(at_) == '-' || !directive) && !started) {
      started = text_.peek(at_) == '-';
      at_ += 3;
    } else {
      break;
    }
  }
  if (directive && !started) {
    locator_.fail(loading::invalid_yaml, {at_, at_ + 1}, "a directive must be followed by a line of three dashes");
  }
}

void Gaps::pass_epilogue() {
  while (true) {
    pass_space();
    if (!is_line_start() || text_.peek(at_) != '.' || !text_.is_document_marker(at_)) break;
    at_ += 3;
    while (text_.peek(at_) == ' ') ++at_;
    if (text_.peek(at_) != '#' && !text_.is_break(at_) && !text_.is_end(at_)) fail_unexpected();
  }
  const bool next_document = is_line_start() && text_.is_document_marker(at_);
  if (!text_.is_end(at_) && !next_document) fail_unexpected();
}

}  // namespace primus_plan::yaml
