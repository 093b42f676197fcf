#include "backends/megatron/workload.h"

#include <algorithm>

#include "backends/common/describe.h"
#include "backends/common/impossible_batch.h"
#include "backends/megatron/describe.h"
#include "backends/megatron/flops.h"
#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/settings.h"

namespace primus_plan::megatron {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

NumberFormat format_of(std::string_view word) {
  if (word == "fp32") return NumberFormat::fp32;
  if (word == "fp16") return NumberFormat::fp16;
  return word == "fp8" ? NumberFormat::fp8 : NumberFormat::bf16;
}

/// A key of a dtype that may be unset or "auto".
NumberFormat format_of(const Word& word, NumberFormat otherwise) {
  return word.value.empty() || *word == "auto" ? otherwise : format_of(*word);
}

bool is_megatron_fsdp(const MegatronConfig& config) { return *config.use_megatron_fsdp || *config.use_custom_fsdp; }

void set_fp8(const MegatronConfig& config, Precision& p) {
  if (!config.fp8.value.empty()) {
    p.compute = NumberFormat::fp8;
    const std::string_view recipe = *config.fp8_recipe;
    p.recipe = recipe == "mxfp8"       ? ScalingRecipe::microscaling
               : recipe == "blockwise" ? ScalingRecipe::blockwise
                                       : ScalingRecipe::per_tensor;
    if (*config.fp8_param || *config.fp8_param_gather) {
      p.weights = NumberFormat::fp8;
      p.transposed_fp8_weights = true;
    } else {
      p.cached_fp8_weights = true;
    }
  }
  if (!config.fp4.value.empty()) {
    p.compute = NumberFormat::fp4;
    p.recipe = ScalingRecipe::microscaling;
  }
}

/// megatron/core/optimizer/optimizer_config.py: store_param_remainders is on by default.
void set_precision_aware_optimizer(const MegatronConfig& config, Precision& p) {
  p.gradients = format_of(config.main_grads_dtype, NumberFormat::fp32);
  p.main_weights = format_of(config.main_params_dtype, NumberFormat::fp32);
  p.first_moment = format_of(config.exp_avg_dtype, NumberFormat::fp32);
  p.second_moment = format_of(config.exp_avg_sq_dtype, NumberFormat::fp32);
  p.half_main_weights = *config.bf16 && p.main_weights == NumberFormat::fp32 && p.weights == NumberFormat::bf16;
}

Precision precision_of(const MegatronConfig& config) {
  Precision p;
  p.compute = p.weights = *config.fp16 ? NumberFormat::fp16 : *config.bf16 ? NumberFormat::bf16 : NumberFormat::fp32;
  p.separate_main_weights = p.weights != NumberFormat::fp32;
  const bool in_fp32 = *config.accumulate_allreduce_grads_in_fp32 || p.weights == NumberFormat::fp32;
  p.gradients = in_fp32 ? NumberFormat::fp32 : p.weights;
  set_fp8(config, p);
  if (*config.use_precision_aware_optimizer) set_precision_aware_optimizer(config, p);
  if (is_megatron_fsdp(config)) {
    p.gradients = format_of(config.megatron_fsdp_main_grads_dtype, NumberFormat::fp32);
    p.main_weights = format_of(config.megatron_fsdp_main_params_dtype, NumberFormat::fp32);
  }
  if (*config.use_torch_fsdp2) {
    p.cached_fp8_weights = false;
    if (*config.use_fsdp2_fp32_param_optimizer) {
      p.weights = NumberFormat::fp32;
      p.separate_main_weights = false;
    } else if (*config.use_fsdp2_bf16_master_weight_optimizer) {
      p.main_weights = NumberFormat::bf16;
    }
    // FSDP2 keeps gradients as the weights are; the optimizer's fp32 copy comes when activations are gone.
    p.gradients = p.weights;
  }
  return p;
}

StateSharding megatron_fsdp_strategy(std::string_view strategy) {
  if (strategy == "optim") return StateSharding::optimizer;
  if (strategy == "optim_grads") return StateSharding::gradients;
  return strategy == "optim_grads_params" ? StateSharding::weights : StateSharding::none;
}

Sharding sharding_of(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  Sharding s;
  if (*config.use_torch_fsdp2) {
    s.state = StateSharding::weights;
    s.keeps_gathered_weights = !*config.torch_fsdp2_reshard_after_forward;
    s.whole_unit_buffers = true;
  } else if (is_megatron_fsdp(config)) {
    s.state = megatron_fsdp_strategy(*config.data_parallel_sharding_strategy);
    s.whole_unit_buffers = s.state == StateSharding::weights;
    if (*config.fsdp_double_buffer) s.gathered_units = 4;
  } else if (*config.use_distributed_optimizer) {
    s.state = StateSharding::optimizer;
  }
  const Int instances = std::max<Int>(1, config.num_distributed_optimizer_instances.value.value_or(1));
  s.replicas = instances;
  s.dense_shards = std::max<Int>(1, run.degrees.data * run.degrees.context / instances);
  s.expert_shards = std::max<Int>(1, run.degrees.expert_data / instances);
  s.bucket_elements = std::clamp<Int>(config.ddp_bucket_size.value.value_or(0), 0, Int{1} << 40);
  if (*config.optimizer_cpu_offload) {
    s.offloaded_optimizer = std::clamp(config.optimizer_offload_fraction.value.value_or(1), 0.0, 1.0);
  }
  return s;
}

/// Activations of the first layers of a stage go to host memory whole: transformer_block.py, offload_context of
/// Transformer Engine. Inputs of modules: fine-grained offloading, and Primus's pipelines.
void set_offload(const MegatronRun& run, Recompute& r) {
  const MegatronConfig& config = run.config;
  const Int layers = config.num_layers.value.value_or(0) / std::max<Int>(1, run.pp());
  const Int away = config.cpu_offloading_num_layers.value.value_or(0);
  if (*config.cpu_offloading && layers > 0)
    r.offloaded = std::clamp(static_cast<double>(away) / static_cast<double>(layers), 0.0, 1.0);
  r.offloads_modules = *config.fine_grained_activation_offloading || *config.offload;
}

Recompute recompute_of(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  Recompute r;
  set_offload(run, r);
  const std::string_view granularity = *config.recompute_granularity;
  if (picks_recompute_layers(run)) return r;  // layers are named one by one: LayerKind::recomputed
  if (granularity == "full") {
    r.granularity = RecomputeGranularity::full;
    r.method = *config.recompute_method == "block" ? RecomputeMethod::block : RecomputeMethod::uniform;
    r.layers = std::clamp<Int>(config.recompute_num_layers.value.value_or(1), 0, Int{1} << 31);
  } else if (granularity == "selective") {
    r.granularity = RecomputeGranularity::selective;
    r.core_attention = recomputes_module(run, "core_attn");
    r.layer_norm = recomputes_module(run, "layernorm");
    r.latent_up_projection = recomputes_module(run, "mla_up_proj");
    r.expert_activation = recomputes_module(run, "moe_act");
    r.dense_ffn = recomputes_module(run, "mlp");
    r.experts = recomputes_module(run, "moe") || *config.moe_layer_recompute;
    r.shared_experts = recomputes_module(run, "shared_experts");
  }
  return r;
}

Overlap overlap_of(const MegatronConfig& config) {
  Overlap o;
  o.tensor = *config.tp_comm_overlap;
  o.gradient_reduce = *config.overlap_grad_reduce;
  o.parameter_gather = *config.overlap_param_gather;
  o.expert = *config.overlap_moe_expert_parallel_comm || *config.patch_moe_overlap;
  o.pipeline = *config.overlap_p2p_comm;
  return o;
}

Kernels kernels_of(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  Kernels k;
  k.transformer_engine = *config.transformer_impl != "local";
  const bool unfused = is_one_of(*config.attention_backend, {"unfused", "local"});
  k.flash_attention = k.transformer_engine ? !unfused : *config.use_flash_attn;
  k.fused_loss = *config.cross_entropy_loss_fusion && *config.cross_entropy_fusion_impl == "te";
  // Megatron's own fused loss saves a step of the copies, not the fp32 one.
  k.logit_bytes = *config.cross_entropy_loss_fusion ? 8 : 10;
  // Primus's patch for hybrid models: a fused linear cross entropy in pieces, 32 unless told otherwise.
  constexpr Int most_chunks = 1 << 16;
  if (integer_or(config.fused_ce_mode, 0) > 0) {
    k.loss_chunks = std::clamp<Int>(integer_or(config.fused_ce_chunks, 32), 1, most_chunks);
  }
  const bool fsdp2 = *config.use_torch_fsdp2;
  k.fused_gradients = *config.gradient_accumulation_fusion && !fsdp2;
  k.separate_gradient_buffers = !fsdp2;
  k.dropout = *config.hidden_dropout > 0;
  const std::string_view dispatcher = *config.moe_token_dispatcher_type;
  if (dispatcher == "allgather") k.dispatch = ExpertDispatch::all_gather;
  if (dispatcher == "flex" && is_one_of(*config.moe_flex_dispatcher_backend, {"deepep", "hybridep"})) {
    k.dispatch = ExpertDispatch::deep_ep;
  }
  k.all_experts_same_load = *config.moe_router_force_load_balancing;
  for (const std::string_view type : run.parsed.cp_comm_types) k.context_all_to_all |= type.starts_with("a2a");
  return k;
}

ScheduleKind schedule_of(const MegatronRun& run) {
  if (run.pp() < 2) return ScheduleKind::none;
  const MegatronConfig& config = run.config;
  const ScheduleKind megatron = run.interleaved() ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
  if (zero_bubble_runs(run)) {
    if (!*config.enable_zero_bubble) return megatron;
    if (*config.zero_bubble_v_schedule) return ScheduleKind::v_zero_bubble;
    return *config.enable_1f1b_v ? ScheduleKind::v_half : ScheduleKind::zero_bubble_1;
  }
  if (!primus_pipeline_runs(run)) return megatron;
  const std::string_view algorithm = *config.pp_algorithm;
  if (algorithm == "zbv-formatted") return ScheduleKind::v_zero_bubble;
  if (algorithm == "v-half") return ScheduleKind::v_half;
  if (algorithm == "v-min") return ScheduleKind::v_min;
  return algorithm.starts_with("zero-bubble") ? ScheduleKind::zero_bubble_1 : megatron;
}

Optimizer optimizer_of(const MegatronConfig& config) {
  if (config.optimizer.value.find("muon") != std::string_view::npos) return Optimizer::muon;
  return *config.optimizer == "sgd" ? Optimizer::sgd : Optimizer::adam;
}

/// Adapters of rank 32 on every projection are about a hundredth of a model.
double trained_share(const MegatronConfig& config) {
  const Node* lora = config.lora.value;
  const Node* enabled = lora != nullptr && lora->is_mapping() ? lora->get("enabled") : nullptr;
  return enabled != nullptr && enabled->kind == Kind::boolean && enabled->boolean ? 0.01 : 1;
}

WorkloadKeys keys_of(const MegatronConfig& config) {
  const Word& precision = !config.fp8.value.empty() ? config.fp8 : config.fp4;
  const bool low = !config.fp8.value.empty() || !config.fp4.value.empty();
  return {.layers = key_of(config.num_layers),
          .hidden = key_of(config.hidden_size),
          .heads = key_of(config.num_attention_heads),
          .kv_heads = key_of(config.num_query_groups),
          .ffn = key_of(config.ffn_hidden_size),
          .vocabulary = config.padded_vocab_size.value ? key_of(config.padded_vocab_size)
                        : config.vocab_size.value      ? key_of(config.vocab_size)
                                                       : key_of(config.tokenizer_model),
          .experts = key_of(config.num_experts),
          .experts_per_token = key_of(config.moe_router_topk),
          .expert_ffn = key_of(config.moe_ffn_hidden_size),
          .precision = low ? key_of(precision) : key_of(config.bf16),
          .gradients = key_of(config.grad_reduce_in_bf16),
          .sharding = *config.use_torch_fsdp2    ? key_of(config.use_torch_fsdp2)
                      : is_megatron_fsdp(config) ? key_of(config.data_parallel_sharding_strategy)
                                                 : key_of(config.use_distributed_optimizer),
          .recompute = key_of(config.recompute_granularity),
          .fused_loss = key_of(config.cross_entropy_loss_fusion)};
}

/// Diffusion models have no layers of the kinds that estimates know.
bool is_image_model(const MegatronConfig& config) {
  return config.model_type.value.starts_with("flux") || *config.model_type == "diffusion_model";
}

/// Estimates are of the steps after a batch ramp, which take the whole global batch: most of a run.
void leave_ramp(const MegatronRun& run, Batch& batch) {
  const Int per_micro_batch = saturating_multiply(batch.micro, run.dp());
  if (!run.parsed.ramp_up || run.micro_batch_start.fault || per_micro_batch <= 0) return;
  batch.accumulation_steps = batch.global / per_micro_batch;
  batch.starts_empty = false;
}

}  // namespace

Workload workload(const MegatronRun& run, const ModelShape* shape) {
  Workload w;
  w.run = describe(run);
  leave_ramp(run, w.run.batch);
  w.keys = keys_of(run.config);
  w.counted_as = FlopsCount::megatron;
  if (is_image_model(run.config)) {
    w.unknown.emplace_back("the cost of an image model");
    return w;
  }
  w.model = shape != nullptr ? *shape : model_shape(run, w.unknown);
  w.precision = precision_of(run.config);
  w.sharding = sharding_of(run);
  w.recompute = recompute_of(run);
  w.overlap = overlap_of(run.config);
  w.kernels = kernels_of(run);
  w.schedule = schedule_of(run);
  w.optimizer = optimizer_of(run.config);
  w.trained_share = trained_share(run.config);
  w.sequence_parallel = *run.config.sequence_parallel && run.tp() > 1;
  w.counted_flops_per_token = counted_flops_per_token(run, w.model.padded_vocabulary);
  leave_out_impossible_batch(w, "micro_batch_size", "seq_length");
  leave_out_unresolved_degrees(w);
  if (w.run.stages.empty() && w.run.degrees.data > 0) w.unknown.emplace_back("the layers of each stage");
  return w;
}

}  // namespace primus_plan::megatron
