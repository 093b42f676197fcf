#include "backends/maxtext/candidate.h"

#include <algorithm>
#include <numeric>

#include "backends/common/judge.h"
#include "backends/common/turned_keys.h"
#include "backends/maxtext/rules/accumulation.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/run.h"
#include "backends/maxtext/workload.h"
#include "primus_plan/config/launch.h"
#include "run/gpus_of_node.h"

namespace primus_plan::maxtext {
namespace {

using C = MaxTextConfig;

/// A dimension's part inside a node and across nodes.
struct Placed {
  Int inside = 1;
  Int across = 1;
};

/// Where each dimension goes: what talks most stays inside the node, pipeline stages go across, and FSDP takes what is
/// left. Products that do not come out are left to MaxText's own checks.
struct Placement {
  Placed tensor, context, expert, pipeline, shards, copies;

  Placement(const Candidate& c, const PlanTask& task) {
    Int inside = gpus_of_node(sized_launch(c.world_size, task.gpus_per_node));
    Int across = c.world_size / inside;
    const auto inside_first = [&](Int degree) {
      const Int in = std::gcd(degree, inside);
      inside /= in;
      across /= std::gcd(degree / in, across);
      return Placed{in, degree / in};
    };
    tensor = inside_first(c.tensor);
    expert = inside_first(c.expert);
    context = inside_first(c.context);
    pipeline.across = std::gcd(c.pipeline, across);
    pipeline.inside = c.pipeline / pipeline.across;
    inside /= std::gcd(pipeline.inside, inside);
    across /= pipeline.across;
    const Int data = std::max<Int>(data_parallel(c) / std::max<Int>(c.expert, 1), 1);
    const Int wanted = std::max<Int>(data / std::max<Int>(c.replicas, 1), 1);
    shards.inside = std::gcd(wanted, inside);
    shards.across = wanted / shards.inside;
    copies.inside = inside / shards.inside;
    copies.across = std::max<Int>(c.replicas / copies.inside, 1);
  }
};

template <class Set>
void turn_mesh(const Candidate& c, const PlanTask& task, Set&& to) {
  const Placement at(c, task);
  to.set(&C::ici_tensor_parallelism, at.tensor.inside);
  to.set(&C::ici_context_parallelism, at.context.inside);
  to.set(&C::ici_expert_parallelism, at.expert.inside);
  to.set(&C::ici_pipeline_parallelism, at.pipeline.inside);
  to.set(&C::ici_fsdp_parallelism, at.shards.inside, Named::always);
  to.set(&C::ici_data_parallelism, at.copies.inside);
  to.set(&C::dcn_tensor_parallelism, at.tensor.across);
  to.set(&C::dcn_context_parallelism, at.context.across);
  to.set(&C::dcn_expert_parallelism, at.expert.across);
  to.set(&C::dcn_pipeline_parallelism, at.pipeline.across);
  to.set(&C::dcn_fsdp_parallelism, at.shards.across, Named::always);
  to.set(&C::dcn_data_parallelism, at.copies.across, Named::always);
  for (const auto axis :
       {&C::ici_fsdp_transpose_parallelism, &C::ici_sequence_parallelism, &C::ici_context_autoregressive_parallelism,
        &C::ici_tensor_sequence_parallelism, &C::ici_autoregressive_parallelism, &C::dcn_fsdp_transpose_parallelism,
        &C::dcn_sequence_parallelism, &C::dcn_context_autoregressive_parallelism, &C::dcn_tensor_sequence_parallelism,
        &C::dcn_autoregressive_parallelism}) {
    to.set(axis, Int{1});
  }
}

/// Layers before the pipeline. Source: src/maxtext/configs/types.py, pipeline_parallel_layers: -1.
Int dense_before(const C& base) {
  return *base.decoder_block == "deepseek" ? std::max<Int>(*base.first_num_dense_layers, 0) : 0;
}

/// quantization of a precision; an experiment that has fp8 in some form keeps it.
std::string_view quantization_of(const C& base, PlanPrecision precision, const PlanTask& task) {
  const std::string_view own = *base.quantization;
  const std::string_view fp8 = task.nanoo_fp8 ? "nanoo_fp8" : "fp8";
  switch (precision) {
    case PlanPrecision::bf16:
      return "";
    case PlanPrecision::fp8:
      return own.find("fp8") < own.size() && own != "te_mxfp8" ? own : fp8;
    case PlanPrecision::mxfp8:
      return "te_mxfp8";
    case PlanPrecision::as_given:
      break;
  }
  return own;
}

/// Micro-batches that go through the pipeline before it drains: all are in flight at once, so a few rounds of the
/// stages, where the step is a multiple of that; the rest is gradient accumulation. All of the step where neither goes.
Int in_one_go(Int passes, Int stages, bool accumulates) {
  constexpr Int most_rounds = 4;
  for (Int rounds = accumulates ? most_rounds : 0; rounds > 0; --rounds) {
    if (passes % (rounds * stages) == 0) return rounds * stages;
  }
  return passes;
}

template <class Set>
void turn_batch(const C& base, const Candidate& c, const PlanTask& task, Set&& to) {
  const Int data = std::max<Int>(data_parallel(c), 1);
  const Int passes = std::max<Int>(accumulation_steps(c, task), 1);
  const bool pipelined = c.pipeline > 1;
  // A pipeline cuts what it takes at once into micro-batches itself.
  const bool accumulates = !refuses_accumulation(quantization_of(base, c.precision, task));
  const Int parts = pipelined ? in_one_go(passes, c.pipeline, accumulates) : 1;
  const Int samples = c.micro_batch * data * parts;
  to.set(&C::per_device_batch_size, static_cast<double>(samples) / static_cast<double>(std::max<Int>(c.world_size, 1)),
         Named::always);
  to.set(&C::gradient_accumulation_steps, passes / parts);
  to.set(&C::max_target_length, task.sequence_length);
  to.set(&C::num_pipeline_microbatches, pipelined ? parts : Int{-1});
  const Int each = (task.layers - dense_before(base)) / std::max<Int>(c.pipeline * c.chunks, 1);
  to.set(&C::num_layers_per_pipeline_stage, pipelined ? std::max<Int>(each, 1) : Int{1});
  to.set(&C::num_pipeline_repeats, pipelined ? c.chunks : Int{-1});
  to.set(&C::pipeline_parallel_layers, pipelined ? *base.pipeline_parallel_layers : Int{-1});
}

/// Policies from the one that keeps most.
std::string_view policy_of(RecomputeLevel level) {
  switch (level) {
    case RecomputeLevel::none:
      return "minimal_with_context";
    case RecomputeLevel::light:
      return "save_dot_with_context_except_mlp";
    case RecomputeLevel::heavy:
      return "save_qkv_proj";
    default:
      return "full";
  }
}

template <class Set>
void turn(const C& base, const Candidate& c, const PlanTask& task, Set&& to) {
  turn_mesh(c, task, to);
  turn_batch(base, c, task, to);
  to.set(&C::remat_policy, policy_of(c.recompute));
  to.set(&C::quantization, quantization_of(base, c.precision, task));
  to.set(&C::megablox, *base.megablox && !interprets_megablox(base));
}

class MaxTextJudge final : public CandidateJudge {
 public:
  MaxTextJudge(const C& base, const LayeredConfig& layers, const ParsedKeys& parsed, const Origin& module,
               const PlanTask& task)
      : base_(base), layers_(layers), parsed_(parsed), module_(module), task_(task), turned_(base) {}

