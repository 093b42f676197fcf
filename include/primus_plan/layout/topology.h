#pragma once

#include <span>

#include "primus_plan/diagnostics/findings.h"
#include "primus_plan/diagnostics/rule.h"
#include "primus_plan/layout/rank_layout.h"
#include "primus_plan/run/run.h"

namespace primus_plan {

/// A run and where its ranks sit: what the topology rules (LNxxx) read. They know no backend.
struct PlacedRun {
  const RunDescription& run;
  const RankLayout& layout;
};

/// Rules about launch and topology: groups across nodes, partly filled nodes, pipeline bubbles. Nothing here stops a
/// run.
std::span<const Rule<PlacedRun>> topology_rules();

/// Share of a step in which a pipeline rank waits, for equal stages: (p - 1) / (m v + p - 1) with p stages, m
/// micro-batches, v chunks a rank; GPipe the same with v = 1; 0 without a pipeline or for schedules that fill the gaps.
/// Source: Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters", section 2.2.
double pipeline_bubble(const RunDescription& run);

}  // namespace primus_plan
