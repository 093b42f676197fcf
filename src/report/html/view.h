#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/report/html.h"
#include "report/html/markup.h"

namespace primus_plan::html {

/// One module on its page.
struct View {
  const PageModule& page;
  std::size_t index = 0;  ///< among the page's modules
  bool is_only = true;    ///< the page has no other module

  const Analysis& analysis() const { return page.analysis; }
  /// The id of an element: names alone would not be unique on a page of several modules.
  std::string id(std::string_view name) const;
  /// Where a number stands in the page's JSON.
  std::string at(std::string_view path) const;
};

/// The id of a key's history. Only letters, digits, "_", "." and "-" stay as they are.
std::string key_id(const View& view, std::string_view key);

/// Whether the page shows a history of this key.
bool has_history(const View& view, std::string_view key);

/// Opens a section with its heading. To be closed once.
void open_section(Markup& out, const View& view, std::string_view name, std::string_view title);

/// A heading inside a section.
void subheading(Markup& out, const View& view, std::string_view title);

/// A number that stands in the page's JSON at `path` of its module, as a person reads it.
void figure(Markup& out, const View& view, std::string_view path, std::int64_t value, std::string_view text);
void figure(Markup& out, const View& view, std::string_view path, double value, std::string_view text);
/// The same with thousands separators; "unknown" for 0.
void count(Markup& out, const View& view, std::string_view path, std::int64_t value);

/// A piece of a bar, in shares of its whole.
struct Piece {
  double share = 0;
  std::string_view style;  ///< CSS class
};
/// A bar of coloured pieces from the left, as wide as its place. `mark`: a line at this share; nothing below 0.
void bar(Markup& out, const std::vector<Piece>& pieces, double mark = -1);

/// Colours and what they mean.
struct LegendEntry {
  std::string_view style;
  std::string_view text;
};
void legend(Markup& out, const std::vector<LegendEntry>& entries);

/// What a table shows of many rows: all, or the first and the last with a gap between.
struct Rows {
  std::vector<std::size_t> first;
  std::vector<std::size_t> last;
  std::size_t hidden = 0;
};
Rows choose_rows(std::size_t count, std::size_t most);

/// "107.5 GiB".
std::string gib_text(double bytes);
/// "51.2 s", "612 ms".
std::string seconds_text(double seconds);
/// "12.3 %".
std::string percent_text(double share);

}  // namespace primus_plan::html
