#include <fmt/core.h>

#include "primus_plan/report/html.h"
#include "primus_plan/support/number.h"
#include "report/counts.h"
#include "report/html/frame.h"
#include "report/html/sections.h"
#include "report/overview_text.h"

namespace primus_plan {

namespace {

using html::Markup;

std::string counts_text(const Summary& counts) {
  const std::string text = counts_to_text(counts);
  return text.empty() ? "no findings" : text;
}

Verdict verdict_of(const Summary& counts) {
  if (counts.errors > 0) return Verdict::error;
  if (counts.warnings > 0) return Verdict::warning;
  return counts.not_checked > 0 ? Verdict::not_checked : Verdict::ok;
}

/// Parts that the terminal keeps apart by spaces.
void write_parts(Markup& out, std::string_view text) {
  constexpr std::string_view gap = "   ";
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = std::min(text.find(gap), text.size());
    if (!first) out.empty("br");
    out.text(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + gap.size()));
  }
}

class HtmlFormatter final : public Formatter {
 public:
  explicit HtmlFormatter(ToolInfo tool) : tool_(std::move(tool)) {}

  bool opens_with_totals() const override { return true; }

  std::string begin(const Summary& total, const std::string& rows) const override {
    Markup out;
    out.open("header").open("h1").text("primus-plan check ");
    html::write_badge(out, verdict_of(total));
    const std::string files = counted(static_cast<std::int64_t>(total.files), "file");
    out.close().element("p", fmt::format("{}: {}", files, counts_text(total)), {{"class", "path"}}).close();
    out.raw("\n<main>\n");
    std::string head = html::open_document("primus-plan check", tool_, false);
    // What follows is written piece by piece: <main> is closed by end().
    head += out.take();
    if (rows.empty()) return head;
    return head +
           "<div class=\"scroll\" tabindex=\"0\"><table class=\"files\"><thead><tr><th "
           "class=\"text\">experiment</th><th "
           "class=\"text\">verdict</th><th class=\"text\">launch</th><th class=\"text\">degrees</th><th "
           "class=\"text\">batch</th><th class=\"text\">findings</th></tr></thead>\n<tbody>" +
           rows + "</tbody></table></div>\n";
  }

  std::string row(const FileReport& file) const override {
    Markup out;
    if (!file.load_errors.empty())
      begin_row(out, file.path, "", Verdict::error)
          .element("td", "cannot be loaded", {{"class", "text"}, {"colspan", "4"}})
          .close()
          .line();
    for (const Analysis& module : file.modules) {
      begin_row(out, module.path, fmt::format("{} ({})", module.module, module.framework), module.verdict);
      out.element("td", launch_to_text(module.run.launch), {{"class", "text"}}).open("td", {{"class", "text keep"}});
      write_parts(out, degrees_to_text(module.run.degrees));
      out.close().element("td", batch_to_text(module.run.batch, module.run.degrees.data), {{"class", "text batch"}});
      Summary counts;
      counts.errors = module.errors;
      counts.warnings = module.warnings;
      counts.notes = module.findings.size() - module.errors - module.warnings;
      out.element("td", counts_text(counts), {{"class", "text"}}).close().line();
    }
    return out.take();
  }

  std::string file(const FileReport& file) const override {
    Markup out;
    const Summary counts = summarize(file);
    if (counts.errors + counts.warnings + counts.notes > 0) {
      counts.errors > 0 ? out.open("details", {{"class", "file"}, {"open", ""}})
                        : out.open("details", {{"class", "file"}});
      out.open("summary");
      html::write_badge(out, verdict_of(counts));
      out.raw(" ").element("b", file.path).text(": " + counts_text(counts)).close();
      for (const Finding& finding : file.load_errors) html::write_finding(out, finding, {}, file.path);
      for (const Analysis& module : file.modules) {
        for (const Finding& finding : module.findings) html::write_finding(out, finding, module.origin, module.path);
      }
      out.close().line();
    }
    return out.take();
  }

  std::string end(const Summary&) const override { return "</main>" + html::close_document(tool_, false); }

 private:
  static Markup& begin_row(Markup& out, const std::string& path, const std::string& module, Verdict verdict) {
    out.open("tr").open("td", {{"class", "text"}}).element("code", path);
    if (!module.empty()) out.empty("br").element("small", module);
    out.close().open("td", {{"class", "text"}});
    html::write_badge(out, verdict);
    return out.close();
  }

  ToolInfo tool_;
};

}  // namespace

std::unique_ptr<Formatter> make_html_formatter(ToolInfo tool) {
  return std::make_unique<HtmlFormatter>(std::move(tool));
}

}  // namespace primus_plan
