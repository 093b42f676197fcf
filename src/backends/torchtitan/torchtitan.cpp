#include "backends/torchtitan/torchtitan.h"

#include "backends/torchtitan/describe.h"
#include "backends/torchtitan/fields.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/worlds.h"
#include "primus_plan/diagnostics/findings.h"

namespace primus_plan::torchtitan {
namespace {

class PreparedTorchTitan final : public Prepared {
 public:
  PreparedTorchTitan(const Module& module, const Environment& environment)
      : environment_(environment), origin_(module.origin) {
    read_fields(fields(), *module.params, config_, config_.bad_values);
    parsed_ = parse_keys(config_, *module.params);
  }

  Analysis decide(const Launch& launch, const AnalyzeOptions& options) const override {
    Rewrites rewrites(options.with_text);
    const TorchTitanRun run = derive(config_, parsed_, launch, environment_, origin_, rewrites);
    Findings findings(options.with_text ? Findings::Detail::text : Findings::Detail::counts);
    for (const RuleList& list : all_rule_lists()) run_rules(list, run, findings);

    Analysis out;
    out.run = describe(run);
    out.errors = findings.errors();
    out.warnings = findings.warnings();
    if (options.with_text) {
      out.effective = effective_values(run);
      out.rewrites = rewrites.take();
      out.findings = findings.take();
      out.notes = notes(options);
    }
    return out;
  }

  std::int64_t smallest_world() const override { return torchtitan::smallest_world(config_); }

  RankLayout layout(const Launch& launch) const override {
    Rewrites rewrites(false);
    return layout_of(derive(config_, parsed_, launch, environment_, origin_, rewrites));
  }

 private:
  static std::vector<std::string> notes(const AnalyzeOptions& options) {
    std::vector<std::string> out;
    if (options.dp_formula == DpFormula::guide) {
      out.push_back("the guide's DP formula is Megatron's: TorchTitan's data-parallel degree is replicate x shard");
    }
    return out;
  }

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
  std::vector<const RuleInfo*> rules() const override {
    std::vector<const RuleInfo*> out;
    for (const RuleList& list : all_rule_lists()) {
      for (const Rule<TorchTitanRun>& rule : list) out.push_back(&rule.info);
    }
    return out;
  }
  std::vector<std::pair<std::string, std::string>> degree_overrides(const Degrees& degrees) const override {
    std::vector<std::pair<std::string, std::string>> out;
    constexpr Int stages_of_a_schedule = 2;  // more of them take a number of layers, which depends on the model
    if (degrees.virtual_pipeline > stages_of_a_schedule) return out;
    const auto ask = [&out](const char* key, Int degree) {
      if (degree > 0) out.emplace_back(key, fmt::format("{}", degree));
    };
    ask("parallelism.tensor_parallel_degree", degrees.tensor);
    ask("parallelism.pipeline_parallel_degree", degrees.pipeline);
    ask("parallelism.context_parallel_degree", degrees.context);
    ask("parallelism.expert_parallel_degree", degrees.expert);
    ask("parallelism.expert_tensor_parallel_degree", degrees.expert_tensor);
    ask("parallelism.data_parallel_replicate_degree", degrees.data_replicate);
    ask("parallelism.data_parallel_shard_degree", degrees.data_shard);
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
