#include "backends/megatron/megatron.h"

#include "backends/megatron/describe.h"
#include "backends/megatron/fields.h"
#include "backends/megatron/groups.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/worlds.h"
#include "primus_plan/diagnostics/findings.h"

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
    Findings findings(options.with_text ? Findings::Detail::text : Findings::Detail::counts);
    for (const RuleList& list : all_rule_lists()) run_rules(list, run, findings);

    Analysis out;
    out.run = describe(run);
    out.errors = findings.errors();
    out.warnings = findings.warnings();
    if (options.dp_formula == DpFormula::guide) apply_guide_formula(run, out);
    if (options.with_text) {
      out.effective = effective_values(run);
      out.rewrites = rewrites.take();
      out.findings = findings.take();
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

 private:
  static void apply_guide_formula(const MegatronRun& run, Analysis& out) {
    const Int guide = guide_data_parallel(run);
    out.run.degrees.data = guide;
    const Int per_step = run.batch.micro * guide;
    out.run.batch.accumulation_steps =
        per_step > 0 && run.batch.global % per_step == 0 ? run.batch.global / per_step : 0;
    out.notes.push_back(
        fmt::format("DP {} is world / (TP x PP x EP), the formula of the Primus guide; Megatron itself uses DP {} = "
                    "world / (TP x PP x CP)",
                    guide, run.dp()));
  }

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
  std::vector<const RuleInfo*> rules() const override {
    std::vector<const RuleInfo*> out;
    for (const RuleList& list : all_rule_lists()) {
      for (const Rule<MegatronRun>& rule : list) out.push_back(&rule.info);
    }
    return out;
  }
  std::vector<std::pair<std::string, std::string>> degree_overrides(const Degrees& degrees) const override {
    std::vector<std::pair<std::string, std::string>> out;
    const auto ask = [&out](const char* key, Int degree) {
      if (degree > 0) out.emplace_back(key, fmt::format("{}", degree));
    };
    ask("tensor_model_parallel_size", degrees.tensor);
    ask("pipeline_model_parallel_size", degrees.pipeline);
    ask("context_parallel_size", degrees.context);
    ask("expert_model_parallel_size", degrees.expert);
    ask("expert_tensor_parallel_size", degrees.expert_tensor);
    if (degrees.virtual_pipeline > 1) ask("num_virtual_stages_per_pipeline_rank", degrees.virtual_pipeline);
    return out;
  }
};

}  // namespace

const Backend& backend() {
  static const MegatronBackend instance;
  return instance;
}

}  // namespace primus_plan::megatron
