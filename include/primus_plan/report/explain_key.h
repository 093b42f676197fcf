#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "primus_plan/report/keys.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// The page of a key, in every catalogue that has it: type, defaults, choices, where it moved to, what it is, what
/// other frameworks call the same thing, and the rules that speak of it. `format` is "text", "markdown" or "json".
/// Nothing when no catalogue has the key.
std::optional<std::string> explain_key(std::string_view name, std::string_view format, const TextStyle& style);

/// What the page says of one catalogue's key below its heading, in Markdown; of the rules at most so many.
std::string key_to_markdown(const CatalogueKey& key, std::size_t most_rules);

/// Keys that a name may be a slip of, best first, with commas between; empty when none is near. Names that frameworks,
/// papers and other tools have for the same thing, and slips of them, lead to the keys of every framework; at most
/// three others.
std::string nearest_catalogue_keys(std::string_view name);
/// What is to be said of a name that no sweep can turn: "neither a key nor one of tp, pp, …; did you mean …?". Empty
/// for a key of a catalogue and for a short name.
std::string fault_of_axis_name(std::string_view name);

}  // namespace primus_plan
