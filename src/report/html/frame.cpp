#include "report/html/frame.h"

#include <fmt/core.h>

#include "primus_plan/config/embedded.h"
#include "support/base64.h"
#include "support/sha256.h"

namespace primus_plan::html {

namespace {

std::string_view asset(std::string_view path) {
  for (const EmbeddedFile& file : embedded_page()) {
    if (file.path == path) return file.text;
  }
  return {};
}

int digit_value(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/// The source expression of the Content-Security-Policy that lets exactly this text run.
std::string hash_source(std::string_view text) {
  const std::string hex = sha256(text);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(digit_value(hex[i]) * 16 + digit_value(hex[i + 1]));
  }
  return "'sha256-" + encode_base64(bytes) + "'";
}

}  // namespace

std::string open_document(std::string_view title, const ToolInfo& tool, bool has_script) {
  Markup out;
  out.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
  std::string policy = "default-src 'none'; style-src " + hash_source(asset("page.css"));
  if (has_script) policy += "; script-src " + hash_source(asset("page.js"));
  out.empty("meta",
            {{"http-equiv", "Content-Security-Policy"}, {"content", policy + "; base-uri 'none'; form-action 'none'"}})
      .line();
  out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
  out.raw("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
  out.empty("meta", {{"name", "generator"}, {"content", "primus-plan " + tool.version}}).line();
  out.element("title", title).line();
  out.raw("<style>").raw(asset("page.css")).raw("</style>\n</head>\n<body>\n");
  return out.take();
}

std::string close_document(const ToolInfo& tool, bool has_script) {
  Markup out;
  out.line().open("footer").open("p").text(fmt::format("primus-plan {}. The checks speak for", tool.version));
  for (std::size_t i = 0; i < tool.pins.size(); ++i) {
    out.text(fmt::format("{} {} {}", i == 0 ? "" : ",", tool.pins[i].first, tool.pins[i].second));
  }
  out.text(". Memory and time are estimates; expected values stand with the interval that most runs lie in.")
      .close()
      .close();
  if (has_script) out.line().raw("<script>").raw(asset("page.js")).raw("</script>");
  out.raw("\n</body>\n</html>\n");
  return out.take();
}

}  // namespace primus_plan::html
