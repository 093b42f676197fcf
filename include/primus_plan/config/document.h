#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "primus_plan/config/environment.h"
#include "primus_plan/config/files.h"
#include "primus_plan/config/node.h"
#include "primus_plan/diagnostics/finding.h"

namespace primus_plan {

/// Bounds that keep hostile input from eating time or memory. Each breach is a LoadError that names the bound.
struct Limits {
  std::size_t depth = 200;         ///< nesting of one document
  std::size_t nodes = 500'000;     ///< values of one document, aliases expanded
  std::size_t extends_depth = 32;  ///< files in one chain of `extends`
};

/// Remarks of the loader that do not stop it (duplicate keys, …), with rules from config/rules.h.
using Remarks = std::vector<Finding>;

/// Types one YAML text as PyYAML's SafeLoader (YAML 1.1) does: tags, merge keys, aliases, duplicate keys (last wins,
/// and a remark says so). No ${…}, no `extends`. An empty document is a null node. Throws LoadError where PyYAML would
/// refuse the text.
NodePtr parse_yaml(const Source& source, Layer layer, const Limits& limits, Remarks& remarks);

/// The same for a text that may hold several documents, set apart by `---`: one tree each, in order.
std::vector<NodePtr> parse_yaml_documents(const Source& source, Layer layer, const Limits& limits, Remarks& remarks);

/// Replaces ${VAR} and ${VAR:default} in every string value (not in keys) with Primus's re-typing.
/// Source: primus/core/config/yaml_loader.py:_resolve_env. Throws LoadError for a required variable that is not set.
NodePtr substitute_environment(const NodePtr& node, const Environment& environment);

/// Overlay over base as Primus merges: mapping into mapping key by key, anything else replaces. The histories of both
/// sides are kept: a replaced value stays reachable from its entry's history.
/// Source: primus/core/config/merge_utils.py:deep_merge.
NodePtr deep_merge(const NodePtr& base, const NodePtr& overlay);

/// Adds the keys of `extra` that `base` lacks (top level only); a key that both have keeps the base's value, and the
/// loser is put into its history with kept = false. This is how Primus merges the model preset into the module preset.
NodePtr merge_without_override(const NodePtr& base, const NodePtr& extra);

/// A file after ${…} and `extends`. Owns the texts its origins point into.
struct Document {
  NodePtr root;
  std::vector<std::shared_ptr<const Source>> sources;
  Remarks remarks;
};

/// Loads a file as Primus's parse_yaml does: parse, substitute, `extends` (scalar or list, relative to the file,
/// recursive). Throws LoadError for anything Primus refuses: unreadable file, empty document, a cycle (shows it), a
/// missing parent (shows the chain).
Document load_document(const std::string& path, Layer layer, const FileReader& files, const Environment& environment,
                       const Limits& limits = {});

}  // namespace primus_plan
