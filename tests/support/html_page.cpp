#include "support/html_page.h"

#include <cstdlib>
#include <set>
#include <stdexcept>

namespace primus_plan::test {

namespace {

/// The text between the tags of the element that begins with `open`, which is cut out of `html`.
std::string cut_out(std::string& html, std::string_view open, std::string_view close, std::size_t& from) {
  const std::size_t begin = html.find(open, from);
  if (begin == std::string::npos) return {};
  const std::size_t inside = html.find('>', begin) + 1;
  const std::size_t end = html.find(close, inside);
  if (end == std::string::npos) throw std::runtime_error("no end of " + std::string(open));
  std::string text = html.substr(inside, end - inside);
  html.erase(inside, end - inside);
  from = inside;
  return text;
}

bool is_same_number(const nlohmann::json& expected, const std::string& shown) {
  if (expected.is_number_integer()) return expected.dump() == shown;
  return expected.is_number() && expected.get<double>() == std::strtod(shown.c_str(), nullptr);
}

std::string figure_fault(const HtmlPage& page, const XmlElement& element) {
  const std::string& pointer = element.attributes.at("data-of");
  const nlohmann::json::json_pointer path(pointer);
  if (!page.data.contains(path)) return "no " + pointer + " in the data\n";
  const nlohmann::json& expected = page.data.at(path);
  const std::string& shown = element.attributes.at("value");
  return is_same_number(expected, shown) ? "" : pointer + " is " + expected.dump() + ", shown is " + shown + "\n";
}

}  // namespace

HtmlPage read_html_page(const std::string& text) {
  constexpr std::string_view doctype = "<!doctype html>\n";
  if (!text.starts_with(doctype)) throw std::runtime_error("no doctype");
  std::string html = text.substr(doctype.size());
  HtmlPage page;
  std::size_t at = 0;
  cut_out(html, "<style", "</style>", at);
  for (at = 0; html.find("<script", at) != std::string::npos;) {
    const bool is_data = html.compare(html.find("<script", at), 31, "<script type=\"application/json\"") == 0;
    const std::string script = cut_out(html, "<script", "</script>", at);
    if (is_data) page.data = nlohmann::json::parse(script);
  }
  page.root = parse_xml(html);
  return page;
}

void for_each_element(const XmlElement& root, const std::function<void(const XmlElement&)>& visit) {
  visit(root);
  for (const XmlElement& child : root.children) for_each_element(child, visit);
}

std::string faults_of_page(const HtmlPage& page) {
  std::string faults;
  std::set<std::string> ids;
  for_each_element(page.root, [&](const XmlElement& element) {
    const auto id = element.attributes.find("id");
    if (id != element.attributes.end() && !ids.insert(id->second).second) faults += "twice: " + id->second + "\n";
  });
  int level = 0;
  for_each_element(page.root, [&](const XmlElement& element) {
    if (element.attributes.contains("data-of")) faults += figure_fault(page, element);
    if (element.attributes.contains("src") || element.name == "link" || element.attributes.contains("style"))
      faults += "an element with src or style: " + element.name + "\n";
    const auto link = element.attributes.find("href");
    if (link != element.attributes.end() && (!link->second.starts_with('#') || !ids.contains(link->second.substr(1))))
      faults += "leads nowhere: " + link->second + "\n";
    if (element.name.size() == 2 && element.name[0] == 'h' && element.name[1] >= '1' && element.name[1] <= '6') {
      const int next = element.name[1] - '0';
      if (next > level + 1) faults += "a heading too deep: " + element.text + "\n";
      level = next;
    }
  });
  return faults;
}

std::size_t count_figures(const HtmlPage& page) {
  std::size_t count = 0;
  for_each_element(page.root, [&](const XmlElement& element) { count += element.attributes.count("data-of"); });
  return count;
}

std::string text_of(const XmlElement& element) {
  std::string out = element.text;
  for (const XmlElement& child : element.children) out += " " + text_of(child);
  return out;
}

}  // namespace primus_plan::test
