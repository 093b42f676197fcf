#include "backends/megatron/candidate.h"

#include <array>
#include <map>
#include <utility>

#include "backends/common/judge.h"
#include "backends/common/turned_keys.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/run.h"
#include "backends/megatron/workload.h"
#include "primus_plan/config/launch.h"

namespace primus_plan::megatron {
namespace {

using C = MegatronConfig;
using MaybeInt = std::optional<Int>;
constexpr std::string_view null_word{};

/// Stages as pipeline_model_parallel_layout writes them: E, t, m, L, with | between stages.
std::string layout_text(const Candidate& c, const PlanTask& task) {
  std::string out;
  for (const DealtStage& stage : deal_stages(task.layers, task.mtp_layers, c.pipeline * c.chunks)) {
    if (!out.empty()) out += '|';
    if (stage.embedding) out += 'E';
    out.append(static_cast<std::size_t>(stage.layers), 't');
    out.append(static_cast<std::size_t>(stage.mtp_layers), 'm');
    if (stage.loss) out += 'L';
  }
  return out;
}

/// recompute_modules of the selective levels, for each kind of model.
struct ModuleList {
  bool latent = false;
  bool experts = false;
  bool heavy = false;
  NodePtr node;
};

NodePtr names(std::initializer_list<const char*> words) {
  std::vector<NodePtr> items;
  for (const char* word : words) items.push_back(make_string(word));
  return make_sequence(std::move(items));
}

const Node* modules_of(const C& base, bool heavy) {
  static const std::array<ModuleList, 8> lists{{
      {false, false, false, names({"layernorm"})},
      {false, false, true, names({"layernorm", "mlp"})},
      {false, true, false, names({"layernorm", "moe_act"})},
      {false, true, true, names({"layernorm", "moe"})},
      {true, false, false, names({"layernorm", "mla_up_proj"})},
      {true, false, true, names({"layernorm", "mla_up_proj", "mlp"})},
      {true, true, false, names({"layernorm", "mla_up_proj", "moe_act"})},
      {true, true, true, names({"layernorm", "mla_up_proj", "mlp", "moe"})},
  }};
  const bool experts = base.num_experts.value.value_or(0) > 0;
  for (const ModuleList& list : lists) {
    if (list.latent == *base.multi_latent_attention && list.experts == experts && list.heavy == heavy)
      return list.node.get();
  }
  return nullptr;
}

template <class Set>
void turn_recompute(const C& base, const Candidate& c, Set&& to) {
  const bool selective = c.recompute == RecomputeLevel::light || c.recompute == RecomputeLevel::heavy;
  const bool whole = c.recompute == RecomputeLevel::block || c.recompute == RecomputeLevel::full;
  to.set(&C::recompute_granularity, whole       ? std::string_view("full")
                                    : selective ? std::string_view("selective")
                                                : null_word);
  to.set(&C::recompute_method, c.recompute == RecomputeLevel::full    ? std::string_view("uniform")
                               : c.recompute == RecomputeLevel::block ? std::string_view("block")
                                                                      : null_word);
  to.set(&C::recompute_num_layers,
         whole ? MaybeInt(c.recompute == RecomputeLevel::full ? 1 : c.recompute_layers) : MaybeInt());
  if (selective) {
    to.set(&C::recompute_modules, modules_of(base, c.recompute == RecomputeLevel::heavy));
  } else {
    to.set(&C::recompute_modules, base.recompute_modules.value);
  }
  to.set(&C::recompute_activations, false);
  to.set(&C::moe_layer_recompute, false);
  to.set(&C::recompute_layer_ids, static_cast<const Node*>(nullptr));
}

/// An experiment that has Megatron's own FSDP keeps it.
bool has_own_fsdp(const C& base) { return *base.use_megatron_fsdp || *base.use_custom_fsdp; }

bool takes_fsdp2(const C& base, const Candidate& c) {
  return c.sharding == StateSharding::weights && !has_own_fsdp(base);
}

template <class Set>
void turn_sharding(const C& base, const Candidate& c, Set&& to) {
  const bool weights = c.sharding == StateSharding::weights;
  const bool own_fsdp = has_own_fsdp(base);
  const bool fsdp2 = takes_fsdp2(base, c);
  to.set(&C::use_torch_fsdp2, fsdp2);
  to.set(&C::use_megatron_fsdp, weights && *base.use_megatron_fsdp);
  to.set(&C::use_custom_fsdp, weights && *base.use_custom_fsdp);
  to.set(&C::data_parallel_sharding_strategy,
         own_fsdp && !weights ? std::string_view("no_shard") : *base.data_parallel_sharding_strategy);
  // One rank has nothing to share out: the key is left to its preset then. Experts may have ranks of their own.
  const bool shares = data_parallel(c) * c.context > 1 || base.num_experts.value.value_or(0) > 0;
  const bool by_preset = *base.use_distributed_optimizer && !is_written(base.use_distributed_optimizer.origin);
  const bool optimizer = (c.sharding == StateSharding::optimizer && (shares || by_preset)) || (weights && own_fsdp);
  to.set(&C::use_distributed_optimizer, optimizer);
  to.set(&C::overlap_param_gather, optimizer && *base.overlap_param_gather);
  to.set(&C::overlap_param_gather_with_optimizer_step, optimizer && *base.overlap_param_gather_with_optimizer_step);
  to.set(&C::use_precision_aware_optimizer, optimizer && *base.use_precision_aware_optimizer);
  to.set(&C::gradient_accumulation_fusion, !fsdp2 && *base.gradient_accumulation_fusion);
  const bool other_format = (own_fsdp && !weights) || (*base.ckpt_format == "torch_dcp" && !fsdp2) ||
                            (fsdp2 && *base.ckpt_format != "torch_dcp");
  to.set(&C::ckpt_format, other_format || (fsdp2 && c.tensor > 1) ? std::string_view("torch_dist") : *base.ckpt_format);
  to.set(&C::data_parallel_replicate_degree, base.data_parallel_replicate_degree.value.value_or(1) == 1
                                                 ? base.data_parallel_replicate_degree.value
                                                 : MaybeInt(1));
  to.set(&C::num_distributed_optimizer_instances,
         base.num_distributed_optimizer_instances.value.value_or(1) == c.replicas
             ? base.num_distributed_optimizer_instances.value
             : MaybeInt(c.replicas));
}

/// pp_algorithm of Primus's own pipeline; null for Megatron's schedules.
std::string_view algorithm_of(ScheduleKind schedule) {
  switch (schedule) {
    case ScheduleKind::zero_bubble_1:
      return "zero-bubble";
    case ScheduleKind::v_zero_bubble:
      return "zbv-formatted";
    case ScheduleKind::v_half:
      return "v-half";
    case ScheduleKind::v_min:
      return "v-min";
    default:
      return null_word;
  }
}

template <class Set>
void turn_precision(const C& base, const Candidate& c, Set&& to) {
  const bool given = c.precision == PlanPrecision::as_given;
  const bool low = c.precision == PlanPrecision::fp8 || c.precision == PlanPrecision::mxfp8;
  const bool own_recipe = c.precision == PlanPrecision::fp8 && *base.fp8_recipe != "mxfp8";
  const std::string_view named = base.fp8.value.empty() ? std::string_view("hybrid") : *base.fp8;
  to.set(&C::fp8, given ? *base.fp8 : low ? named : null_word);
  to.set(&C::fp8_recipe, !low || own_recipe                    ? *base.fp8_recipe
                         : c.precision == PlanPrecision::mxfp8 ? std::string_view("mxfp8")
                                                               : std::string_view("delayed"));
  to.set(&C::fp4, given ? *base.fp4 : null_word);
  to.set(&C::bf16, given ? *base.bf16 : true);
  to.set(&C::fp16, given && *base.fp16);
  to.set(&C::fp8_param, (given || low) && *base.fp8_param);
  // FSDP2 gathers in bf16.
  to.set(&C::fp8_param_gather, (given || low) && *base.fp8_param_gather && !takes_fsdp2(base, c));
}

template <class Set>
void turn_pipeline(const C& base, const Candidate& c, Set&& to) {
  const bool dealt = c.split == StageSplit::dealt;
  const bool ends = c.split == StageSplit::ends;
  to.set(&C::num_virtual_stages_per_pipeline_rank, c.chunks > 1 && !dealt ? MaybeInt(c.chunks) : MaybeInt());
  to.set(&C::num_layers_per_virtual_pipeline_stage, MaybeInt());
  to.set(&C::decoder_first_pipeline_num_layers, ends ? MaybeInt(c.first_layers) : MaybeInt());
  to.set(&C::decoder_last_pipeline_num_layers, ends ? MaybeInt(c.last_layers) : MaybeInt());
  to.set(&C::account_for_embedding_in_pipeline_split, false);
  to.set(&C::account_for_loss_in_pipeline_split, false);
  const std::string_view algorithm = c.pipeline > 1 ? algorithm_of(c.schedule) : null_word;
  const bool own = !algorithm.empty();
  to.set(&C::patch_primus_pipeline, own);
  to.set(&C::pp_algorithm, own ? algorithm : *base.pp_algorithm);
  to.set(&C::patch_zero_bubble, false);
}

/// Every key of a candidate but pipeline_model_parallel_layout.
template <class Set>
void turn(const C& base, const Candidate& c, const PlanTask& task, Set&& to) {
  const bool experts = base.num_experts.value.value_or(0) > 0;
  to.set(&C::tensor_model_parallel_size, c.tensor, Named::always);
  to.set(&C::pipeline_model_parallel_size, c.pipeline, Named::always);
  to.set(&C::context_parallel_size, c.context, Named::always);
  to.set(&C::expert_model_parallel_size, c.expert, experts ? Named::always : Named::when_changed);
  const bool follows = !experts || c.expert_tensor == c.tensor;
  const MaybeInt named = base.expert_tensor_parallel_size.value;
  to.set(&C::expert_tensor_parallel_size,
         follows ? (named.value_or(c.tensor) == c.tensor ? named : MaybeInt(c.tensor)) : MaybeInt(c.expert_tensor));
  to.set(&C::sequence_parallel, c.tensor > 1);
  to.set(&C::tp_comm_overlap, c.tensor > 1 && *base.tp_comm_overlap);  // it needs sequence parallelism
  to.set(&C::micro_batch_size, MaybeInt(c.micro_batch), Named::always);
  to.set(&C::global_batch_size, MaybeInt(task.global_batch), Named::always);
  to.set(&C::seq_length, MaybeInt(task.sequence_length));
  const MaybeInt positions = base.max_position_embeddings.value;
  to.set(&C::max_position_embeddings,
         positions.value_or(0) < task.sequence_length ? MaybeInt(task.sequence_length) : positions);
  turn_pipeline(base, c, to);
  turn_sharding(base, c, to);
  turn_recompute(base, c, to);
  turn_precision(base, c, to);
}

class MegatronJudge final : public CandidateJudge {
 public:
  MegatronJudge(const C& base, const ParsedKeys& parsed, const Environment& environment, const Origin& module,
                const PlanTask& task)
      : base_(base),
        base_parsed_(parsed),
        environment_(environment),
        module_(module),
        task_(task),
        turned_(base),
        parsed_(parsed) {
    parsed_.recompute_layer_ids = {};
  }