  CandidateVerdict judge(const Candidate& candidate, Workload& out) override {
    turn(base_, candidate, task_, KeySetter<C>(base_, turned_));
    const Launch launch = sized_launch(candidate.world_size, task_.gpus_per_node);
    Rewrites rewrites(false);
    const MaxTextRun run = derive(turned_, layers_, parsed_, launch, module_, rewrites);
    const CandidateVerdict verdict = judge_counts<MaxTextRun>(run, all_rule_lists());
    if (verdict.errors == 0) out = workload(run);
    return verdict;
  }

 private:
  const C& base_;
  const LayeredConfig& layers_;
  const ParsedKeys& parsed_;
  Origin module_;
  PlanTask task_;
  C turned_;
};

}  // namespace

PlanKnobs plan_knobs(const C& base) {
  return {.shardings = {StateSharding::weights},
          .schedules = {ScheduleKind::gpipe, ScheduleKind::circular},
          .recompute = {RecomputeLevel::none, RecomputeLevel::light, RecomputeLevel::heavy, RecomputeLevel::full},
          .splits = {StageSplit::even},
          .precisions = {PlanPrecision::bf16, PlanPrecision::fp8, PlanPrecision::mxfp8},
          .chunks = true,
          .context = true,
          .expert_tensor = false,
          .replicas = true,
          .experts_within_data = true,
          .units_beside_layers = -1,
          .layers_outside_pipeline = dense_before(base),
          .always_recomputes = true};
}

std::unique_ptr<CandidateJudge> candidate_judge(const C& base, const LayeredConfig& layers, const ParsedKeys& parsed,
                                                const Origin& module, const PlanTask& task) {
  return std::make_unique<MaxTextJudge>(base, layers, parsed, module, task);
}

CandidateOverrides candidate_overrides(const C& base, const Candidate& candidate, const PlanTask& task,
                                       bool only_changes) {
  CandidateOverrides out;
  turn(base, candidate, task, KeyLister<C>(base, only_changes, out));
  return out;
}

}  // namespace primus_plan::maxtext
