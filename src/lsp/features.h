#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lsp/document.h"
#include "lsp/position.h"
#include "primus_plan/diagnostics/finding.h"

namespace primus_plan::lsp {

/// What all answers need to know of the session.
struct Context {
  std::string folder;     ///< absolute; what relative paths count from
  std::string rules_url;  ///< where the editor finds docs/rules.md; empty: nowhere
};

/// A finding of a document and where it is shown: at its own place, else at another of its places in the document, else
/// at the module's name, else at the top.
struct ShownFinding {
  const Finding* finding;
  Range range;
};
std::vector<ShownFinding> shown_findings(const Document& document);

/// A Diagnostic.
nlohmann::json diagnostic(const ShownFinding& shown, const Document& document, const Context& context);
/// The Diagnostics of a document that has been judged, those about its settings included.
nlohmann::json diagnostics(const Document& document, const Context& context);

/// A Hover: value, origins, what the runtime makes of it, and the catalogue's words; for a module's name, the numbers
/// of the run. Null where there is nothing to say.
nlohmann::json hover(const Document& document, const Position& at);

/// A Location: the preset that a name stands for, or the line that would set the value if this one did not. Null where
/// no file has it: presets inside the binary are no files.
nlohmann::json definition(const Document& document, const Position& at, const Context& context);

/// The CompletionItems at a place: keys that may stand there, or the values that a key may have. `typed` is the
/// character that made the editor ask; empty when a person did.
nlohmann::json completion(const Document& document, const Position& at, const std::string& typed, Workspace& workspace);
/// The item with its documentation. Throws BadParams for an item that has not the form of ours.
nlohmann::json resolve_completion(nlohmann::json item);

/// The CodeActions for what is wrong on the lines of a range: the fixes of its findings, safe ones first and preferred.
nlohmann::json code_actions(const Document& document, const Range& range, const Context& context);

}  // namespace primus_plan::lsp
