#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan::test {

/// An element of an XML document.
struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<XmlElement> children;
  std::string text;
};

/// Reads the part of XML 1.0 that reports use: elements, attributes, text, the five entities. Throws std::runtime_error
/// for what is not well formed, for characters that XML forbids and for anything else.
XmlElement parse_xml(std::string_view text);

}  // namespace primus_plan::test
