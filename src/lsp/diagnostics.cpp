#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lsp/features.h"
#include "lsp/uri.h"
#include "primus_plan/config/presets.h"
#include "report/finding_text.h"
#include "support/lower_case.h"

namespace primus_plan::lsp {

namespace {

using Json = nlohmann::json;

bool is_in(const Document& document, const Origin& origin) {
  return origin && origin.line > 0 && origin.source->path() == document.path;
}

/// Presets inside the binary have no file that an editor could open.
bool has_file(const Origin& origin) { return origin && origin.line > 0 && !is_built_in(origin.source->path()); }

Range shown_range(const Document& document, const Finding& finding, const Origin& fallback) {
  if (is_in(document, finding.primary.origin)) return range_of(finding.primary.origin);
  if (is_in(document, fallback)) return range_of(fallback);
  for (const Label& label : finding.related) {
    if (is_in(document, label.origin)) return range_of(label.origin);
  }
  return {};
}

int severity_number(Severity severity) {
  return severity == Severity::error ? 1 : severity == Severity::warning ? 2 : 3;
}

std::string message_text(const Finding& finding, const Document& document) {
  std::string text = shortened(finding.message);
  for (const std::string& line : reasons_and_ways_out(finding)) text += "\n" + shortened(line);
  std::vector<const Label*> labels = {&finding.primary};
  for (const Label& label : finding.related) labels.push_back(&label);
  for (const Label* label : labels) {
    if (label->origin && !is_in(document, label->origin) && !has_file(label->origin))
      text += "\n" + to_string(label->origin) + ": " + label_to_text(*label);
  }
  return text;
}

Json related(const ShownFinding& shown, const Document& document, const Context& context) {
  Json out = Json::array();
  const auto add = [&](const Label& label) {
    if (!has_file(label.origin)) return;
    const std::string& path = label.origin.source->path();
    const std::string uri = path == document.path ? document.uri : uri_of_path(path, context.folder);
    out.push_back(
        {{"location", {{"uri", uri}, {"range", to_json(range_of(label.origin))}}}, {"message", label_to_text(label)}});
  };
  if (!is_in(document, shown.finding->primary.origin)) add(shown.finding->primary);
  for (const Label& label : shown.finding->related) add(label);
  return out;
}

/// As GitHub names the heading "### MG203 global-batch-not-divisible".
std::string anchor(const RuleInfo& rule) { return lower_case(std::string(rule.id) + "-" + std::string(rule.name)); }

/// Keys that nothing reads are shown faint.
bool is_unnecessary(const RuleInfo& rule) { return rule.id == "CF802"; }

}  // namespace

std::vector<ShownFinding> shown_findings(const Document& document) {
  std::vector<ShownFinding> out;
  if (!document.judged) return out;
  const auto add = [&](const std::vector<Finding>& findings, const Origin& fallback) {
    for (const Finding& finding : findings) out.push_back({&finding, shown_range(document, finding, fallback)});
  };
  add(document.judged->report.load_errors, {});
  for (const Analysis& module : document.judged->report.modules) add(module.findings, module.origin);
  return out;
}

Json diagnostic(const ShownFinding& shown, const Document& document, const Context& context) {
  const Finding& finding = *shown.finding;
  Json out = {{"range", to_json(shown.range)},
              {"severity", severity_number(finding.severity)},
              {"code", finding.rule->id},
              {"source", "primus-plan"},
              {"message", message_text(finding, document)}};
  if (!context.rules_url.empty()) out["codeDescription"] = {{"href", context.rules_url + "#" + anchor(*finding.rule)}};
  if (is_unnecessary(*finding.rule)) out["tags"] = Json::array({1});
  if (Json places = related(shown, document, context); !places.empty()) out["relatedInformation"] = std::move(places);
  return out;
}

Json diagnostics(const Document& document, const Context& context) {
  Json out = Json::array();
  if (!document.trouble.empty()) {
    out.push_back(
        {{"range", to_json(Range{})}, {"severity", 1}, {"source", "primus-plan"}, {"message", document.trouble}});
  }
  for (const ShownFinding& shown : shown_findings(document)) out.push_back(diagnostic(shown, document, context));
  return out;
}

}  // namespace primus_plan::lsp
