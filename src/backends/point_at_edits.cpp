#include "backends/point_at_edits.h"

#include <algorithm>
#include <utility>

namespace primus_plan {

namespace {

bool is_users(const Label& label) { return label.origin && is_written(label.origin); }

}  // namespace

void point_at_edits(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (is_users(finding.primary)) continue;
    const auto users = std::ranges::find_if(finding.related, is_users);
    if (users == finding.related.end()) continue;
    if (finding.primary.origin) {
      std::swap(finding.primary, *users);
    } else {
      finding.primary = std::move(*users);
      finding.related.erase(users);
    }
  }
}

}  // namespace primus_plan
