#include "primus_plan/config/rules.h"

#include <vector>

#include "config/document_rules.h"
#include "config/experiment_rules.h"
#include "config/ignore_rules.h"
#include "config/key_rules.h"

namespace primus_plan::loading {

std::span<const RuleInfo* const> all() {
  static const std::vector<const RuleInfo*> list = [] {
    std::vector<const RuleInfo*> result;
    for (const auto rules : {document_rules(), experiment_rules(), ignore_rules(), key_rules()}) {
      result.insert(result.end(), rules.begin(), rules.end());
    }
    return result;
  }();
  return list;
}

}  // namespace primus_plan::loading
