#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lsp/document.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/report/why.h"

namespace primus_plan::lsp {

/// What kind of keys a mapping of a document has.
enum class ScopeKind : std::uint8_t {
  none,        ///< unknown
  experiment,  ///< the top level
  modules,     ///< names of modules
  module,      ///< framework, config, model, overrides
  overrides,   ///< a framework's keys: below overrides, in a bare snippet, in a preset
  platform,
};

struct Scope {
  ScopeKind kind = ScopeKind::none;
  std::string module;     ///< its name, inside one
  std::string framework;  ///< of a module's keys; empty where it is not known
  std::string section;    ///< of a framework's keys: "parallelism."; empty at the top
};

/// The scope of the keys right below `parents` (the keys around a line, outermost first).
Scope scope_of(const Document& document, const KeyPath& parents, std::uint32_t line);

/// The catalogue's keys that may stand in a scope, those of sections included.
std::vector<const CatalogueKey*> keys_in(const Scope& scope);
/// The key of this name in a scope; null when the catalogue has none.
const CatalogueKey* find_key_in(const Scope& scope, std::string_view name);

/// What the experiment holds at a line's key, with the module's analysis; several where a snippet is used twice.
std::vector<FoundKey> found_at(const Document& document, const KeyLine& key);

/// The text of a JSON value as YAML writes it.
std::string yaml_of_json(const std::string& json);

}  // namespace primus_plan::lsp
