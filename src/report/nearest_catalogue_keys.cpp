#include <fmt/core.h>

#include <algorithm>

#include "backends/common/concepts.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/report/explain_key.h"
#include "primus_plan/report/keys.h"
#include "primus_plan/support/text.h"

namespace primus_plan {

namespace {

constexpr std::size_t most_keys = 3;

/// A spelling, and the keys it leads to.
struct Spelling {
  std::string_view name;
  std::vector<std::string_view> keys;
};

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

std::vector<std::string_view> keys_of(const Concept& thing) {
  std::vector<std::string_view> keys;
  for (const LocalName* name : {&thing.megatron, &thing.torchtitan, &thing.maxtext}) {
    if (!name->key.empty() && std::ranges::find(keys, name->key) == keys.end()) keys.push_back(name->key);
  }
  return keys;
}

void add_concept(const Concept& thing, std::vector<Spelling>& out) {
  const std::vector<std::string_view> keys = keys_of(thing);
  if (keys.empty()) return;
  for (std::string_view rest = thing.other_names; !rest.empty();) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    out.push_back({rest.substr(0, space), keys});
    rest.remove_prefix(std::min(rest.size(), space + 1));
  }
}

/// Other names first: of equally near spellings they lead furthest.
std::vector<Spelling> spellings() {
  std::vector<Spelling> out;
  for (const Concept& thing : concepts()) add_concept(thing, out);
  for (const CatalogueKey& key : key_catalogue()) {
    out.push_back({key.name, {key.name}});
    if (last_part(key.name) != key.name) out.push_back({last_part(key.name), {key.name}});
  }
  return out;
}

}  // namespace

std::string nearest_catalogue_keys(std::string_view name) {
  const std::vector<Spelling> known = spellings();
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const Spelling& spelling : known) names.push_back(spelling.name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string_view> keys;
  for (const std::string_view near : nearest_names(name, names, most_keys)) {
    for (const Spelling& spelling : known) {
      if (spelling.name != near || keys.size() >= most_keys) continue;
      for (const std::string_view key : spelling.keys) {
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
      }
    }
  }
  return join(keys, ", ");
}

std::string fault_of_axis_name(std::string_view name) {
  if (find_short_name(name) != nullptr || !keys_named(name).empty()) return {};
  const std::string nearest = nearest_catalogue_keys(name);
  return fmt::format("neither a key nor one of {}{}", short_names_text(),
                     nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
}

}  // namespace primus_plan
