#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lsp/features.h"
#include "lsp/scope.h"
#include "primus_plan/report/explain_key.h"
#include "report/overview_text.h"

namespace primus_plan::lsp {

namespace {

using Json = nlohmann::json;

constexpr std::size_t most_rules = 6;

/// A block that no text inside can end.
std::string fenced(std::string text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  while (text.ends_with('\n')) text.pop_back();
  return fmt::format("{}text\n{}\n{}\n", fence, text, fence);
}

/// The numbers of a module's run.
std::string module_text(const Document& document, const std::string& name) {
  std::string out;
  for (const Analysis& analysis : document.judged->report.modules) {
    if (analysis.module != name || !analysis.is_judged) continue;
    out += fmt::format("**{}**: {} ({})\n\n", name, to_string(analysis.verdict), analysis.framework);
    out += fenced(overview_to_text(analysis, {}));
  }
  return out;
}

std::string key_text(const Document& document, const KeyLine& key) {
  KeyPath parents = key.path;
  parents.pop_back();
  const CatalogueKey* known = find_key_in(scope_of(document, parents, key.line), key.path.back());
  std::string out;
  for (const FoundKey& found : found_at(document, key)) out += fenced(why_to_text(found, {}));
  if (known == nullptr) return out;
  const std::string page = key_to_markdown(*known, most_rules);
  return out.empty() ? fmt::format("**{}**\n\n{}", known->name, page) : out + "\n" + page;
}

}  // namespace

Json hover(const Document& document, const Position& at) {
  const KeyLine* key = document.outline->at_line(at.line);
  if (key == nullptr) return nullptr;
  const std::size_t byte = byte_at(document.text->line(at.line + 1), at.character);
  if (byte < key->key_begin || byte > std::max(key->value_end, key->key_end)) return nullptr;
  const bool is_module = key->path.size() == 2 && key->path[0] == "modules" && document.judged;
  const std::string text = is_module ? module_text(document, key->path[1]) : key_text(document, *key);
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}},
          {"range", to_json(range_in_line(*document.text, at.line, key->key_begin, key->key_end))}};
}

}  // namespace primus_plan::lsp
