#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "lsp/features.h"
#include "lsp/params.h"
#include "lsp/scope.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/report/explain_key.h"
#include "report/key_parts.h"
#include "support/lower_case.h"

namespace primus_plan::lsp {

namespace {

using Json = nlohmann::json;

/// CompletionItemKind of the protocol.
enum class ItemKind : std::uint8_t { module = 9, property = 10, value = 12, file = 17, enum_member = 20 };

/// What the items of one answer have in common.
struct Target {
  Range range;         ///< what is replaced
  std::string typed;   ///< what stands there up to the cursor
  std::string behind;  ///< what a key needs behind it: ": ", or nothing when the line has its colon
};

/// Whether the letters that were typed are in the label, in this order.
bool may_mean(std::string_view typed, std::string_view label) {
  std::size_t at = 0;
  for (const char c : label) {
    if (at < typed.size() && lower_case(typed[at]) == lower_case(c)) ++at;
  }
  return at == typed.size();
}

class Items {
 public:
  explicit Items(Target target) : target_(std::move(target)) {}

  /// `rank`: items with a smaller one come first.
  Json* add(const std::string& label, ItemKind kind, const std::string& text, int rank) {
    if (!may_mean(target_.typed, label)) return nullptr;
    list_.push_back({{"label", label},
                     {"kind", static_cast<int>(kind)},
                     {"sortText", std::to_string(rank) + label},
                     {"textEdit", {{"range", to_json(target_.range)}, {"newText", text}}}});
    return &list_.back();
  }
  const std::string& behind() const { return target_.behind; }
  Json take() { return std::move(list_); }

