#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan::maxtext {

/// One MaxText module, ready to be judged.
class Case {
 public:
  /// An experiment of one module over the built-in presets.
  static Case experiment(const std::string& model, const nlohmann::json& overrides);
  /// A file of the corpus with the corpus's presets.
  static Case file(const std::string& path, const std::string& primus_root);
  /// These keys alone, over MaxText's own defaults.
  static Case bare(const nlohmann::json& keys);

  Analysis decide(std::int64_t devices, std::int64_t nodes) const;
  RankLayout layout(std::int64_t devices, std::int64_t nodes) const;

 private:
  struct Loaded;
  explicit Case(std::shared_ptr<const Loaded> loaded);

  std::shared_ptr<const Loaded> loaded_;
  std::shared_ptr<const Prepared> prepared_;
};

/// A value of Analysis::effective as JSON; null for an absent key.
nlohmann::json effective(const Analysis& analysis, const std::string& key);

/// Device numbers in the row-major order of the mesh, as the layout has them.
std::vector<std::int64_t> devices_in_mesh_order(const RankLayout& layout, const std::vector<std::string>& axes);

}  // namespace primus_plan::maxtext