  CandidateVerdict judge(const Candidate& candidate, Workload& out) override {
    turn(base_, candidate, task_, KeySetter<C>(base_, turned_));
    set_layout(candidate);
    set_modules();
    const Launch launch = sized_launch(candidate.world_size, task_.gpus_per_node);
    Rewrites rewrites(false);
    const MegatronRun run = derive(turned_, parsed_, launch, environment_, module_, rewrites);
    const CandidateVerdict verdict = judge_counts<MegatronRun>(run, all_rule_lists());
    if (verdict.errors == 0) set_workload(run, out);
    return verdict;
  }

 private:
  /// A layout's node and what it parses to, made once for each number of stages.
  struct Layout {
    NodePtr text;
    LayoutParse parse;
  };

  /// Of what a candidate turns, only TP changes the model, by the padding of its vocabulary.
  void set_workload(const MegatronRun& run, Workload& out) {
    const auto known = shapes_.find(run.tp());
    out = workload(run, known == shapes_.end() ? nullptr : &known->second);
    if (known == shapes_.end() && out.unknown.empty()) shapes_.emplace(run.tp(), out.model);
  }

  void set_layout(const Candidate& candidate) {
    KeySetter<C> to(base_, turned_);
    if (candidate.split != StageSplit::dealt) {
      to.set(&C::pipeline_model_parallel_layout, static_cast<const Node*>(nullptr));
      parsed_.layout.reset();
      parsed_.layout_error.reset();
      return;
    }
    Layout& layout = layouts_[{candidate.pipeline, candidate.chunks}];
    if (layout.text == nullptr) {
      layout.text = make_string(layout_text(candidate, task_));
      layout.parse = parse_pipeline_layout(layout.text->text);
    }
    to.set(&C::pipeline_model_parallel_layout, layout.text.get());
    parsed_.layout_error = layout.parse.error;
    parsed_.layout = layout.parse.layout;
  }

