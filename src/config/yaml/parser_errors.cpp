#include "config/yaml/parser_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "config/document_rules.h"

namespace primus_plan::yaml {
namespace {

struct Translation {
  std::string_view fragment;  ///< of yaml-cpp's message
  std::string_view sentence;
};

constexpr Translation translations[] = {
    {"end of map not found", "this line does not belong to the mapping above it: check its indentation and its colon"},
    {"end of sequence not found", "this line does not belong to the list above it: check its indentation and its dash"},
    {"illegal map value", "a second ': ' on this line: values that hold ': ' need quotes"},
    {"illegal map key", "a key cannot start here"},
    {"illegal block entry", "a list item cannot start here: put '- ' on a line of its own"},
    {"illegal flow end", "a closing bracket without an opening one"},
    {"illegal document indicator", "a line of dashes or dots cannot stand within brackets"},
    {"illegal EOF in scalar", "the file ends within a quoted text"},
    {"unknown escape character",
     "this escape is not known in double quotes; in single quotes a backslash is just a backslash"},
    {"bad character found while scanning hex number", "this escape needs hexadecimal digits"},
    {"could not find expected", "this line has no colon after its key"},
    {"no closing", "a tag is not closed"},
    {"unknown token", "this character cannot start a value; quote the text"},
    {"cannot assign multiple tags", "a value cannot have two tags"},
    {"cannot assign multiple anchors", "a value cannot have two anchors"},
    {"illegal tag", "this tag is not well formed"},
    {"illegal alias", "this alias is not well formed"},
    {"alias not found", "this alias is not well formed"},
    {"anchor not found", "this anchor is not well formed"},
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// A tab in the indentation of the line at `at` or of the line before, which yaml-cpp reports in other words.
std::size_t find_tab_nearby(std::string_view text, std::size_t at) {
  std::size_t line = at == 0 ? 0 : text.find_last_of('\n', at - 1);
  line = line == std::string_view::npos ? 0 : line;
  const std::size_t before = line == 0 ? 0 : text.find_last_of('\n', line - 1);
  std::size_t i = before == std::string_view::npos ? 0 : before;
  bool indentation = true;
  for (; i < std::min(at + 1, text.size()); ++i) {
    if (text[i] == '\t' && indentation) return i;
    if (text[i] == '\n') indentation = true;
    if (text[i] != ' ' && text[i] != '\n' && text[i] != '\r') indentation = false;
  }
  return std::string_view::npos;
}

void fail_if_unclosed(std::string_view message, const std::vector<OpenCollection>& open, const CheckedText& text,
                      Locator& locator) {
  if (!has(message, "flow")) return;
  const auto innermost = std::find_if(open.rbegin(), open.rend(), [](const OpenCollection& c) { return c.flow; });
  if (innermost == open.rend()) return;
  const std::size_t bracket = text.view().find_first_of("[{", innermost->at);
  const std::size_t at = bracket == std::string_view::npos ? innermost->at : bracket;
  const std::string_view line = text.view().substr(at, text.view().find('\n', at) - at);
  const std::size_t squeezed = std::min(line.find(":["), line.find(":{"));
  if (squeezed != std::string_view::npos) {
    locator.fail(loading::invalid_yaml, {at + squeezed, at + squeezed + 2}, "a space is missing after this colon");
  }
  locator.fail(loading::invalid_yaml, {at, at + 1},
               fmt::format("this '{}' is not closed, or a comma is missing after one of its items", text.view()[at]));
}

/// A colon where no key can end. When it is the first one of its line, the fault is that the line was taken for the
/// continuation of the text before it.
void fail_if_line_continues(std::string_view message, std::size_t at, std::string_view text, Locator& locator) {
  if (!has(message, "illegal map value")) return;
  const std::size_t line = at == 0 ? std::string_view::npos : text.find_last_of('\n', at - 1);
  if (line == std::string_view::npos || has(text.substr(line, at - line), ": ")) return;
  const std::size_t above_end = text.find_last_not_of(" \r\n", line);
  if (above_end == std::string_view::npos) return;
  const std::size_t above = text.find_last_of('\n', above_end) + 1;
  if (has(text.substr(above, above_end + 1 - above), ":")) {
    locator.fail(loading::invalid_yaml, {at, at + 1},
                 "a key cannot stand here: this line goes on with the value above it; check its indentation");
  }
  const std::size_t begin = text.find_first_not_of(' ', above);
  locator.fail(loading::invalid_yaml, {begin, above_end + 1},
               "this line stands where a key is expected, but it has no colon after its key");
}

}  // namespace

void fail_as_parser_error(const std::string& message, std::size_t at, const std::vector<OpenCollection>& open,
                          const CheckedText& text, Locator& locator) {
  const std::string_view all = text.view();
  if (has(message, "bad file")) {
    locator.fail(loading::limit_exceeded, {at, at + 1}, "the nesting is deeper than the parser can follow");
  }
  if (has(message, "referenced anchor is not defined")) {
    const std::size_t end = std::min(all.find_first_of(" \t\r\n,]}", at), all.size());
    locator.fail(loading::bad_alias, {at, end},
                 fmt::format("no anchor '&{}' stands before this alias; quote a text that begins with '*'",
                             at < end ? all.substr(at + 1, end - at - 1) : std::string_view()));
  }
  if (const std::size_t tab = find_tab_nearby(all, at); tab != std::string_view::npos) {
    locator.fail(loading::tab_as_separator, {tab, tab + 1}, "a tab cannot indent a line in YAML; use spaces");
  }
  fail_if_unclosed(message, open, text, locator);
  fail_if_line_continues(message, at, all, locator);
  for (const Translation& translation : translations) {
    if (has(message, translation.fragment)) {
      locator.fail(loading::invalid_yaml, {at, at + 1}, std::string(translation.sentence));
    }
  }
  locator.fail(loading::invalid_yaml, {at, at + 1}, fmt::format("this is not valid YAML: {}", message));
}

}  // namespace primus_plan::yaml
