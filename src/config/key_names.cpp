#include "config/key_names.h"

#include <algorithm>

namespace primus_plan {
namespace {

/// Whether Primus reads this key of its own in a module of the framework.
bool is_for(const KeyName& key, std::string_view framework) {
  return key.is_read && (key.backend.empty() || key.backend == framework);
}

}  // namespace

std::span<const KeyName> framework_key_names(std::string_view framework) {
  if (framework == "megatron") return megatron_key_names();
  if (framework == "torchtitan") return torchtitan_key_names();
  if (framework == "maxtext") return maxtext_key_names();
  return {};
}

const KeyName* find_key_name(std::span<const KeyName> names, std::string_view name) {
  const auto at = std::ranges::lower_bound(names, name, {}, &KeyName::name);
  return at != names.end() && at->name == name ? &*at : nullptr;
}

const KeyName* find_read_key(std::string_view framework, std::string_view name) {
  const KeyName* own = find_key_name(framework_key_names(framework), name);
  if (own != nullptr && own->is_read) return own;
  const KeyName* primus = find_key_name(primus_key_names(), name);
  return primus != nullptr && is_for(*primus, framework) ? primus : nullptr;
}

bool has_section(std::span<const KeyName> names, std::string_view section) {
  const auto at = std::ranges::lower_bound(names, section, {}, &KeyName::name);
  for (auto key = at; key != names.end() && key->name.starts_with(section); ++key) {
    if (key->name.size() > section.size() && key->name[section.size()] == '.') return true;
  }
  return false;
}

std::vector<std::string_view> read_key_names(std::string_view framework) {
  std::vector<std::string_view> out;
  for (const KeyName& key : framework_key_names(framework)) {
    if (key.is_read) out.push_back(key.name);
  }
  for (const KeyName& key : primus_key_names()) {
    if (is_for(key, framework)) out.push_back(key.name);
  }
  return out;
}

}  // namespace primus_plan
