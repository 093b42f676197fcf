#include "support/xml.h"

#include <stdexcept>

namespace primus_plan::test {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  XmlElement document() {
    if (take("<?xml ")) rest_.remove_prefix(rest_.find("?>") + 2);
    skip_space();
    expect("<");
    XmlElement root = element();
    skip_space();
    if (!rest_.empty()) fail("something after the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at: " + std::string(rest_.substr(0, 40)));
  }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail("expected " + std::string(token));
  }
  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  std::string word() {
    const std::string found(rest_.substr(0, rest_.find_first_of(" =/><\"\n")));
    if (found.empty()) fail("expected a name");
    rest_.remove_prefix(found.size());
    return found;
  }

  /// Character data up to `end`, which is not taken.
  std::string data(char end) {
    std::string out;
    while (!rest_.empty() && rest_[0] != end) out += character();
    return out;
  }
  char character() {
    if (take("&amp;")) return '&';
    if (take("&lt;")) return '<';
    if (take("&gt;")) return '>';
    if (take("&quot;")) return '"';
    const char c = rest_[0];
    if (c == '&' || c == '<') fail("unescaped markup");
    if (rest_.starts_with("]]>")) fail("the end of a CDATA section");
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') fail("a forbidden character");
    rest_.remove_prefix(1);
    return c;
  }

  /// After "<".
  XmlElement element() {
    XmlElement out{.name = word(), .attributes = {}, .children = {}, .text = {}};
    for (skip_space(); !rest_.empty() && rest_[0] != '>' && rest_[0] != '/'; skip_space()) {
      const std::string key = word();
      expect("=\"");
      if (!out.attributes.emplace(key, data('"')).second) fail("attribute twice");
      expect("\"");
    }
    if (take("/>")) return out;
    expect(">");
    while (!take("</")) {
      if (rest_.empty()) fail("no end of " + out.name);
      if (take("<"))
        out.children.push_back(element());
      else
        out.text += data('<');
    }
    expect(out.name + ">");
    return out;
  }

  std::string_view rest_;
};

}  // namespace

XmlElement parse_xml(std::string_view text) { return Parser(text).document(); }

}  // namespace primus_plan::test
