#include "primus_plan/report/explain_key.h"

#include <fmt/core.h>

#include <algorithm>

#include "backends/common/concepts.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/support/text.h"
#include "report/key_parts.h"
#include "report/paint.h"

namespace primus_plan {

namespace {

using Lines = std::vector<std::pair<std::string_view, std::string>>;

bool is_word_character(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether a text names the key, not only a longer word around it.
bool names_key(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const std::size_t end = at + key.size();
    if (begins && (end == text.size() || !is_word_character(text[end]))) return true;
  }
  return false;
}

/// Rules of the key's own backend whose words or failing example name it.
std::vector<const RuleInfo*> rules_about(const CatalogueKey& key) {
  std::vector<const RuleInfo*> out;
  const Backend* backend = find_backend(key.backend);
  if (backend == nullptr) return out;
  const std::string_view word = std::string_view(key.name).substr(key.name.rfind('.') + 1);
  for (const RuleInfo* rule : backend->rules()) {
    if (names_key(rule->summary, word) || names_key(rule->explanation, word) || names_key(rule->bad.yaml, word)) {
      out.push_back(rule);
    }
  }
  return out;
}

std::string status_text(const CatalogueKey& key) {
  if (key.status == "removed") return "removed: the run stops at it";
  if (key.status == "overwritten") return "the framework overwrites it";
  return key.status.empty() ? "" : "no effect: nothing reads it at the pinned versions";
}

/// What other frameworks call the same thing.
std::string elsewhere(const CatalogueKey& key) {
  std::vector<std::string> names;
  for (const Concept& thing : concepts()) {
    const LocalName* columns[] = {&thing.megatron, &thing.torchtitan, &thing.maxtext};
    const bool is_this = std::ranges::any_of(columns, [&](const LocalName* name) { return name->key == key.name; });
    if (!is_this) continue;
    for (const LocalName* name : columns) {
      const bool is_new = std::ranges::find(names, name->key) == names.end();
      if (!name->key.empty() && name->key != key.name && is_new) names.emplace_back(name->key);
    }
  }
  return join(names, ", ");
}

std::string range_text(const CatalogueKey& key) {
  std::string out;
  if (!key.at_least.empty()) out = fmt::format("at least {}", key.at_least);
  if (!key.above.empty()) out = fmt::format("above {}", key.above);
  if (!key.at_most.empty()) out += fmt::format("{}at most {}", out.empty() ? "" : ", ", key.at_most);
  return out;
}

Lines lines_of(const CatalogueKey& key) {
  Lines out;
  const auto add = [&](std::string_view label, std::string text) {
    if (!text.empty()) out.emplace_back(label, std::move(text));
  };
  add("type", key_type(key));
  add("default", key.default_value);
  add("presets", key.preset.empty() ? "" : key.preset + " (Primus's)");
  add("choices", key_choices(key));
  add("range", range_text(key));
  add("flag", key.flag);
  add("class", key.owner_class);
  add("only for", key.only);
  add("status", status_text(key));
  add("instead", key.instead);
  add("elsewhere", elsewhere(key));
  return out;
}

std::string page_to_text(const CatalogueKey& key, const TextStyle& style) {
  const Paint paint(style.color);
  std::string out = fmt::format("{} ({})\n", paint.bold(key.name), key_owner(key));
  if (!key.about.empty()) out += fmt::format("  {}\n", key.about);
  out += '\n';
  for (const auto& [label, text] : lines_of(key)) out += fmt::format("  {:<10} {}\n", label, text);
  const auto rules = rules_about(key);
  if (!rules.empty()) out += "\n  rules that speak of it\n";
  for (const RuleInfo* rule : rules)
    out += fmt::format("    {}  {}  {}\n", rule->id, rule->name, paint.faint(rule->summary));
  return out;
}

std::string page_to_markdown(const CatalogueKey& key) {
  return fmt::format("## `{}` ({})\n\n", key.name, key_owner(key)) + key_to_markdown(key, all_rules().size());
}

std::string pages_to_json(const std::vector<const CatalogueKey*>& keys) {
  JsonWriter json;
  json.begin_array();
  for (const CatalogueKey* key : keys) {
    json.begin_object();
    json.key("key");
    write_key(json, *key);
    json.key("elsewhere").string(elsewhere(*key));
    json.key("rules").begin_array(JsonWriter::Layout::one_line);
    for (const RuleInfo* rule : rules_about(*key)) json.string(rule->id);
    json.end_array().end_object();
  }
  json.end_array();
  return json.take() + '\n';
}

}  // namespace

std::string key_to_markdown(const CatalogueKey& key, std::size_t most_rules) {
  std::string out;
  if (!key.about.empty()) out += key.about + "\n\n";
  for (const auto& [label, text] : lines_of(key)) out += fmt::format("- {}: `{}`\n", label, text);
  const auto rules = most_rules > 0 ? rules_about(key) : std::vector<const RuleInfo*>();
  if (!rules.empty()) out += "\nRules that speak of it:\n\n";
  const std::size_t told = std::min(rules.size(), most_rules);
  for (std::size_t at = 0; at < told; ++at)
    out += fmt::format("- {} `{}`: {}\n", rules[at]->id, rules[at]->name, rules[at]->summary);
  if (told < rules.size()) {
    out += fmt::format("- {} more: `primus-plan explain {}`\n", rules.size() - told, key.name);
  }
  return out;
}

std::optional<std::string> explain_key(std::string_view name, std::string_view format, const TextStyle& style) {
  const std::vector<const CatalogueKey*> keys = keys_named(name);
  if (keys.empty()) return std::nullopt;
  if (format == "json") return pages_to_json(keys);
  std::string out;
  for (const CatalogueKey* key : keys) {
    if (!out.empty()) out += '\n';
    out += format == "markdown" ? page_to_markdown(*key) : page_to_text(*key, style);
  }
  return out;
}

}  // namespace primus_plan
