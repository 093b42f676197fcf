#include "lsp/scope.h"

#include <algorithm>
#include <array>

#include "primus_plan/backends/backend.h"
#include "report/yaml_scalar.h"

namespace primus_plan::lsp {

namespace {

constexpr std::array<std::string_view, 8> experiment_keys = {"work_group", "user_name", "exp_name", "workspace",
                                                             "platform",   "modules",   "env",      "extends"};
constexpr std::array<std::string_view, 4> module_keys = {"framework", "config", "model", "overrides"};
constexpr std::array<std::string_view, 2> platform_keys = {"config", "overrides"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether a document is an experiment or the beginning of one.
bool is_experiment(const Document& document) {
  const std::vector<KeyLine>& keys = document.outline->keys();
  return keys.empty() || std::ranges::any_of(experiment_keys, [&](std::string_view key) {
           return key != "extends" && document.outline->has_top_level(key);
         });
}

/// "megatron" for ".../configs/models/megatron/llama.yaml".
std::string framework_of_path(std::string_view path) {
  for (const std::string_view folder : {"/configs/models/", "/configs/modules/"}) {
    const std::size_t at = path.rfind(folder);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = path.substr(at + folder.size());
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos) return std::string(rest.substr(0, slash));
  }
  return {};
}

/// The framework that knows the most of a snippet's keys; empty when none knows any.
std::string framework_of_keys(const Outline& outline) {
  std::string best;
  std::size_t most = 0;
  for (const Backend* backend : backends()) {
    std::size_t known = 0;
    const auto keys = find_keys(backend->name(), "");
    for (const KeyLine& line : outline.keys()) {
      const std::string name = dotted(line.path);
      known += static_cast<std::size_t>(
          std::ranges::any_of(keys, [&](const CatalogueKey* key) { return key->name == name; }));
    }
    if (known > most) best = backend->name();
    most = std::max(most, known);
  }
  return best;
}

std::string section_text(const KeyPath& path, std::size_t from) {
  return path.size() > from ? dotted(path, from) + "." : std::string();
}

Scope inside_module(const Document& document, const KeyPath& parents, std::uint32_t line) {
  Scope scope{.kind = ScopeKind::module, .module = parents[1], .framework = {}, .section = {}};
  scope.framework = document.outline->value_at({"modules", parents[1], "framework"}, line);
  if (parents.size() == 2) return scope;
  scope.kind = parents[2] == "overrides" ? ScopeKind::overrides : ScopeKind::none;
  scope.section = section_text(parents, 3);
  return scope;
}

bool fits(const Scope& scope, const CatalogueKey& key) {
  switch (scope.kind) {
    case ScopeKind::experiment:
      return key.backend == "experiment" && is_one_of(experiment_keys, key.name);
    case ScopeKind::module:
      return key.owner == "primus" && (is_one_of(module_keys, key.name) || key.backend.empty());
    case ScopeKind::platform:
      return key.backend == "experiment" && is_one_of(platform_keys, key.name);
    case ScopeKind::overrides:
      return key.name.starts_with(scope.section) &&
             (key.backend == scope.framework || (key.backend.empty() && key.name != "model"));
    case ScopeKind::modules:
    case ScopeKind::none:
      break;
  }
  return false;
}

}  // namespace

Scope scope_of(const Document& document, const KeyPath& parents, std::uint32_t line) {
  std::string framework = framework_of_path(document.path);
  if (framework.empty() && is_experiment(document)) {
    if (parents.empty()) return {.kind = ScopeKind::experiment, .module = {}, .framework = {}, .section = {}};
    if (parents[0] == "platform" && parents.size() == 1) return {ScopeKind::platform, {}, {}, {}};
    if (parents[0] != "modules") return {};
    if (parents.size() == 1) return {ScopeKind::modules, {}, {}, {}};
    return inside_module(document, parents, line);
  }
  if (framework.empty()) framework = framework_of_keys(*document.outline);
  if (framework.empty()) return {};
  return {ScopeKind::overrides, {}, std::move(framework), section_text(parents, 0)};
}

std::vector<const CatalogueKey*> keys_in(const Scope& scope) {
  std::vector<const CatalogueKey*> out;
  for (const CatalogueKey& key : key_catalogue()) {
    if (fits(scope, key)) out.push_back(&key);
  }
  return out;
}

const CatalogueKey* find_key_in(const Scope& scope, std::string_view name) {
  const std::string whole = scope.section + std::string(name);
  const auto found = std::ranges::find_if(
      key_catalogue(), [&](const CatalogueKey& key) { return key.name == whole && fits(scope, key); });
  return found == key_catalogue().end() ? nullptr : &*found;
}

std::vector<FoundKey> found_at(const Document& document, const KeyLine& key) {
  if (!document.judged) return {};
  const bool in_module = key.path[0] == "modules" && key.path.size() > 2;
  const bool in_overrides = in_module && key.path[2] == "overrides";
  if (in_overrides && key.path.size() == 3) return {};
  const std::string name = in_module ? key.path[1] + "." + dotted(key.path, in_overrides ? 3 : 2) : dotted(key.path);
  std::vector<FoundKey> all;
  std::size_t first = 0;
  const std::vector<Analysis>& analyses = document.judged->report.modules;
  for (const Experiment& experiment : document.judged->loaded.experiments) {
    const std::size_t count = std::min(experiment.modules.size(), analyses.size() - std::min(first, analyses.size()));
    const std::vector<Analysis> own(analyses.begin() + static_cast<std::ptrdiff_t>(first),
                                    analyses.begin() + static_cast<std::ptrdiff_t>(first + count));
    for (FoundKey& found : find_key(experiment, own, name)) {
      if (found.analysis != nullptr)
        found.analysis = &analyses[first + static_cast<std::size_t>(found.analysis - own.data())];
      all.push_back(std::move(found));
    }
    first += count;
  }
  // Of several documents or modules, the one whose line this is.
  std::vector<FoundKey> here;
  for (const FoundKey& found : all) {
    for (const Assignment* at = found.entry != nullptr ? found.entry->history.get() : nullptr; at != nullptr;
         at = at->previous.get()) {
      const Origin& where = at->key_origin;
      if (where && where.line == key.line + 1 && where.source->path() == document.path) {
        here.push_back(found);
        break;
      }
    }
  }
  return here.empty() ? all : here;
}

std::string yaml_of_json(const std::string& json) {
  const bool is_text = json.size() > 1 && json.front() == '"';
  return is_text ? yaml_scalar(*make_string(json.substr(1, json.size() - 2))) : json;
}

}  // namespace primus_plan::lsp
