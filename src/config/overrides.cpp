#include <fmt/core.h>

#include <algorithm>

#include "config/cli_tokens.h"
#include "config/experiment_rules.h"
#include "config/faults.h"
#include "config/loading.h"
#include "config/namespaces.h"
#include "config/source_text.h"

namespace primus_plan {
namespace {

Module* module_to_run(std::vector<Module>& modules) {
  for (const std::string_view name : {"pre_trainer", "post_trainer"}) {
    const auto found = std::ranges::find(modules, name, &Module::name);
    if (found != modules.end()) return &*found;
  }
  return modules.empty() ? nullptr : &modules.front();
}

/// The value with every place moved from one source to another of the same shape.
NodePtr moved_to(const Node& node, const Source& source) {
  auto result = std::make_shared<Node>(node);
  const auto move = [&](Origin& origin) {
    if (origin) origin.source = &source;
  };
  move(result->origin);
  for (NodePtr& item : result->items) item = moved_to(*item, source);
  if (!node.is_mapping()) return result;
  std::vector<Entry> entries = node.entries();
  for (Entry& entry : entries) {
    entry.key = moved_to(*entry.key, source);
    entry.value = moved_to(*entry.value, source);
    move(entry.key_origin);
    entry.history = std::make_shared<const Assignment>(Assignment{entry.value, entry.key_origin});
  }
  result->set_entries(std::move(entries));
  return result;
}

/// The value in `read`; a refusal points into `shown`.
NodePtr parse_value(const Source& read, const Source& shown, Loading& loading) {
  try {
    return parse_yaml(read, Layer::command_line, loading.limits, loading.remarks);
  } catch (const LoadError& error) {
    Finding finding = error.finding();
    if (finding.primary.origin) finding.primary.origin.source = &shown;
    for (Label& label : finding.related) {
      if (label.origin) label.origin.source = &shown;
    }
    throw LoadError(std::move(finding));
  }
}

/// One --set as a mapping. VALUE is read with KEY= blanked out, so that its places are those in the flag.
NodePtr parse_set(Loading& loading, const std::string& flag, const std::string& key, const std::string& value) {
  const auto shown = std::make_shared<const Source>(flag, key + "=" + value);
  loading.own({shown});
  const Origin key_origin = origin_in(*shown, 0, key.size(), Layer::command_line);
  if (auto wrong = fault_of_set(flag, key, value)) {
    throw LoadError(fault(loading::bad_set, origin_of(*shown, shown->text(), Layer::command_line), *std::move(wrong),
                          {fmt::format("write {} KEY=VALUE, with dots in KEY to reach into mappings", flag)}));
  }
  const bool one_line = value.find('\n') == std::string::npos;
  const auto read =
      std::make_shared<const Source>(flag, one_line ? std::string(key_origin.length + 1, ' ') + value : value);
  loading.own({read});
  const NodePtr parsed = parse_value(*read, one_line ? *shown : *read, loading);
  return with_dotted_key(make_mapping({}, key_origin), key, one_line ? moved_to(*parsed, *shown) : parsed, key_origin);
}

void require_text_keys(const Node& values) {
  const Entry* entry = find_key_that_is_no_text(values);
  if (entry == nullptr) return;
  throw LoadError(
      fault(loading::override_key_type, entry->key_origin,
            fmt::format("the key {} of an override is {}, not text", to_text(*entry->key), to_string(entry->key->kind)),
            {fmt::format("quote it: '{}'", to_text(*entry->key))}));
}

}  // namespace

std::optional<std::string> fault_of_set(std::string_view flag, std::string_view key, std::string_view value) {
  if (key.empty()) return fmt::format("{} ={} has no key before the =", flag, value);
  const bool gap = key.starts_with('.') || key.ends_with('.') || key.find("..") != std::string_view::npos;
  return gap ? std::optional(fmt::format("{} {}={}: a part of the key is empty", flag, key, value)) : std::nullopt;
}

void apply_command_line(Loading& loading, const ExperimentOptions& options, Experiment& experiment) {
  if (options.tokens.empty() && options.sets.empty()) return;
  Module* module = module_to_run(experiment.modules);
  try {
    std::vector<NodePtr> layers;
    if (!options.tokens.empty()) layers.push_back(parse_cli_tokens(options.tokens, loading.sources, loading.remarks));
    for (const auto& [key, value] : options.sets) layers.push_back(parse_set(loading, options.sets_name, key, value));
    for (const NodePtr& layer : layers) {
      require_text_keys(*layer);
      if (module != nullptr && !layer->entries().empty()) module->params = deep_merge(module->params, layer);
    }
  } catch (const LoadError& error) {
    loading.own(error.sources());
    loading.fail(error.finding());
  }
}

}  // namespace primus_plan
