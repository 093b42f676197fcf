#include "config/key_names.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace primus_plan {
namespace {

/// Whether Primus reads this key of its own in a module of the framework.
bool is_for(const KeyName& key, std::string_view framework) {
  return key.is_read && (key.backend.empty() || key.backend == framework);
}

/// One catalogue by name. Every key of every module is looked up, so a search through the sorted table is too slow.
class Index {
 public:
  explicit Index(std::span<const KeyName> names) {
    by_name_.reserve(names.size());
    for (const KeyName& key : names) by_name_.emplace(key.name, &key);
  }
  const KeyName* find(std::string_view name) const {
    const auto at = by_name_.find(name);
    return at != by_name_.end() ? at->second : nullptr;
  }

 private:
  std::unordered_map<std::string_view, const KeyName*> by_name_;
};

const Index& megatron_index() {
  static const Index index(megatron_key_names());
  return index;
}
const Index& torchtitan_index() {
  static const Index index(torchtitan_key_names());
  return index;
}
const Index& maxtext_index() {
  static const Index index(maxtext_key_names());
  return index;
}
const Index& primus_index() {
  static const Index index(primus_key_names());
  return index;
}
constexpr std::array indices{&megatron_index, &torchtitan_index, &maxtext_index, &primus_index};
constexpr std::array tables{&megatron_key_names, &torchtitan_key_names, &maxtext_key_names, &primus_key_names};

}  // namespace

std::span<const KeyName> framework_key_names(std::string_view framework) {
  if (framework == "megatron") return megatron_key_names();
  if (framework == "torchtitan") return torchtitan_key_names();
  if (framework == "maxtext") return maxtext_key_names();
  return {};
}

const KeyName* find_key_name(std::span<const KeyName> names, std::string_view name) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i]().data() == names.data()) return indices[i]().find(name);
  }
  return nullptr;
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
