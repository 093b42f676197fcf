#include "primus_plan/backends/analyze.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "backends/ignores.h"
#include "backends/point_at_edits.h"
#include "backends/verdict.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/estimate/estimate.h"
#include "primus_plan/estimate/fit.h"
#include "primus_plan/layout/advice.h"
#include "primus_plan/layout/topology.h"

namespace primus_plan {
namespace {

constexpr std::int64_t most_nodes_searched = 1024;
constexpr std::size_t worlds_on_error = 8;

/// What can be said of a module that no backend judges.
Analysis not_judged(const Launch& launch) {
  Analysis out;
  out.is_judged = false;
  out.verdict = Verdict::not_checked;
  out.run.launch = launch;
  out.run.degrees = {.tensor = 0, .pipeline = 0, .virtual_pipeline = 0, .context = 0, .expert = 0, .expert_tensor = 0};
  return out;
}

Analysis not_checked(const Module& module, const Launch& launch) {
  Analysis out = not_judged(launch);
  out.notes.push_back(
      fmt::format("framework {} has no checker here: loaded and merged, not checked", module.framework));
  return out;
}

/// Rules about nodes and groups, for runs whose ranks can be placed.
void add_topology(const Prepared& prepared, Analysis& analysis) {
  if (analysis.run.degrees.data <= 0 || analysis.errors > 0) return;
  const RankLayout layout = prepared.layout(analysis.run.launch);
  if (!layout.is_placed()) return;
  Findings findings(Findings::Detail::text);
  const PlacedRun placed{analysis.run, layout};
  run_rules(topology_rules(), placed, findings);
  run_rules(advice_rules(), placed, findings);
  analysis.warnings += findings.warnings();
  for (Finding& finding : findings.take()) analysis.findings.push_back(std::move(finding));
}

/// Memory is judged of runs that lack no fact and whose size somebody chose: the smallest legal one shares out the
/// least.
bool has_memory(const Workload& workload, const Hardware& hardware) {
  return workload.unknown.empty() && !workload.run.launch.assumed && workload.run.degrees.data > 0 &&
         hardware.memory_bytes > 0;
}

/// Rules about the part, for runs that start.
void add_fit(const FitTarget& target, Analysis& analysis) {
  const Workload* workload = analysis.workload.get();
  if (workload == nullptr || analysis.errors > 0) return;
  MemoryEstimate memory;
  if (has_memory(*workload, target.hardware)) memory = estimate_memory(*workload, memory_device(&target.hardware));
  Findings findings(Findings::Detail::text);
  run_rules(fit_rules(), FittedRun{*workload, memory, target}, findings);
  analysis.errors += findings.errors();
  analysis.warnings += findings.warnings();
  for (Finding& finding : findings.take()) analysis.findings.push_back(std::move(finding));
}

void add_if_legal(const Prepared& prepared, std::int64_t world, std::int64_t gpus_per_node,
                  std::vector<LegalWorld>& out) {
  const std::int64_t nodes = 1 + (world - 1) / gpus_per_node;
  const Launch launch{
      .world_size = world, .nodes = nodes, .gpus_per_node = gpus_per_node, .source = {}, .assumed = false};
  const Analysis analysis = prepared.decide(launch, {.with_text = false});
  if (analysis.errors > 0) return;
  out.push_back({nodes, world, analysis.run.degrees.data, analysis.run.batch.accumulation_steps});
}

/// Legal worlds of less than one node.
std::vector<LegalWorld> legal_parts_of_node(const Prepared& prepared, std::int64_t gpus_per_node) {
  std::vector<LegalWorld> out;
  const std::int64_t smallest = prepared.smallest_world();
  if (smallest <= 0) return out;
  for (std::int64_t world = smallest; world < gpus_per_node; world += smallest)
    add_if_legal(prepared, world, gpus_per_node, out);
  return out;
}

/// What is remarked of a size that nobody gave, and would not be on whole nodes, is no fault of the run: the smallest
/// legal world has the smallest of every group.
void drop_faults_of_assumed_size(const Prepared& prepared, Analysis& analysis) {
  if (!analysis.run.launch.assumed || analysis.errors > 0 || analysis.warnings == 0) return;
  constexpr std::int64_t most_nodes = 64;
  const std::vector<LegalWorld> worlds = legal_worlds(prepared, analysis.run.launch.gpus_per_node, most_nodes, 2);
  if (worlds.empty()) return;
  Launch launch = analysis.run.launch;
  launch.nodes = worlds.back().nodes;
  launch.world_size = worlds.back().world_size;
  Analysis larger = prepared.decide(launch, {.with_text = true});
  add_topology(prepared, larger);
  std::erase_if(analysis.findings, [&](const Finding& finding) {
    if (finding.severity != Severity::warning) return false;
    const auto same = [&](const Finding& other) { return other.rule == finding.rule; };
    if (std::ranges::any_of(larger.findings, same)) return false;
    --analysis.warnings;
    return true;
  });
}

Analysis analyze_module(const Module& module, const Launch& launch, const Environment& environment,
                        const AnalyzeOptions& options) {
  if (!module.is_run) return not_judged(launch);
  const auto prepared = prepare(module, environment);
  if (prepared == nullptr) return not_checked(module, launch);
  AnalyzeOptions asked = options;
  asked.with_workload = options.with_workload || options.fit != nullptr;
  Analysis out = prepared->decide(settle_launch(*prepared, launch), asked);
  if (options.with_text) {
    add_topology(*prepared, out);
    drop_faults_of_assumed_size(*prepared, out);
  }
  const bool is_legal = out.errors == 0;
  if (options.fit != nullptr && is_legal) add_fit(*options.fit, out);
  const std::size_t worlds = options.legal_worlds > 0 ? options.legal_worlds : is_legal ? 0 : worlds_on_error;
  if (options.with_text && worlds > 0) {
    const std::int64_t gpus = out.run.launch.gpus_per_node;
    if (options.legal_worlds > 0) out.legal_worlds = legal_parts_of_node(*prepared, gpus);
    std::ranges::move(legal_worlds(*prepared, gpus, most_nodes_searched, worlds), std::back_inserter(out.legal_worlds));
  }
  return out;
}

/// What loading refused and remarked belongs to the file: it is told once, with the first module; what stops the run
/// before, advice after the rest.
void add_remarks(const Experiment& experiment, Analysis& first) {
  const auto is_note = [](const Finding& remark) { return remark.severity == Severity::note; };
  const Remarks& remarks = experiment.remarks;
  std::vector<Finding> findings = experiment.refusals;
  first.errors += experiment.refusals.size();
  std::ranges::remove_copy_if(remarks, std::back_inserter(findings), is_note);
  std::ranges::move(first.findings, std::back_inserter(findings));
  std::ranges::copy_if(remarks, std::back_inserter(findings), is_note);
  first.findings = std::move(findings);
  for (const Finding& remark : remarks) {
    if (remark.severity == Severity::error) ++first.errors;
    if (remark.severity == Severity::warning) ++first.warnings;
  }
}

}  // namespace

std::unique_ptr<Prepared> prepare(const Module& module, const Environment& environment) {
  const Backend* backend = find_backend(module.framework);
  if (backend == nullptr || module.params == nullptr || !module.is_run) return nullptr;
  return backend->prepare(module, environment);
}

Launch settle_launch(const Prepared& prepared, const Launch& launch) {
  if (launch.world_size > 0) return launch;
  return assume_launch(prepared.smallest_world(), launch.gpus_per_node);
}

std::vector<Analysis> analyze(const Experiment& experiment, const Launch& launch, const Environment& environment,
                              const AnalyzeOptions& options) {
  std::vector<Analysis> out;
  for (const Module& module : experiment.modules) {
    Analysis& analysis = out.emplace_back(analyze_module(module, launch, environment, options));
    analysis.path = experiment.path;
    analysis.module = module.name;
    analysis.framework = module.framework;
    analysis.presets = experiment.presets;
    analysis.origin = module.origin;
    if (out.size() == 1) add_remarks(experiment, analysis);
    analysis.verdict = verdict_of(analysis);
  }
  if (!options.with_text) return out;
  for (Analysis& analysis : out) point_at_edits(analysis.findings);
  apply_ignores(experiment, out);
  return out;
}

std::vector<LegalWorld> legal_worlds(const Prepared& prepared, std::int64_t gpus_per_node, std::int64_t most_nodes,
                                     std::size_t most_found) {
  std::vector<LegalWorld> out;
  const std::int64_t smallest = prepared.smallest_world();
  if (smallest <= 0) return out;
  for (std::int64_t nodes = 1; nodes <= most_nodes && out.size() < most_found; ++nodes) {
    if (nodes * gpus_per_node % smallest == 0) add_if_legal(prepared, nodes * gpus_per_node, gpus_per_node, out);
  }
  return out;
}

}  // namespace primus_plan
