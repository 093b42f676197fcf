#pragma once

#include <string_view>
#include <vector>

#include "primus_plan/config/node.h"

/// What happens to a mapping because Primus keeps it as a Python SimpleNamespace.
/// Source: primus/core/utils/yaml_utils.py.
namespace primus_plan {

/// The first key at any depth that is no text; Primus cannot make a namespace of such a mapping
/// (dict_to_nested_namespace raises TypeError). Null when all are text.
const Entry* find_key_that_is_no_text(const Node& node);

/// Primus's deep_merge_namespace: deep_merge, then every "null" text that lies in mappings of `base` is assigned as
/// null. Mappings that `overlay` adds whole keep their texts.
NodePtr merge_namespaces(const NodePtr& base, const NodePtr& overlay);

/// merge_namespace(base, extra, allow_override=False): keys that base lacks, then the same reading of "null".
NodePtr add_to_namespace(const NodePtr& base, const NodePtr& extra);

/// A mapping of these entries.
NodePtr make_mapping(std::vector<Entry> entries, const Origin& origin);
/// An entry that nothing has set before.
Entry make_entry(std::string_view key, NodePtr value, const Origin& key_origin);
/// The mapping with this entry's key assigned, as setattr does: in place, or at the end. A value that was there stays
/// in the history.
NodePtr with_entry(const NodePtr& mapping, Entry entry);
/// The mapping without this key.
NodePtr without_key(const NodePtr& mapping, std::string_view key);

}  // namespace primus_plan
