#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "primus_plan/config/document.h"

namespace primus_plan {

/// A preset file as it was read, or why it could not be.
struct Preset {
  Document document;
  std::optional<Finding> error;
};
using PresetPtr = std::shared_ptr<const Preset>;

/// Reads each preset once. Safe to use from several threads.
class PresetCache {
 public:
  PresetCache(const FileReader& files, const Environment& environment, const Limits& limits)
      : files_(files), environment_(environment), limits_(limits) {}

  PresetPtr get(const std::string& path, Layer layer);
  /// The module preset with the keys that only the model preset has, both without their names. The roots are those of
  /// presets that `get` gave.
  NodePtr merged(const NodePtr& module, const NodePtr& model);

 private:
  Preset read(const std::string& path, Layer layer) const;

  const FileReader& files_;
  const Environment& environment_;
  const Limits& limits_;
  std::mutex mutex_;
  std::map<std::pair<std::string, Layer>, PresetPtr> presets_;
  std::map<std::pair<const Node*, const Node*>, NodePtr> merged_;
};

}  // namespace primus_plan
