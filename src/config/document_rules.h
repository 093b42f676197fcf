#pragma once

#include <span>

#include "primus_plan/config/files.h"
#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::loading {

extern const RuleInfo unreadable_file;
extern const RuleInfo invalid_yaml;
extern const RuleInfo invalid_character;
extern const RuleInfo tab_as_separator;
extern const RuleInfo unknown_tag;
extern const RuleInfo several_documents;
extern const RuleInfo empty_document;
extern const RuleInfo root_not_a_mapping;
extern const RuleInfo environment_variable_not_set;
extern const RuleInfo extends_cycle;
extern const RuleInfo extends_missing;
extern const RuleInfo bad_extends;
extern const RuleInfo limit_exceeded;
extern const RuleInfo duplicate_key;
extern const RuleInfo bad_merge_key;
extern const RuleInfo bad_value;
extern const RuleInfo bad_key;
extern const RuleInfo bad_alias;

/// The rule of a file that cannot be read: Primus could not read it either, or it is beyond the bounds of this reader.
const RuleInfo& rule_of(const ReadFailure& failure);

/// The rules above: what reading one YAML document can find fault with.
std::span<const RuleInfo* const> document_rules();

}  // namespace primus_plan::loading
