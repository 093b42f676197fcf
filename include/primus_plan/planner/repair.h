#pragma once

#include <cstddef>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/experiment.h"

namespace primus_plan {

/// Changes of two keys that are tried.
inline constexpr std::size_t most_repair_pairs = 160;

/// The smallest changes of TP, PP, VPP, CP, EP, ETP, micro-batch, global batch, sequence length and shards (to all that
/// is left) after which a module that has errors at its launch has none, and no more warnings than before: of one key
/// where one is enough; else of two, unless a fix of one of the errors is enough by itself. Best first: those that
/// change tokens per step and degrees least. Each one went through the backend's own derivations and rules. Empty when
/// errors are of another kind (a wrong type, an optimizer option), and when nothing near is legal. Pure; tries a
/// bounded number of candidates: a few of each key, and where none of them does, `most_pairs` of two keys.
std::vector<Repair> find_repairs(const Backend& backend, const Module& module, const Environment& environment,
                                 const Analysis& broken, std::size_t most_pairs = most_repair_pairs);

/// A module's params with one value replaced or added; `key` is dotted below a section. For candidates.
NodePtr with_value(const NodePtr& params, std::string_view key, NodePtr value);

}  // namespace primus_plan
