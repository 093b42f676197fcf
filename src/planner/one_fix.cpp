#include "planner/one_fix.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/planner/repair.h"

namespace primus_plan {

std::string path_at(const Node& params, const Origin& place) {
  for (const Entry& entry : params.entries()) {
    if (!entry.key->is_string() || entry.value == nullptr) continue;
    if (entry.value->origin == place) return entry.key->text;
    if (!entry.value->is_mapping()) continue;
    if (const std::string below = path_at(*entry.value, place); !below.empty()) return entry.key->text + "." + below;
  }
  return {};
}

namespace {

/// `sources` owns what the origins of the result point into.
NodePtr parsed(const std::string& text, std::deque<Source>& sources) {
  Remarks remarks;
  try {
    return parse_yaml(sources.emplace_back("fix", text), Layer::experiment, Limits(), remarks);
  } catch (const LoadError&) {
    return nullptr;
  }
}

/// The params after an edit; nothing for edits of something else than values.
NodePtr edited(const NodePtr& params, const Edit& edit, std::deque<Source>& sources) {
  const std::string path = path_at(*params, edit.where);
  const NodePtr node = parsed(edit.replacement, sources);
  if (path.empty() || node == nullptr) return nullptr;
  if (!edit.insert_line) return with_value(params, path, node);
  if (!node->is_mapping() || node->entries().size() != 1 || !node->entries().front().key->is_string()) return nullptr;
  const Entry& line = node->entries().front();
  return with_value(params, path.substr(0, path.rfind('.') + 1) + line.key->text, line.value);
}

NodePtr edited(NodePtr params, const Fix& fix, std::deque<Source>& sources) {
  for (const Edit& edit : fix.edits) {
    if (params != nullptr) params = edited(params, edit, sources);
  }
  return params;
}

/// What the command line sets counts as written in the file: rules offer no edit of anything else.
NodePtr as_written(const NodePtr& params) {
  NodePtr out = params;
  for (const Entry& entry : params->entries()) {
    if (!entry.key->is_string() || entry.value == nullptr) continue;
    NodePtr value = entry.value->is_mapping() ? as_written(entry.value) : entry.value;
    if (value->origin.layer == Layer::command_line) {
      auto written = std::make_shared<Node>(*value);
      written->origin.layer = Layer::experiment;
      value = std::move(written);
    }
    if (value != entry.value) out = with_value(out, entry.key->text, std::move(value));
  }
  return out;
}

}  // namespace

bool one_fix_is_enough(const Module& module, const std::function<Analysis(const Module& module)>& judge,
                       const std::function<bool(const Module& changed)>& is_repaired) {
  Module written = module;
  written.params = as_written(module.params);
  for (const Finding& finding : judge(written).findings) {
    if (finding.severity != Severity::error) continue;
    for (const Fix& fix : finding.fixes) {
      std::deque<Source> sources;
      Module changed = written;
      changed.params = edited(written.params, fix, sources);
      if (changed.params != nullptr && is_repaired(changed)) return true;
    }
  }
  return false;
}

}  // namespace primus_plan
