#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/report/report.h"

namespace primus_plan {

/// One key of a catalogue in schemas/keys. Values are JSON texts ("4", "\"linear\"", "null"); empty where unknown.
struct CatalogueKey {
  std::string name;     ///< dotted where the framework has sections
  std::string owner;    ///< whose catalogue it stands in: "megatron", "torchtitan", "maxtext", "primus"
  std::string backend;  ///< the framework whose modules take it; "experiment" for the experiment's own keys; empty for
                        ///< every module
  std::string type;     ///< "boolean", "integer", "number", "text", "list", "mapping", "computed", "any"
  bool nullable = false;
  std::string default_value;         ///< the framework's
  std::string preset;                ///< what Primus's presets set; empty when nothing, or the framework's default
  std::vector<std::string> choices;  ///< JSON texts
  std::string at_least;
  std::string above;
  std::string at_most;
  std::string flag;         ///< of Megatron's argument parser
  std::string owner_class;  ///< Megatron's config class, for keys without a flag
  std::string only;         ///< the one kind of model that reads it
  std::string status;       ///< "unread", "ignored", "removed", "overwritten"; empty for keys that do what they say
  std::string instead;      ///< the key that took its place
  std::string about;        ///< one sentence; empty for keys far from parallelism, batch, memory and speed
};

/// All catalogues, by owner and name. Read from the binary at the first call; throws nothing.
const std::vector<CatalogueKey>& key_catalogue();

/// The keys that a module of this framework takes (all with an empty name), whose name holds `pattern`: a part of the
/// name, or a whole name with * and ?.
std::vector<const CatalogueKey*> find_keys(std::string_view backend, std::string_view pattern);

/// A line for each key: name, type, default, sentence.
std::string keys_to_text(const std::vector<const CatalogueKey*>& keys, const TextStyle& style);
std::string keys_to_markdown(const std::vector<const CatalogueKey*>& keys);
/// An array of {"name", "owner", "backend", "type", "null", "default", "preset", "choices", …}: what the catalogue
/// knows.
std::string keys_to_json(const std::vector<const CatalogueKey*>& keys);

/// The keys of this name in every catalogue; a name without sections finds those of sections too.
std::vector<const CatalogueKey*> keys_named(std::string_view name);

}  // namespace primus_plan
