#include "primus_plan/config/rules.h"

#include <vector>

#include "config/document_rules.h"

namespace primus_plan::loading {

std::span<const RuleInfo* const> all() {
  static const std::vector<const RuleInfo*> list = [] {
    const auto documents = document_rules();
    return std::vector<const RuleInfo*>(documents.begin(), documents.end());
  }();
  return list;
}

}  // namespace primus_plan::loading
