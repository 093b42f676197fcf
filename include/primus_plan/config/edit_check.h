#pragma once

#include <optional>
#include <string>
#include <vector>

#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// The text of the edits' source after them, when they do to the document what they are meant to do to it: each
/// replaces one value (or key) by exactly what it says, or adds one key, and nothing else changes. Nothing otherwise:
/// for a value that comes from ${VAR:default} or an alias, that others repeat through an anchor or a merge key, that
/// spans several lines, or that is shadowed in its own mapping. All edits must be in one source.
std::optional<std::string> edit_document(const std::vector<Edit>& edits);

}  // namespace primus_plan
