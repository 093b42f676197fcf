#include "config/preset_cache.h"

#include "config/faults.h"
#include "config/namespaces.h"

namespace primus_plan {

Preset PresetCache::read(const std::string& path, Layer layer) const {
  Preset preset;
  try {
    preset.document = load_document(path, layer, files_, environment_, limits_);
  } catch (const LoadError& error) {
    preset.document.sources = error.sources();
    preset.error = error.finding();
    return preset;
  }
  if (!preset.document.root->is_mapping()) {
    preset.error = root_fault(*preset.document.root);
  } else if (const Entry* entry = find_key_that_is_no_text(*preset.document.root)) {
    preset.error = key_fault(*entry);
  }
  return preset;
}

PresetPtr PresetCache::get(const std::string& path, Layer layer) {
  const std::pair key(path, layer);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = presets_.find(key); found != presets_.end()) return found->second;
  }
  // Read without the lock: two threads may both read a file, and the first to finish is kept.
  auto preset = std::make_shared<const Preset>(read(path, layer));
  const std::scoped_lock lock(mutex_);
  return presets_.emplace(key, std::move(preset)).first->second;
}

NodePtr PresetCache::merged(const NodePtr& module, const NodePtr& model) {
  const std::pair key(module.get(), model.get());
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = merged_.find(key); found != merged_.end()) return found->second;
  }
  NodePtr result = add_to_namespace(without_key(module, "name"), without_key(model, "name"));
  const std::scoped_lock lock(mutex_);
  return merged_.emplace(key, std::move(result)).first->second;
}

}  // namespace primus_plan
