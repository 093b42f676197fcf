#include "lsp/uri.h"

#include <charconv>

#include "report/sarif_parts.h"

namespace primus_plan::lsp {

namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* digits = text.data() + at + 1;
    const bool is_escape =
        text[at] == '%' && text.size() - at > 2 && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    out += is_escape ? static_cast<char>(value) : text[at];
    if (is_escape) at += 2;
  }
  return out;
}

}  // namespace

std::string path_of_uri(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return std::string(uri);
  const std::string_view rest = uri.substr(scheme.size());
  const std::size_t path = rest.find('/');  // behind the host, which is empty or this one
  return path == std::string_view::npos ? std::string(uri) : unescaped(rest.substr(path));
}

std::string uri_of_path(const std::string& path, const std::string& folder) {
  return path_to_uri(path.starts_with('/') ? path : folder + "/" + path);
}

}  // namespace primus_plan::lsp
