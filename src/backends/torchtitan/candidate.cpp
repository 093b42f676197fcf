#include "backends/torchtitan/candidate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "backends/common/judge.h"
#include "backends/common/turned_keys.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/run.h"
#include "backends/torchtitan/workload.h"
#include "primus_plan/config/launch.h"

namespace primus_plan::torchtitan {
namespace {

using C = TorchTitanConfig;

std::string_view schedule_name(ScheduleKind schedule) {
  switch (schedule) {
    case ScheduleKind::gpipe:
      return "GPipe";
    case ScheduleKind::interleaved:
      return "Interleaved1F1B";
    case ScheduleKind::zero_bubble_1:
      return "InterleavedZeroBubble";
    case ScheduleKind::v_zero_bubble:
      return "ZBVZeroBubble";
    case ScheduleKind::dual_pipe_v:
      return "DualPipeV";
    default:
      return "1F1B";
  }
}

/// Layers of one virtual stage, for schedules with more of them on a rank than torch takes by itself (2).
std::optional<Int> layers_per_stage(const C& base, const Candidate& c, const PlanTask& task) {
  if (c.pipeline < 2 || c.chunks <= 2) return std::nullopt;
  const Int units =
      task.layers + *base.pipeline_parallel_first_stage_less_layers + *base.pipeline_parallel_last_stage_less_layers;
  const Int stages = c.pipeline * c.chunks;
  return (units + stages - 1) / stages;
}

template <class Set>
void turn_recompute(const C& base, const Candidate& c, Set&& to) {
  const bool selective = c.recompute == RecomputeLevel::light || c.recompute == RecomputeLevel::heavy;
  to.set(&C::ac_mode, selective                             ? std::string_view("selective")
                      : c.recompute == RecomputeLevel::full ? std::string_view("full")
                                                            : std::string_view("none"));
  // Single operations, or every second layer.
  to.set(&C::ac_selective_ac_option, !selective                             ? *base.ac_selective_ac_option
                                     : c.recompute == RecomputeLevel::light ? std::string_view("op")
                                                                            : std::string_view("2"));
}

/// model.converters of a precision: those of the experiment that do not quantize, and the one that does; null where
/// that is the experiment's own list.
NodePtr converters_of(const C& base, PlanPrecision precision) {
  if (precision == PlanPrecision::as_given) return nullptr;
  const char* wanted = precision == PlanPrecision::fp8     ? "quantize.linear.float8"
                       : precision == PlanPrecision::mxfp8 ? "quantize.linear.mx"
                                                           : nullptr;
  std::vector<NodePtr> items;
  bool changes = false;
  bool has_wanted = false;
  if (base.model_converters.value != nullptr) {
    for (const NodePtr& item : base.model_converters.value->items) {
      const bool is_wanted = wanted != nullptr && item->text == wanted;
      const bool stays = is_wanted || !item->text.starts_with("quantize.");
      has_wanted = has_wanted || is_wanted;
      changes = changes || !stays;
      if (stays) items.push_back(item);
    }
  }
  if (wanted != nullptr && !has_wanted) items.push_back(make_string(wanted));
  return changes || (wanted != nullptr && !has_wanted) ? make_sequence(std::move(items)) : nullptr;
}

/// `converters`: of converters_of.
template <class Set>
void turn(const C& base, const Candidate& c, const PlanTask& task, const NodePtr& converters, Set&& to) {
  const Int data = std::max<Int>(data_parallel(c), 1);
  const Int replicas = c.sharding == StateSharding::weights ? c.replicas : data;
  to.set(&C::tensor_parallel_degree, c.tensor, Named::always);
  to.set(&C::pipeline_parallel_degree, c.pipeline, Named::always);
  to.set(&C::context_parallel_degree, c.context);
  to.set(&C::expert_parallel_degree, c.expert);
  to.set(&C::expert_tensor_parallel_degree, c.expert > 1 ? c.expert_tensor : Int{1});
  to.set(&C::data_parallel_replicate_degree, replicas);
  to.set(&C::data_parallel_shard_degree, data / replicas, Named::always);
  const bool pipelined = c.pipeline > 1;
  // Micro-batches of one local batch fill the pipeline; it drains after each.
  const bool divides = task.global_batch % data == 0;
  to.set(&C::local_batch_size, pipelined && divides ? task.global_batch / data : c.micro_batch, Named::always);
  to.set(&C::pipeline_parallel_microbatch_size, pipelined ? c.micro_batch : *base.pipeline_parallel_microbatch_size);
  to.set(&C::global_batch_size, task.global_batch, Named::always);
  to.set(&C::seq_len, task.sequence_length);
  to.set(&C::pipeline_parallel_schedule, pipelined ? schedule_name(c.schedule) : *base.pipeline_parallel_schedule);
  to.set(&C::pipeline_parallel_layers_per_stage, layers_per_stage(base, c, task));
  to.set(&C::module_fqns_per_model_part, static_cast<const Node*>(nullptr));
  turn_recompute(base, c, to);
  to.set(&C::model_converters,
         converters != nullptr ? static_cast<const Node*>(converters.get()) : base.model_converters.value);
}

class TorchTitanJudge final : public CandidateJudge {
 public:
  TorchTitanJudge(const C& base, const ParsedKeys& parsed, const Environment& environment, const Origin& module,
                  const PlanTask& task)
      : base_(base), environment_(environment), module_(module), task_(task), turned_(base), parsed_(parsed) {
    parsed_.parts = {};
    for (std::size_t i = 0; i < converters_.size(); ++i)
      converters_[i] = converters_of(base, static_cast<PlanPrecision>(i));
  }

