#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/xml.h"

namespace primus_plan::test {

/// An HTML report, taken apart.
struct HtmlPage {
  XmlElement root;      ///< scripts and styles are left empty
  nlohmann::json data;  ///< of the element `data`; null without one
};

/// Throws std::runtime_error for a page that is not well formed.
HtmlPage read_html_page(const std::string& text);

/// Calls `visit` for every element, parents first.
void for_each_element(const XmlElement& root, const std::function<void(const XmlElement&)>& visit);

/// Everything that is wrong with a page, a line each: ids that are there twice, links that lead nowhere, requests for
/// other files, headings that skip a level, numbers that differ from the page's JSON. Empty for a good page.
std::string faults_of_page(const HtmlPage& page);

/// How many numbers carry a pointer into the page's JSON.
std::size_t count_figures(const HtmlPage& page);

/// The text of an element and of all that is in it.
std::string text_of(const XmlElement& element);

}  // namespace primus_plan::test
