#pragma once

#include <string>
#include <string_view>

#include "primus_plan/report/report.h"
#include "report/html/markup.h"

namespace primus_plan::html {

/// The document up to the inside of its body: a policy that forbids every request and every script but the page's own,
/// and the styles. To be ended by close_document.
std::string open_document(std::string_view title, const ToolInfo& tool, bool has_script);

/// What made the page, the script if asked for, the document's end.
std::string close_document(const ToolInfo& tool, bool has_script);

}  // namespace primus_plan::html
