#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/report/report.h"

namespace primus_plan {

/// The short texts of `explain`: "batch", "choosing", "parallelism".
std::vector<std::string_view> topic_names();

/// The text of a topic. `format` is "text", "markdown" or "json" ({"topic", "title", "text"}). Nothing when there is
/// no such topic.
std::optional<std::string> explain_topic(std::string_view name, std::string_view format, const TextStyle& style);

}  // namespace primus_plan
