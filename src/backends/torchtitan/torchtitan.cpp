#include "backends/torchtitan/torchtitan.h"

#include <algorithm>

#include "backends/common/judge.h"
#include "backends/common/overrides.h"
#include "backends/torchtitan/candidate.h"
#include "backends/torchtitan/describe.h"
#include "backends/torchtitan/fields.h"
#include "backends/torchtitan/layout.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/workload.h"
#include "backends/torchtitan/worlds.h"

namespace primus_plan::torchtitan {
namespace {

class PreparedTorchTitan final : public Prepared {
 public:
  PreparedTorchTitan(const Module& module, const Environment& environment)
      : environment_(environment), origin_(module.origin) {
    read_fields(fields(), *module.params, config_, config_.bad_values);
    parsed_ = parse_keys(config_, *module.params);
    const auto& missing = module.missing_files;
    parsed_.schedule_csv_is_missing =
        std::find(missing.begin(), missing.end(), config_.pipeline_parallel_schedule_csv.key) != missing.end();
  }

  Analysis decide(const Launch& launch, const AnalyzeOptions& options) const override {
    Rewrites rewrites(options.with_text);
    const TorchTitanRun run = derive(config_, parsed_, launch, environment_, origin_, rewrites);
    Analysis out = judge<TorchTitanRun>(run, all_rule_lists(), rewrites, options);
    if (options.with_workload) out.workload = std::make_shared<const Workload>(workload(run));
    return out;
  }

  std::int64_t smallest_world() const override { return torchtitan::smallest_world(config_); }

  RankLayout layout(const Launch& launch) const override {
    Rewrites rewrites(false);
    return rank_layout(derive(config_, parsed_, launch, environment_, origin_, rewrites));
  }

  PlanKnobs plan_knobs() const override { return torchtitan::plan_knobs(config_); }
  std::unique_ptr<CandidateJudge> candidate_judge(const PlanTask& task) const override {
    return torchtitan::candidate_judge(config_, parsed_, environment_, origin_, task);
  }
  CandidateOverrides candidate_overrides(const Candidate& candidate, const PlanTask& task,
                                         bool only_changes) const override {
    return torchtitan::candidate_overrides(config_, candidate, task, only_changes);
  }

 private:
  const Environment& environment_;
  Origin origin_;
  TorchTitanConfig config_;
  ParsedKeys parsed_;
};

class TorchTitanBackend final : public Backend {
 public:
  std::string_view name() const override { return "torchtitan"; }
  std::string_view title() const override { return "TorchTitan"; }
  std::string_view pinned() const override { return "TorchTitan v0.2.2 (73a0e697)"; }
  std::unique_ptr<Prepared> prepare(const Module& module, const Environment& environment) const override {
    return std::make_unique<PreparedTorchTitan>(module, environment);
  }
  std::vector<const RuleInfo*> rules() const override { return rule_infos<TorchTitanRun>(all_rule_lists()); }
  Overrides degree_overrides(const Degrees& degrees, const Launch& /*launch*/) const override {
    Overrides out;
    constexpr Int stages_of_a_schedule = 2;  // more of them take a number of layers, which depends on the model
    if (degrees.virtual_pipeline > stages_of_a_schedule) return out;
    ask_for_degree(out, "parallelism.tensor_parallel_degree", degrees.tensor);
    ask_for_degree(out, "parallelism.pipeline_parallel_degree", degrees.pipeline);
    ask_for_degree(out, "parallelism.context_parallel_degree", degrees.context);
    ask_for_degree(out, "parallelism.expert_parallel_degree", degrees.expert);
    ask_for_degree(out, "parallelism.expert_tensor_parallel_degree", degrees.expert_tensor);
    ask_for_degree(out, "parallelism.data_parallel_replicate_degree", degrees.data_replicate);
    ask_for_degree(out, "parallelism.data_parallel_shard_degree", degrees.data_shard);
    if (degrees.virtual_pipeline > 1) out.emplace_back("parallelism.pipeline_parallel_schedule", "Interleaved1F1B");
    return out;
  }
};

}  // namespace

const Backend& backend() {
  static const TorchTitanBackend instance;
  return instance;
}

}  // namespace primus_plan::torchtitan
