#include "backends/maxtext/maxtext.h"

#include <fmt/core.h>

#include "backends/common/judge.h"
#include "backends/maxtext/candidate.h"
#include "backends/maxtext/describe.h"
#include "backends/maxtext/fields.h"
#include "backends/maxtext/layers.h"
#include "backends/maxtext/layout.h"
#include "backends/maxtext/overrides.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/workload.h"
#include "backends/maxtext/worlds.h"

namespace primus_plan::maxtext {
namespace {

/// Values of MaxText's own files count as defaults: no file of the user's sets them.
void mark_defaults(MaxTextConfig& config) {
  for (const Field<MaxTextConfig>& field : fields()) {
    std::visit(
        [&](auto member) {
          auto& value = config.*member;
          if (!value.origin && value.origin.layer == Layer::backend_default) value.is_explicit = false;
        },
        field.member);
  }
}

class PreparedMaxText final : public Prepared {
 public:
  PreparedMaxText(const Module& module, const Environment& environment)
      : origin_(module.origin), layers_(layer(*module.params, environment)) {
    std::vector<BadValue> none;  // layers_ has coerced every value already
    read_fields(fields(), *layers_.values, config_, none);
    mark_defaults(config_);
    // MaxText's default is tpu. A value that it refuses says nothing of the machine: judge the rest for what Primus
    // runs on.
    for (const KeyFault& fault : layers_.faults) {
      if (fault.key == "hardware") config_.hardware.value = "gpu";
    }
    parsed_ = parse_keys(config_, layers_.model_file != nullptr ? layers_.model_file->name : std::string_view());
  }

  Analysis decide(const Launch& launch, const AnalyzeOptions& options) const override {
    Rewrites rewrites(options.with_text);
    const MaxTextRun run = derive(config_, layers_, parsed_, launch, origin_, rewrites);
    if (options.with_text) add_model_file(rewrites);
    Analysis out = judge<MaxTextRun>(run, all_rule_lists(), rewrites, options);
    if (options.with_workload) out.workload = std::make_shared<const Workload>(workload(run));
    return out;
  }

  std::int64_t smallest_world() const override { return maxtext::smallest_world(config_, parsed_); }

  RankLayout layout(const Launch& launch) const override {
    Rewrites rewrites(false);
    return rank_layout(derive(config_, layers_, parsed_, launch, origin_, rewrites));
  }

  PlanKnobs plan_knobs() const override { return maxtext::plan_knobs(config_); }
  std::unique_ptr<CandidateJudge> candidate_judge(const PlanTask& task) const override {
    return maxtext::candidate_judge(config_, layers_, parsed_, origin_, task);
  }
  CandidateOverrides candidate_overrides(const Candidate& candidate, const PlanTask& task,
                                         bool only_changes) const override {
    return maxtext::candidate_overrides(config_, candidate, task, only_changes);
  }

 private:
  /// What the model file takes over is a rewrite of what the experiment says.
  void add_model_file(Rewrites& rewrites) const {
    for (const Shadowed& key : layers_.behind_model_file) {
      rewrites.add(
          {.key = key.key,
           .from = to_text(*key.given),
           .to = to_text(*key.used),
           .because = fmt::format("MaxText's model file {}.yml comes after overrides", layers_.model_file->name),
           .asked = is_written(key.given->origin)});
    }
  }

  Origin origin_;
  LayeredConfig layers_;
  MaxTextConfig config_;
  ParsedKeys parsed_;
};

class MaxTextBackend final : public Backend {
 public:
  std::string_view name() const override { return "maxtext"; }
  std::string_view title() const override { return "MaxText"; }
  std::string_view pinned() const override {
    return "MaxText e591f30c (upstream; Primus pins ROCm/maxtext release/v26.6)";
  }
  std::unique_ptr<Prepared> prepare(const Module& module, const Environment& environment) const override {
    return std::make_unique<PreparedMaxText>(module, environment);
  }
  std::vector<const RuleInfo*> rules() const override { return rule_infos<MaxTextRun>(all_rule_lists()); }
  Overrides degree_overrides(const Degrees& degrees, const Launch& launch) const override {
    return maxtext::degree_overrides(degrees, launch);
  }
};

}  // namespace

const Backend& backend() {
  static const MaxTextBackend instance;
  return instance;
}

}  // namespace primus_plan::maxtext