  CandidateVerdict judge(const Candidate& candidate, Workload& out) override {
    turn(base_, candidate, task_, converters_[static_cast<std::size_t>(candidate.precision)],
         KeySetter<C>(base_, turned_));
    if (candidate.precision != precision_) {
      precision_ = candidate.precision;
      parsed_.converters = parse_converters(turned_.model_converters);
    }
    parsed_.schedule = find_schedule(*turned_.pipeline_parallel_schedule);
    const Launch launch = sized_launch(candidate.world_size, task_.gpus_per_node);
    Rewrites rewrites(false);
    const TorchTitanRun run = derive(turned_, parsed_, launch, environment_, module_, rewrites);
    const CandidateVerdict verdict = judge_counts<TorchTitanRun>(run, all_rule_lists());
    if (verdict.errors == 0) out = workload(run);
    return verdict;
  }

 private:
  const C& base_;
  const Environment& environment_;
  Origin module_;
  PlanTask task_;
  C turned_;
  ParsedKeys parsed_;
  std::array<NodePtr, 4> converters_;                  ///< lists of each precision
  PlanPrecision precision_ = PlanPrecision::as_given;  ///< that `parsed_` is of
};

}  // namespace

PlanKnobs plan_knobs(const C& base) {
  return {.shardings = {StateSharding::weights},
          .schedules = {ScheduleKind::one_f_one_b, ScheduleKind::interleaved, ScheduleKind::v_zero_bubble,
                        ScheduleKind::dual_pipe_v},
          .recompute = {RecomputeLevel::none, RecomputeLevel::heavy, RecomputeLevel::light, RecomputeLevel::full},
          .splits = {StageSplit::even, StageSplit::dealt},
          .precisions = {PlanPrecision::bf16, PlanPrecision::fp8, PlanPrecision::mxfp8},
          .chunks = true,
          .context = true,
          .expert_tensor = true,
          .replicas = true,
          .experts_within_data = false,
          .units_beside_layers = std::max<Int>(
              *base.pipeline_parallel_first_stage_less_layers + *base.pipeline_parallel_last_stage_less_layers, 0)};
}

std::unique_ptr<CandidateJudge> candidate_judge(const C& base, const ParsedKeys& parsed, const Environment& environment,
                                                const Origin& module, const PlanTask& task) {
  return std::make_unique<TorchTitanJudge>(base, parsed, environment, module, task);
}

CandidateOverrides candidate_overrides(const C& base, const Candidate& candidate, const PlanTask& task,
                                       bool only_changes) {
  CandidateOverrides out;
  turn(base, candidate, task, converters_of(base, candidate.precision), KeyLister<C>(base, only_changes, out));
  return out;
}

}  // namespace primus_plan::torchtitan