 private:
  Target target_;
  Json list_ = Json::array();
};

std::string detail_of(const CatalogueKey& key) {
  const std::string type = key_type(key);
  const std::string& usual = key.preset.empty() ? key.default_value : key.preset;
  return usual.empty() ? type : type + ", default " + usual;
}

/// The keys that stand in the same mapping as a line already, but for the line's own.
std::set<std::string> siblings(const Outline& outline, const KeyPath& parents, std::uint32_t line) {
  std::set<std::string> out;
  for (const KeyLine& key : outline.keys()) {
    const bool is_sibling = key.path.size() == parents.size() + 1 && key.line != line &&
                            std::equal(parents.begin(), parents.end(), key.path.begin());
    if (is_sibling) out.insert(key.path.back());
  }
  return out;
}

/// Keys with a sentence matter most; those that do nothing are not offered.
void add_key(const CatalogueKey& key, const std::string& name, Items& items) {
  if (!key.status.empty()) return;
  Json* item = items.add(name, ItemKind::property, name + items.behind(), key.about.empty() ? 2 : 1);
  if (item == nullptr) return;
  (*item)["detail"] = detail_of(key);
  (*item)["data"] = {{"owner", key.owner}, {"key", key.name}};
}

void add_section(const std::string& name, Items& items) {
  const std::string colon = items.behind().empty() ? "" : ":";
  if (Json* item = items.add(name, ItemKind::module, name + colon, 0)) (*item)["detail"] = "section";
}

void add_keys(const Scope& scope, const std::set<std::string>& present, Items& items) {
  if (scope.kind == ScopeKind::modules) {
    for (const char* name : {"pre_trainer", "post_trainer"}) {
      if (!present.contains(name)) add_section(name, items);
    }
  }
  std::set<std::string> sections;
  for (const CatalogueKey* key : keys_in(scope)) {
    std::string name = key->name.substr(scope.section.size());
    const std::size_t dot = name.find('.');
    const bool is_section = dot != std::string::npos || key->type == "mapping";
    name = name.substr(0, dot);
    if (present.contains(name)) continue;
    if (!is_section) add_key(*key, name, items);
    if (is_section && sections.insert(name).second) add_section(name, items);
  }
}

void add_value(const std::string& json, const CatalogueKey& key, Items& items) {
  const std::string text = yaml_of_json(json);
  const std::string label = json.starts_with('"') ? json.substr(1, json.size() - 2) : json;
  const bool is_usual = json == (key.preset.empty() ? key.default_value : key.preset);
  Json* item = items.add(label, ItemKind::enum_member, text, is_usual ? 0 : 1);
  if (item != nullptr && is_usual) (*item)["detail"] = "default";
}

void add_values(const CatalogueKey& key, Items& items) {
  std::vector<std::string> values = key.choices;
  if (key.type == "boolean" && values.empty()) values = {"true", "false"};
  const bool lists_null = std::ranges::find(values, "null") != values.end();
  if (key.nullable && !values.empty() && !lists_null) values.emplace_back("null");
  for (const std::string& value : values) add_value(value, key, items);
}

/// Names of presets and frameworks; whether the key is one of those.
bool add_names(const Document& document, const Scope& scope, const std::string& key, Workspace& workspace,
               Items& items) {
  const bool in_module = scope.kind == ScopeKind::module;
  if (in_module && key == "framework") {
    for (const Backend* backend : backends()) {
      const std::string name(backend->name());
      if (Json* item = items.add(name, ItemKind::enum_member, name, 1)) (*item)["detail"] = backend->title();
    }
    return true;
  }
  std::string folder;
  if (in_module && key == "config") folder = "modules/" + scope.framework;
  if (in_module && key == "model") folder = "models/" + scope.framework;
  if (scope.kind == ScopeKind::platform && key == "config") folder = "platforms";
  if (folder.empty() || folder.ends_with('/')) return !folder.empty();
  for (const std::string& name : workspace.presets(document.path, folder)) items.add(name, ItemKind::file, name, 1);
  return true;
}

Json complete_value(const Document& document, const KeyLine& key, std::size_t cursor, Workspace& workspace) {
  const std::string_view line = document.text->line(key.line + 1);
  const std::size_t begin = std::min(key.value_begin, cursor);
  if (key.value_begin < line.size() &&
      std::string_view("\"'[{&*|>!").find(line[key.value_begin]) != std::string_view::npos) {
    return Json::array();
  }
  Items items({.range = range_in_line(*document.text, key.line, begin, std::max(cursor, key.value_end)),
               .typed = std::string(line.substr(begin, cursor - begin)),
               .behind = {}});
  KeyPath parents = key.path;
  parents.pop_back();
  const Scope scope = scope_of(document, parents, key.line);
  if (add_names(document, scope, key.path.back(), workspace, items)) return items.take();
  if (const CatalogueKey* known = find_key_in(scope, key.path.back())) add_values(*known, items);
  return items.take();
}

Json complete_key(const Document& document, std::uint32_t number, std::size_t cursor) {
  const std::string_view line = document.text->line(number + 1);
  const std::size_t indent = std::min(std::min(line.find_first_not_of(' '), line.size()), cursor);
  const KeyLine* key = document.outline->at_line(number);
  const KeyPath parents = document.outline->around(number, static_cast<std::uint32_t>(indent));
  Items items({.range = range_in_line(*document.text, number, indent, key != nullptr ? key->key_end : cursor),
               .typed = std::string(line.substr(indent, cursor - indent)),
               .behind = key != nullptr ? "" : ": "});
  add_keys(scope_of(document, parents, number), siblings(*document.outline, parents, number), items);
  return items.take();
}

}  // namespace

Json completion(const Document& document, const Position& at, const std::string& typed, Workspace& workspace) {
  const std::string_view line = document.text->line(at.line + 1);
  const std::size_t cursor = byte_at(line, at.character);
  const std::string_view before = line.substr(0, cursor);
  if (before.find('#') != std::string_view::npos) return Json::array();
  const KeyLine* key = document.outline->at_line(at.line);
  if (key != nullptr && cursor > key->key_end) {
    // "key:|" has no space yet: a value there would not be one.
    return line[cursor - 1] == ':' ? Json::array() : complete_value(document, *key, cursor, workspace);
  }
  // A space asks for values only: whoever indents wants no list.
  if (typed == " ") return Json::array();
  return complete_key(document, at.line, cursor);
}

Json resolve_completion(Json item) {
  if (!item.contains("data")) return item;  // not ours: values have none
  const std::string owner = text_param(item, {"data", "owner"});
  const std::string name = text_param(item, {"data", "key"});
  for (const CatalogueKey& key : key_catalogue()) {
    if (key.owner != owner || key.name != name) continue;
    item["documentation"] = {{"kind", "markdown"}, {"value", key_to_markdown(key, 0)}};
    break;
  }
  return item;
}

}  // namespace primus_plan::lsp
