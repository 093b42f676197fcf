#include <algorithm>
#include <nlohmann/json.hpp>

#include "lsp/features.h"
#include "lsp/scope.h"
#include "lsp/uri.h"
#include "primus_plan/config/presets.h"

namespace primus_plan::lsp {

namespace {

using Json = nlohmann::json;

Json location(const std::string& path, const Range& range, const Document& document, const Context& context) {
  const std::string uri = path == document.path ? document.uri : uri_of_path(path, context.folder);
  return {{"uri", uri}, {"range", to_json(range)}};
}

/// The last part of a path without ".yaml".
std::string_view stem(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending : {".yaml", ".yml"}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

/// The file that `config`, `model` or `extends` names, among those that the experiment was made of.
Json named_file(const Document& document, const KeyLine& key, const std::string& name, const Context& context) {
  const std::string& what = key.path.back();
  const std::string_view folder = what == "model" ? "/models/" : what == "extends" ? "" : "/configs/";
  for (const auto& source : document.judged->report.sources) {
    const std::string& path = source->path();
    const bool is_it = stem(path) == stem(name) && path != document.path && path.find(folder) != std::string::npos;
    if (is_it && !is_built_in(path)) return location(path, {}, document, context);
  }
  return nullptr;
}

/// The strongest place that sets the value, other than the line itself.
Json setting_line(const Document& document, const KeyLine& key, const Context& context) {
  for (const FoundKey& found : found_at(document, key)) {
    const Assignment* at = found.entry != nullptr ? found.entry->history.get() : nullptr;
    for (; at != nullptr; at = at->previous.get()) {
      const Origin& where = at->key_origin;
      if (!where || where.line == 0 || !at->kept) continue;
      const std::string& path = where.source->path();
      if (path == document.path && where.line == key.line + 1) continue;
      if (is_built_in(path)) return nullptr;
      return location(path, range_of(where), document, context);
    }
  }
  return nullptr;
}

bool names_file(const KeyLine& key) {
  const std::string& what = key.path.back();
  const bool of_module = key.path.size() == 3 && key.path[0] == "modules" && (what == "config" || what == "model");
  const bool of_platform = key.path.size() == 2 && key.path[0] == "platform" && what == "config";
  return of_module || of_platform || (key.path.size() == 1 && what == "extends");
}

}  // namespace

Json definition(const Document& document, const Position& at, const Context& context) {
  const KeyLine* key = document.outline->at_line(at.line);
  if (key == nullptr || !document.judged) return nullptr;
  if (!names_file(*key)) return setting_line(document, *key, context);
  return named_file(document, *key, document.outline->value_at(key->path, key->line), context);
}

}  // namespace primus_plan::lsp
