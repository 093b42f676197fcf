#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "primus_plan/report/html.h"
#include "report/html/frame.h"
#include "report/html/sections.h"

namespace primus_plan {

namespace html {
namespace {

/// A part of the page; what writes nothing has no entry in the contents.
struct Section {
  std::string_view name;
  std::string_view title;
  void (*write)(Markup& out, const View& view);
};

constexpr std::array<Section, 9> sections{{{"findings", "Findings", write_findings},
                                           {"degrees", "Degrees and batch", write_arithmetic},
                                           {"ranks", "Ranks and groups", write_map},
                                           {"memory", "Memory", write_memory},
                                           {"step", "Step time", write_step},
                                           {"pipeline", "Pipeline", write_timeline},
                                           {"plans", "Plans", write_plans},
                                           {"sweeps", "Sweeps", write_sweeps},
                                           {"values", "Where values come from", write_provenance}}};

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

Verdict worst_verdict(const Page& page) {
  if (!page.load_errors.empty()) return Verdict::error;
  Verdict worst = page.modules.empty() ? Verdict::not_checked : page.modules.front().analysis.verdict;
  const auto weight = [](Verdict verdict) {
    return verdict == Verdict::not_checked ? 1 : 2 * static_cast<int>(verdict);
  };
  for (const PageModule& module : page.modules) {
    if (weight(module.analysis.verdict) > weight(worst)) worst = module.analysis.verdict;
  }
  return worst;
}

void write_module_page(Markup& out, const View& view) {
  if (!view.is_only) {
    out.open("article", {{"class", "module"}});
    out.open("h2").text(view.analysis().module).raw(" ");
    write_badge(out, view.analysis().verdict);
    out.close();
  }
  write_summary(out, view);
  std::string contents;
  std::string bodies;
  for (const Section& section : sections) {
    Markup body;
    section.write(body, view);
    const std::string text = body.take();
    if (text.empty()) continue;
    Markup entry;
    entry.open("li").element("a", section.title, {{"href", "#" + view.id(section.name)}}).close();
    contents += entry.take();
    bodies += text;
  }
  out.line().open("nav", {{"aria-label", view.is_only ? "sections" : "sections of " + view.analysis().module}});
  out.open("ul").raw(contents).close().close().raw(bodies);
  if (!view.is_only) out.close();
}

void write_load_errors(Markup& out, const Page& page) {
  if (page.load_errors.empty()) return;
  out.open("section", {{"id", "findings"}, {"aria-labelledby", "findings-title"}});
  out.element("h2", "It cannot be loaded", {{"id", "findings-title"}});
  for (const Finding& finding : page.load_errors) write_finding(out, finding, {}, page.path);
  out.close();
}

void write_header(Markup& out, const Page& page) {
  out.element("a", "Skip to the findings",
              {{"class", "skip"}, {"href", page.modules.size() > 1 ? "#m1-findings" : "#findings"}});
  out.line().open("header").open("h1").text(file_name(page.path)).raw(" ");
  write_badge(out, worst_verdict(page));
  out.close().element("p", page.path, {{"class", "path"}}).close().line();
}

}  // namespace
}  // namespace html

std::string page_to_html(const Page& page) {
  html::Markup out;
  html::write_header(out, page);
  out.open("main");
  html::write_load_errors(out, page);
  for (std::size_t i = 0; i < page.modules.size(); ++i) {
    html::write_module_page(out, {page.modules[i], i, page.modules.size() == 1});
  }
  out.close().line();
  out.open("script", {{"type", "application/json"}, {"id", "data"}})
      .raw(html::script_json(html::page_json(page)))
      .close();
  const std::string title = fmt::format("{} - primus-plan", html::file_name(page.path));
  return html::open_document(title, page.tool, true) + out.take() + html::close_document(page.tool, true);
}

}  // namespace primus_plan
