#include "ascii.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

/// As wide as the glyph where tables and pictures need it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 39> glyphs{{
    {"\u2026", "..."}, {"\u2192", "->"}, {"\u2190", "<-"}, {"\u2014", "-"},  {"\u2013", "-"}, {"\u00d7", "x"},
    {"\u00b7", "."},   {"\u00b1", "+-"}, {"\u2264", "<="}, {"\u2265", ">="}, {"\u2588", "#"}, {"\u2589", "#"},
    {"\u258a", "#"},   {"\u258b", "#"},  {"\u258c", "#"},  {"\u258d", "-"},  {"\u258e", "-"}, {"\u258f", "-"},
    {"\u2581", "_"},   {"\u2582", "."},  {"\u2583", "-"},  {"\u2584", "="},  {"\u2585", "+"}, {"\u2586", "*"},
    {"\u2587", "#"},   {"\u2591", "."},  {"\u2592", ":"},  {"\u2593", "%"},  {"\u2502", "|"}, {"\u2500", "-"},
    {"\u250c", "+"},   {"\u2510", "+"},  {"\u2514", "+"},  {"\u2518", "+"},  {"\u251c", "+"}, {"\u2524", "+"},
    {"\u252c", "+"},   {"\u2534", "+"},  {"\u253c", "+"},
}};

}  // namespace

bool is_plain_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    const std::string_view encoding = locale.substr(std::min(locale.find('.'), locale.size()));
    return !equal_ignoring_case(encoding, ".UTF-8") && !equal_ignoring_case(encoding, ".UTF8");
  }
  return false;
}

std::string to_ascii(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto glyph = static_cast<unsigned char>(text.front()) < 0x80
                           ? glyphs.end()
                           : std::ranges::find_if(glyphs, [&](const auto& g) { return text.starts_with(g.first); });
    if (glyph == glyphs.end()) {
      out += text.front();
      text.remove_prefix(1);
    } else {
      out += glyph->second;
      text.remove_prefix(glyph->first.size());
    }
  }
  return out;
}

}  // namespace primus_plan::app
