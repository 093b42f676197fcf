#pragma once

#include <memory>
#include <string>
#include <vector>

#include "primus_plan/config/experiment.h"
#include "primus_plan/estimate/timeline.h"
#include "primus_plan/layout/rank_layout.h"
#include "primus_plan/report/estimate.h"
#include "primus_plan/report/plan.h"
#include "primus_plan/report/report.h"
#include "primus_plan/report/sweep.h"

namespace primus_plan {

/// One module's reports, for a page. What is null or empty has no section.
struct PageModule {
  const Analysis& analysis;
  const Module* module = nullptr;            ///< where its values come from
  RankLayout layout = {};                    ///< of ranks that could not be placed: no map
  const EstimateReport* estimate = nullptr;  ///< memory and step time; needs a workload
  RunTimeline timeline = {};
  const PlanReport* plan = nullptr;
  std::vector<SweepReport> sweeps = {};
};

/// Everything that is known of one experiment.
struct Page {
  std::string path;
  std::vector<Finding> load_errors;  ///< why nothing else is known
  std::vector<PageModule> modules;
  ToolInfo tool;
};

/// One HTML file that needs nothing else and asks no network for anything: verdict, findings with their lines, degrees
/// and batch, ranks, memory, step time, pipeline, plans, sweeps, and where every value comes from. Texts and numbers
/// need no script. The JSON of the commands stands in the element `data`; numbers on the page that are made from it
/// carry the pointer (RFC 6901) in `data-of`. The same input gives the same bytes.
std::string page_to_html(const Page& page);

/// The findings, degrees and batches of many files as one HTML file without scripts.
std::unique_ptr<Formatter> make_html_formatter(ToolInfo tool);

}  // namespace primus_plan
