#include <algorithm>
#include <nlohmann/json.hpp>

#include "lsp/features.h"
#include "primus_plan/config/edit_check.h"
#include "primus_plan/diagnostics/edits.h"

namespace primus_plan::lsp {

namespace {

using Json = nlohmann::json;

/// Edits of the document alone that do to it what they are meant to do.
bool is_possible(const Fix& fix, const Document& document) {
  const bool is_ours = std::ranges::all_of(
      fix.edits, [&](const Edit& edit) { return edit.where && edit.where.source->path() == document.path; });
  return !fix.edits.empty() && is_ours && edit_document(fix.edits).has_value();
}

Json text_edits(const Fix& fix) {
  Json out = Json::array();
  for (const Edit& edit : fix.edits) {
    const auto change = text_change(edit);
    if (!change) continue;
    out.push_back({{"range", to_json(range_of_bytes(*edit.where.source, change->begin, change->end))},
                   {"newText", change->replacement}});
  }
  return out;
}

Json action(const Fix& fix, const ShownFinding& shown, const Document& document, const Context& context) {
  return {{"title", fix.title},
          {"kind", "quickfix"},
          {"isPreferred", fix.safe},
          {"diagnostics", Json::array({diagnostic(shown, document, context)})},
          {"edit", {{"changes", {{document.uri, text_edits(fix)}}}}}};
}

}  // namespace

Json code_actions(const Document& document, const Range& range, const Context& context) {
  Json safe = Json::array();
  Json others = Json::array();
  for (const ShownFinding& shown : shown_findings(document)) {
    // Editors send the cursor, which is as often on the key as on the value.
    if (!share_line(shown.range, range)) continue;
    for (const Fix& fix : shown.finding->fixes) {
      if (is_possible(fix, document)) (fix.safe ? safe : others).push_back(action(fix, shown, document, context));
    }
  }
  safe.insert(safe.end(), others.begin(), others.end());
  return safe;
}

}  // namespace primus_plan::lsp
