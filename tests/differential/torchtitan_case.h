#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan::torchtitan {

/// An experiment of one TorchTitan module over the built-in presets, ready to be judged.
class Case {
 public:
  Case(const std::string& model, const nlohmann::json& overrides);

  Analysis decide(std::int64_t world) const;
  RankLayout layout(std::int64_t world) const;

 private:
  static Launch launch(std::int64_t world);

  MemoryFiles files_;
  Environment environment_;
  LoadResult loaded_;
  std::unique_ptr<Prepared> prepared_;
};

/// A number of Analysis::effective; 0 for null or an absent key.
std::int64_t effective_number(const Analysis& analysis, const std::string& key);

}  // namespace primus_plan::torchtitan