  void set_modules() {
    const Node* node = turned_.recompute_modules.value;
    if (node == base_.recompute_modules.value) {
      parsed_.recompute_modules = base_parsed_.recompute_modules;
      return;
    }
    parsed_.recompute_modules.clear();
    for (const NodePtr& item : node->items) parsed_.recompute_modules.emplace_back(item->text);
  }

  const C& base_;
  const ParsedKeys& base_parsed_;
  const Environment& environment_;
  Origin module_;
  PlanTask task_;
  C turned_;
  ParsedKeys parsed_;
  std::map<std::pair<Int, Int>, Layout> layouts_;
  std::map<Int, ModelShape> shapes_;
};

}  // namespace

PlanKnobs plan_knobs() {
  return {.shardings = {StateSharding::optimizer, StateSharding::weights},
          .schedules = {ScheduleKind::one_f_one_b, ScheduleKind::interleaved, ScheduleKind::zero_bubble_1,
                        ScheduleKind::v_zero_bubble, ScheduleKind::v_half, ScheduleKind::v_min},
          .recompute = {RecomputeLevel::none, RecomputeLevel::light, RecomputeLevel::heavy, RecomputeLevel::block,
                        RecomputeLevel::full},
          .splits = {StageSplit::even, StageSplit::ends, StageSplit::dealt},
          .precisions = {PlanPrecision::bf16, PlanPrecision::fp8, PlanPrecision::mxfp8},
          .chunks = true,
          .context = true,
          .expert_tensor = true,
          .replicas = false,
          .experts_within_data = false,
          .units_beside_layers = -1,
          .layers_outside_pipeline = 0,
          .always_recomputes = false,
          .weights_stay_whole = true};
}

std::unique_ptr<CandidateJudge> candidate_judge(const C& base, const ParsedKeys& parsed, const Environment& environment,
                                                const Origin& module, const PlanTask& task) {
  return std::make_unique<MegatronJudge>(base, parsed, environment, module, task);
}

CandidateOverrides candidate_overrides(const C& base, const Candidate& candidate, const PlanTask& task,
                                       bool only_changes) {
  CandidateOverrides out;
  KeyLister<C> to(base, only_changes, out);
  turn(base, candidate, task, to);
  const NodePtr layout = candidate.split == StageSplit::dealt ? make_string(layout_text(candidate, task)) : NodePtr();
  to.set(&C::pipeline_model_parallel_layout, static_cast<const Node*>(layout.get()));
  return out;
}

}  // namespace primus_plan::megatron
