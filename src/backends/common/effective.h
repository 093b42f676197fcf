#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primus_plan/config/fields.h"

namespace primus_plan {

using EffectiveValues = std::vector<std::pair<std::string, NodePtr>>;

/// Appends, in the order of the field table, every field whose value the runtime changed and those named in `always`.
/// Names in `skip` were given already.
template <class Config>
void append_effective(std::span<const Field<Config>> table, const Config& given, const Config& config,
                      std::span<const std::string_view> always, std::span<const std::string_view> skip,
                      EffectiveValues& out) {
  const auto is_in = [](std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Field<Config>& field : table) {
    if (is_in(skip, field.name)) continue;
    std::visit(
        [&](auto member) {
          if ((config.*member).is_unreadable) return;
          const bool changed = !((config.*member).value == (given.*member).value);
          if (changed || is_in(always, field.name)) out.emplace_back(field.name, to_node(config.*member));
        },
        field.member);
  }
}

}  // namespace primus_plan
