#pragma once

#include <string>

#include "primus_plan/planner/plan.h"
#include "primus_plan/report/report.h"

namespace primus_plan {

/// A search and what it was about.
struct PlanReport {
  const PlanRequest& request;
  const PlanResult& result;
  std::string subject;          ///< path of the experiment, or name of the model
  std::string framework;        ///< "Megatron-LM"
  std::string hardware_source;  ///< "--hardware MI300X"
  std::string batch_source;     ///< "--global-batch", "the experiment" …
  bool is_file = false;         ///< there is an experiment to compare with
};

/// Table, front, reasons, sensitivity, rejections, confidence.
std::string plan_to_text(const PlanReport& report, const TextStyle& style);
/// The same and all numbers behind it as one JSON object.
std::string plan_to_json(const PlanReport& report);
/// The overrides of a proposed plan as a YAML block; sections of dotted keys become mappings.
std::string overrides_block(const CandidateOverrides& overrides, std::size_t indentation);

/// settings_text of a proposed plan, and whether it is the file as it is.
std::string plan_settings_text(const ProposedPlan& plan, const PlanReport& report);

/// Why the second plan is behind the first: parts of the step and of memory in which they differ most, a sentence each.
std::vector<std::string> compare_plans(const ProposedPlan& winner, const ProposedPlan& other);
/// Why a search found nothing, and the nearest thing that works as far as it is known.
std::string explain_no_plan(const PlanReport& report);

}  // namespace primus_plan
