#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace primus_plan::lsp {

/// A message as JSON; discarded (nlohmann's word) for what is none, and for what nests deeper than messages do. Escapes
/// of half a surrogate pair, which JavaScript's JSON.stringify writes for half a character, are read as U+FFFD: texts
/// here are UTF-8, which has no halves.
nlohmann::json parse_message(const std::string& text);

}  // namespace primus_plan::lsp
