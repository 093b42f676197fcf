#pragma once

#include <array>
#include <string_view>

#include "backends/maxtext/run.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan::maxtext {

/// Options that MaxText refuses together: all of them stand in types.py as "if this and not that: raise".
struct Conflict {
  bool (*holds)(const MaxTextRun& run);
  Field<MaxTextConfig>::Member where;  ///< the key to point at
  std::string_view text;
};

template <std::size_t N>
void report_conflicts(const std::array<Conflict, N>& conflicts, const MaxTextRun& run, Findings& out) {
  for (const Conflict& conflict : conflicts) {
    if (!conflict.holds(run)) continue;
    std::visit([&](auto member) { out.add(run.config.*member, [&](Message& m) { m.say("{}", conflict.text); }); },
               conflict.where);
  }
}

inline bool on(const Flag& flag) { return *flag; }
inline bool filled(const Word& word) { return !word.value.empty(); }

}  // namespace primus_plan::maxtext
