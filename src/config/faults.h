#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "config/document_rules.h"
#include "config/experiment_rules.h"
#include "config/make_finding.h"
#include "primus_plan/config/node.h"
#include "primus_plan/diagnostics/load_error.h"

namespace primus_plan {

/// A finding of `rule` with ways out, and what stands at the caret.
inline Finding fault(const RuleInfo& rule, const Origin& where, std::string message, std::vector<std::string> help = {},
                     std::string label = "here") {
  Finding finding = make_finding(rule, where, std::move(message));
  if (where) finding.primary.text = std::move(label);
  finding.help = std::move(help);
  return finding;
}

/// A fix that writes something else in the place of a value.
inline Fix replacement(std::string title, const Node& value, std::string text) {
  return {std::move(title), {Edit{.where = value.origin, .replacement = std::move(text)}}};
}

/// The fault of a key that is no text; Primus stops when it makes a namespace of its mapping.
inline Finding key_fault(const Entry& entry) {
  const std::string key = to_text(*entry.key);
  return fault(loading::key_not_text, entry.key_origin,
               fmt::format("the key {} is {}, not text", key, to_string(entry.key->kind)),
               {fmt::format("quote it: \"{}\"", key)});
}

/// The fault of a root that is no mapping; Primus stops when it makes a namespace of it.
inline Finding root_fault(const Node& root) {
  return fault(
      loading::root_not_a_mapping, root.origin,
      fmt::format("the top level of the file must be a mapping of keys to values, but it is {}", to_string(root.kind)));
}

}  // namespace primus_plan
