#include "primus_plan/config/rules.h"

#include <vector>

#include "config/document_rules.h"
#include "config/experiment_rules.h"

namespace primus_plan::loading {

std::span<const RuleInfo* const> all() {
  static const std::vector<const RuleInfo*> list = [] {
    const auto documents = document_rules();
    const auto experiments = experiment_rules();
    std::vector<const RuleInfo*> result(documents.begin(), documents.end());
    result.insert(result.end(), experiments.begin(), experiments.end());
    return result;
  }();
  return list;
}

}  // namespace primus_plan::loading
