#include "backends/megatron/megatron.h"

#include "backends/common/judge.h"
#include "backends/common/overrides.h"
#include "backends/megatron/candidate.h"
#include "backends/megatron/describe.h"
#include "backends/megatron/fields.h"
#include "backends/megatron/groups.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/workload.h"
#include "backends/megatron/worlds.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

class PreparedMegatron final : public Prepared {
 public:
  PreparedMegatron(const Module& module, const Environment& environment)
      : environment_(environment), origin_(module.origin) {
    read_fields(fields(), *module.params, config_, config_.bad_values);
    parsed_ = parse_keys(config_);
    parsed_.written = find_written_keys(*module.params);
  }

  Analysis decide(const Launch& launch, const AnalyzeOptions& options) const override {
    Rewrites rewrites(options.with_text);
    const MegatronRun run = derive(config_, parsed_, launch, environment_, origin_, rewrites);
    Analysis out = judge<MegatronRun>(run, all_rule_lists(), rewrites, options);
    if (options.with_workload) out.workload = std::make_shared<const Workload>(workload(run));
    if (options.with_text) {
      for (std::string& line : ramp_lines(run)) out.notes.push_back(std::move(line));
    }
    return out;
  }

  std::int64_t smallest_world() const override { return megatron::smallest_world(config_); }

  RankLayout layout(const Launch& launch) const override {
    Rewrites rewrites(false);
    const MegatronRun run = derive(config_, parsed_, launch, environment_, origin_, rewrites);
    return megatron_layout(group_sizes(run));
  }

  PlanKnobs plan_knobs() const override { return megatron::plan_knobs(); }
  std::unique_ptr<CandidateJudge> candidate_judge(const PlanTask& task) const override {
    return megatron::candidate_judge(config_, parsed_, environment_, origin_, task);
  }
  CandidateOverrides candidate_overrides(const Candidate& candidate, const PlanTask& task,
                                         bool only_changes) const override {
    return megatron::candidate_overrides(config_, candidate, task, only_changes);
  }

 private:
  const Environment& environment_;
  Origin origin_;
  MegatronConfig config_;
  ParsedKeys parsed_;
};

class MegatronBackend final : public Backend {
 public:
  std::string_view name() const override { return "megatron"; }
  std::string_view title() const override { return "Megatron-LM"; }
  std::string_view pinned() const override { return "Megatron-LM d3528a21 (core 0.16.0rc0)"; }
  std::unique_ptr<Prepared> prepare(const Module& module, const Environment& environment) const override {
    return std::make_unique<PreparedMegatron>(module, environment);
  }
  std::vector<const RuleInfo*> rules() const override { return rule_infos<MegatronRun>(all_rule_lists()); }
  Overrides degree_overrides(const Degrees& degrees, const Launch& /*launch*/) const override {
    Overrides out;
    ask_for_degree(out, "tensor_model_parallel_size", degrees.tensor);
    ask_for_degree(out, "pipeline_model_parallel_size", degrees.pipeline);
    ask_for_degree(out, "context_parallel_size", degrees.context);
    ask_for_degree(out, "expert_model_parallel_size", degrees.expert);
    ask_for_degree(out, "expert_tensor_parallel_size", degrees.expert_tensor);
    if (degrees.virtual_pipeline > 1)
      ask_for_degree(out, "num_virtual_stages_per_pipeline_rank", degrees.virtual_pipeline);
    return out;
  }
};

}  // namespace

const Backend& backend() {
  static const MegatronBackend instance;
  return instance;
}

}  // namespace primus_plan::megatron
