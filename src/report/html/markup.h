#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace primus_plan::html {

/// JSON that can stand inside a <script> element: nothing in it can end the element or open a comment. Spaces and line
/// breaks between its tokens are left out. Must be JSON.
std::string script_json(std::string_view json);

/// Writes HTML that is XML, too: every element is closed, every attribute quoted, every text escaped.
class Markup {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  /// An attribute with an empty value is written only for names that stand alone in HTML ("open"), so that callers can
  /// leave out a class by giving none.
  Markup& open(std::string_view tag, Attributes attributes = {});
  /// Ends the innermost open element.
  Markup& close();
  Markup& text(std::string_view text);
  /// An element with a text.
  Markup& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  /// An element that is never closed in HTML: <br/>, and SVG shapes.
  Markup& empty(std::string_view tag, Attributes attributes = {});
  /// What is HTML already.
  Markup& raw(std::string_view html);
  Markup& line() { return raw("\n"); }

  /// Nothing may be open.
  std::string take();

 private:
  void begin(std::string_view tag, Attributes attributes);

  std::string out_;
  std::vector<std::string_view> open_;  ///< tags are static words
};

}  // namespace primus_plan::html
