#include <fmt/core.h>

#include <algorithm>

#include "primus_plan/report/keys.h"
#include "report/key_parts.h"
#include "report/paint.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

constexpr std::size_t widest_name = 48;

/// What a line has room for: the sentence, or where the key went.
std::string remark(const CatalogueKey& key) {
  if (!key.about.empty()) return key.about;
  if (key.status.empty()) return {};
  return key.instead.empty() ? key.status : fmt::format("{}: see {}", key.status, key.instead);
}

/// The default that holds: the presets' before the framework's.
const std::string& usual(const CatalogueKey& key) { return key.preset.empty() ? key.default_value : key.preset; }

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

}  // namespace

std::string keys_to_text(const std::vector<const CatalogueKey*>& keys, const TextStyle& style) {
  const Paint paint(style.color);
  std::size_t width = 0;
  for (const CatalogueKey* key : keys) width = std::max(width, std::min(widest_name, key->name.size()));
  std::string out;
  std::string owner;
  for (const CatalogueKey* key : keys) {
    if (const std::string next = key_owner(*key); next != owner) {
      out += fmt::format("{}{}\n", out.empty() ? "" : "\n", paint.bold(next));
      owner = next;
    }
    const std::string about = remark(*key);
    std::string head = fmt::format("  {:<{}}  {:<16}  {:<12}  ", key->name, width, key_type(*key), usual(*key));
    if (about.empty()) head.erase(head.find_last_not_of(' ') + 1);
    out += list_row(head, about, style);
  }
  return out;
}

std::string keys_to_markdown(const std::vector<const CatalogueKey*>& keys) {
  std::string out =
      "| key | of | type | default | in Primus's presets | choices | what it is |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const CatalogueKey* key : keys) {
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", key->name, key_owner(*key), key_type(*key),
                       cell(key->default_value), cell(key->preset), cell(key_choices(*key)), cell(remark(*key)));
  }
  return out;
}

std::string keys_to_json(const std::vector<const CatalogueKey*>& keys) {
  JsonWriter json;
  json.begin_array();
  for (const CatalogueKey* key : keys) write_key(json, *key);
  json.end_array();
  return json.take() + '\n';
}

}  // namespace primus_plan
