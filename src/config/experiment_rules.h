#pragma once

#include <span>
#include <string_view>

#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::loading {

extern const RuleInfo missing_key;
extern const RuleInfo wrong_shape;
extern const RuleInfo key_not_text;
extern const RuleInfo preset_not_found;
extern const RuleInfo path_traversal;
extern const RuleInfo unsupported_module;
extern const RuleInfo framework_missing;
extern const RuleInfo config_without_model;
extern const RuleInfo module_without_config;
extern const RuleInfo module_not_run;
extern const RuleInfo override_key_type;
extern const RuleInfo bad_override_token;
extern const RuleInfo bad_set;
extern const RuleInfo bad_pragma;
extern const RuleInfo not_an_experiment;
extern const RuleInfo snippet_backend_unknown;
extern const RuleInfo bad_launch_size;
extern const RuleInfo platform_incomplete;
extern const RuleInfo primus_root_invalid;

/// The rules above: what making an experiment out of a document can find fault with. Examples whose first line is
/// "# run with: ARGUMENTS" need these arguments of the command line.
std::span<const RuleInfo* const> experiment_rules();

/// The start of that first line.
inline constexpr std::string_view example_arguments = "# run with: ";

}  // namespace primus_plan::loading
