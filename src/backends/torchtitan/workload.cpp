#include "backends/torchtitan/workload.h"

#include <algorithm>

#include "backends/common/describe.h"
#include "backends/common/impossible_batch.h"
#include "backends/common/layer_kinds.h"
#include "backends/common/saved_tensors.h"
#include "backends/torchtitan/describe.h"
#include "backends/torchtitan/dimensions.h"
#include "backends/torchtitan/flops.h"
#include "primus_plan/support/text.h"
#include "support/whole_number.h"

namespace primus_plan::torchtitan {
namespace {

constexpr Int most_layers = 1'000'000;     // no model has more; bounds the work on hostile numbers
constexpr Int gpt_oss_window = 128;        // models/gpt_oss/model/args.py:sliding_window_size
constexpr Int llama4_chunk = 8192;         // models/llama4/model/args.py:fixed_attn_block_size
constexpr Int llama4_small_chunk = 256;    // ... of debugmodel_irope
constexpr Int llama4_global_interval = 4;  // ... every_n_layers_nope of the irope flavors

/// Share of a layer's activations that `selective_ac_option: op` keeps: its input, the result of attention, and every
/// second matrix product. Source: distributed/activation_checkpoint.py:_apply_op_sac.
constexpr double kept_by_op_mode = 0.45;

/// Bytes of one logit in a float32 cross entropy: the bfloat16 logits, a float32 copy, its softmax, and the gradient. A
/// compiled loss keeps the bfloat16 logits and their gradient: published peaks of the 8B model fell by 8 bytes a logit.
constexpr double logit_bytes = 12;
constexpr double compiled_logit_bytes = 4;

/// What a compiled layer keeps: results of matrix products and of attention. Norms, activation functions and products
/// with gates are made again from them. Source: torch/_functorch/partitioners.py:min_cut_rematerialization_partition.
constexpr unsigned saved_by_compiler = saved_qkv | saved_low_rank | saved_attention | saved_output | saved_up |
                                       saved_gate | saved_expert_input | saved_expert_up | saved_expert_gate;

/// Base of the rotary embedding: model.rope_theta, else the flavor's, which is the same in all flavors of a family.
/// Source: torchtitan/models/*/__init__.py and */model/args.py.
Int rope_base(const TorchTitanRun& run) {
  const double written = run.config.model_rope_theta.value.value_or(0);
  if (written >= 1 && written < 1e15) return static_cast<Int>(written);
  switch (run.family()) {
    case Family::llama3:
    case Family::llama4:
      return 500'000;
    case Family::qwen3:
      return 1'000'000;
    case Family::deepseek_v3:
      return 10'000;
    case Family::gpt_oss:
      return 150'000;
    default:
      return 0;
  }
}

bool is_interleaved_rope(const TorchTitanRun& run) {
  return run.parsed.flavor != nullptr && run.parsed.flavor->name.ends_with("_irope");
}

/// Every how many layers `selective` recomputes one whole; 0 = the operation mode.
Int recompute_interval(const TorchTitanRun& run) {
  const std::string_view option = *run.config.ac_selective_ac_option;
  const std::optional<Int> interval = whole_number(option);
  return interval ? std::max<Int>(*interval, 1) : 0;  // 0 wraps every layer too
}

LayerKind layer_kind(const TorchTitanRun& run, Int layer) {
  const Architecture& model = run.model();
  LayerKind out;
  if (model.kv_lora_rank > 0) out.mixer = Mixer::latent_attention;
  out.feed_forward = has_experts(model, run.family(), layer) ? FeedForward::experts : FeedForward::dense;
  if (run.family() == Family::gpt_oss && layer % 2 == 0) out.window = gpt_oss_window;
  if (is_interleaved_rope(run) && layer % llama4_global_interval != 0) {
    out.window = model.dim < llama4_small_chunk * 2 ? llama4_small_chunk : llama4_chunk;
    out.chunked = true;
  }
  if (*run.config.ac_mode == "selective") {
    const Int interval = recompute_interval(run);
    out.recomputed = interval > 0 && (layer + 1) % interval == 0;
  }
  return out;
}

ModelShape shape_of(const TorchTitanRun& run) {
  const Architecture& model = run.model();
  const Dimensions sizes = dimensions_of(model, run.family());
  ModelShape out;
  out.layers = model.layers;
  out.hidden = model.dim;
  out.vocabulary = out.padded_vocabulary = model.vocab;
  out.tied_embeddings = model.tied_embeddings;
  out.biases = run.family() == Family::gpt_oss;
  out.qk_norm = run.family() == Family::qwen3;
  out.rope_base = rope_base(run);
  out.longest_sequence = model.max_seq_len;
  out.heads = model.heads;
  out.kv_heads = sizes.kv_heads;
  out.head_width = out.value_width = sizes.head_width;
  if (model.kv_lora_rank > 0) {
    out.kv_heads = model.heads;
    out.head_width = model.qk_nope_head_dim + model.qk_rope_head_dim;
    out.value_width = model.v_head_dim;
    out.q_rank = model.q_lora_rank;
    out.kv_rank = model.kv_lora_rank;
    out.nope_width = model.qk_nope_head_dim;
    out.rope_width = model.qk_rope_head_dim;
    out.qk_norm = true;  // models/deepseek_v3/model/model.py:Attention has q_norm and kv_norm always
  }
  out.ffn = sizes.moe_layers < model.layers ? sizes.ffn : 0;
  out.gated = true;
  if (sizes.moe_layers > 0) {
    out.experts = model.experts.count;
    out.experts_per_token = model.experts.top_k;
    out.expert_ffn = sizes.expert_ffn;
    out.shared_ffn = sizes.expert_ffn * model.experts.shared;
  }
  for (Int layer = 0; layer < model.layers; ++layer) append_layer(out.kinds, layer_kind(run, layer));
  return out;
}

bool has_turbo(const TorchTitanRun& run) { return *run.config.enable_primus_turbo; }

Precision precision_of(const TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  Precision out;
  // models/gpt_oss/model/model.py casts its layers, whatever training.dtype says.
  const bool low = *config.dtype == "bfloat16" || run.family() == Family::gpt_oss;
  const NumberFormat kept = low ? NumberFormat::bf16 : NumberFormat::fp32;
  // One set of weights, which the optimizer updates in place; FSDP casts what it gathers.
  out.weights = out.main_weights = out.first_moment = out.second_moment = kept;
  out.separate_main_weights = false;
  out.gradients = kept;
  const bool casts = run.mixes_precision() && *config.mixed_precision_param == "bfloat16";
  out.compute = low || casts ? NumberFormat::bf16 : NumberFormat::fp32;
  if (run.parsed.converters.mx_linear) {
    out.compute = NumberFormat::fp8;
    out.recipe = ScalingRecipe::microscaling;
  } else if (run.parsed.converters.float8_linear && !*config.float8_emulate) {
    const std::string_view recipe = *config.float8_recipe_name;
    out.compute = NumberFormat::fp8;
    out.recipe = recipe.starts_with("rowwise") ? ScalingRecipe::blockwise : ScalingRecipe::per_tensor;
  }
  return out;
}

Sharding sharding_of(const TorchTitanRun& run) {
  Sharding out;
  out.replicas = std::max<Int>(run.meshes.dp_replicate, 1);
  const bool experts_are_sharded = run.model().moe && run.meshes.efsdp > 1;
  if (!run.shards() && !experts_are_sharded) return out;
  out.state = StateSharding::weights;
  out.dense_shards = std::max<Int>(run.meshes.fsdp, 1);
  out.expert_shards = std::max<Int>(run.meshes.efsdp, 1);
  const std::string_view policy = *run.config.fsdp_reshard_after_forward;
  out.keeps_gathered_weights = policy == "never" || (policy == "default" && run.pipelines());
  out.whole_unit_buffers = true;
  out.gathers_root = true;
  // models/llama3/infra/parallelize.py:apply_fsdp gives FSDP2 a CPUOffloadPolicy: parameters, gradients
  // and optimizer states live in host memory, gathered layers on the GPU.
  const bool offloads = *run.config.enable_cpu_offload;
  out.offloaded_optimizer = offloads ? 1 : 0;
  out.offloaded_weights = out.offloaded_gradients = offloads;
  return out;
}

Recompute recompute_of(const TorchTitanRun& run, const ModelShape& model) {
  Recompute out;
  const std::string_view mode = *run.config.ac_mode;
  if (mode == "full") {
    out.granularity = RecomputeGranularity::full;
    out.layers = 1;
  } else if (mode == "selective" && recompute_interval(run) == 0) {
    out.granularity = RecomputeGranularity::selective;
    out.kept_share = kept_by_op_mode;
  } else if (mode == "memory_budget") {
    // The compiler keeps this share of what it would keep without recomputing, the layer's input at least.
    out.granularity = RecomputeGranularity::selective;
    out.kept_share = std::clamp(*run.config.ac_memory_budget, 0.05, 1.0);
  } else if (run.parsed.compiles_model) {
    out.granularity = RecomputeGranularity::selective;
    out.kept_share = kept_share(model, saved_by_compiler);
    out.elementwise_only = true;
  }
  return out;
}

Overlap overlap_of(const TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  Overlap out;
  out.tensor = *config.enable_async_tensor_parallel || (has_turbo(run) && *config.use_turbo_async_tp);
  out.gradient_reduce = out.parameter_gather = true;  // FSDP2 prefetches and reduces on streams of its own
  out.expert = run.parsed.schedule != nullptr && run.parsed.schedule->name == "DualPipeV" &&
               *config.pipeline_parallel_expert_parallel_overlap;
  out.pipeline = true;
  return out;
}

Kernels kernels_of(const TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  Kernels out;
  out.logit_bytes = run.parsed.compiles_loss ? compiled_logit_bytes : logit_bytes;
  // Without loss parallelism each rank of a tensor-parallel group has all logits.
  if (run.tp() > 1 && *config.disable_loss_parallel) out.logit_bytes *= static_cast<double>(run.tp());
  out.transformer_engine = false;
  out.fused_gradients = false;
  out.separate_gradient_buffers = false;
  if (*config.expert_parallel_comm_backend == "deepep") out.dispatch = ExpertDispatch::deep_ep;
  out.compiled = run.parsed.compiles_model;
  out.all_experts_same_load = *config.debug_moe_force_load_balance;
  return out;
}

struct NamedSchedule {
  std::string_view name;
  ScheduleKind kind;
};
/// Source: torch/distributed/pipelining/schedules.py.
constexpr NamedSchedule schedule_kinds[] = {
    {"1F1B", ScheduleKind::one_f_one_b},
    {"GPipe", ScheduleKind::gpipe},
    {"Interleaved1F1B", ScheduleKind::interleaved},
    {"LoopedBFS", ScheduleKind::circular},
    {"InterleavedZeroBubble", ScheduleKind::zero_bubble_1},
    {"ZBVZeroBubble", ScheduleKind::v_zero_bubble},
    {"DualPipeV", ScheduleKind::dual_pipe_v},
};

void describe_schedule(const TorchTitanRun& run, Workload& out) {
  if (!run.pipelines()) return;
  for (const NamedSchedule& schedule : schedule_kinds) {
    if (run.parsed.schedule != nullptr && run.parsed.schedule->name == schedule.name) out.schedule = schedule.kind;
  }
  if (out.schedule == ScheduleKind::none) out.unknown.emplace_back("the pipeline schedule");
  // One micro-batch of the pipeline is a part of the local batch.
  const Int micro = *run.config.pipeline_parallel_microbatch_size;
  if (run.pipeline.micro_batches > 0 && micro > 0) out.run.batch.micro = micro;
}

Optimizer optimizer_of(const TorchTitanRun& run) {
  return equal_ignoring_case(*run.config.optimizer_name, "SGD") ? Optimizer::sgd : Optimizer::adam;
}

/// A flavor holds the dimensions that no key of its own overrides.
WorkloadKeys keys_of(const TorchTitanRun& run) {
  const TorchTitanConfig& config = run.config;
  const RunKey flavor = key_of(config.model_flavor);
  const auto or_flavor = [&flavor](const auto& field) { return field.is_explicit ? key_of(field) : flavor; };
  const bool quantized = run.parsed.converters.float8_linear || run.parsed.converters.mx_linear;
  return {.layers = or_flavor(config.model_n_layers),
          .hidden = or_flavor(config.model_dim),
          .heads = or_flavor(config.model_n_heads),
          .kv_heads = or_flavor(config.model_n_kv_heads),
          .ffn = flavor,
          .vocabulary = flavor,
          .experts = or_flavor(config.model_moe_args),
          .experts_per_token = or_flavor(config.model_moe_args),
          .expert_ffn = flavor,
          .precision = quantized ? key_of(config.model_converters) : key_of(config.mixed_precision_param),
          .gradients = key_of(config.dtype),
          .sharding = key_of(config.data_parallel_shard_degree),
          .recompute = key_of(config.ac_mode),
          .fused_loss = key_of(config.compile_components)};
}

/// What the estimates lack of the model; empty when nothing.
std::string_view unknown_dimensions(const TorchTitanRun& run) {
  const Architecture& model = run.model();
  if (run.parsed.flavor == nullptr || model.dim <= 0 || model.layers <= 0) return "the dimensions of the model";
  const TorchTitanConfig& config = run.config;
  for (const char* key :
       {config.model_dim.key, config.model_n_layers.key, config.model_n_heads.key, config.model_n_kv_heads.key}) {
    if (run.is_unreadable(key)) return "the dimensions of the model";
  }
  if (model.layers > most_layers) return "layers beyond 1,000,000";
  return trouble_with_dimensions({model.dim, model.heads, model.kv_heads, model.vocab, model.experts.count,
                                  model.experts.shared, model.experts.top_k});
}

}  // namespace

Workload workload(const TorchTitanRun& run) {
  Workload out;
  out.run = describe(run);
  out.keys = keys_of(run);
  out.counted_as = FlopsCount::torchtitan;
  out.runtime = Runtime::torch;
  if (run.family() == Family::flux) {
    out.unknown.emplace_back("the cost of an image model");
    return out;
  }
  if (const std::string_view fact = unknown_dimensions(run); !fact.empty()) {
    out.unknown.push_back(fact);
    return out;
  }
  out.model = shape_of(run);
  out.precision = precision_of(run);
  out.sharding = sharding_of(run);
  out.recompute = recompute_of(run, out.model);
  out.overlap = overlap_of(run);
  out.kernels = kernels_of(run);
  out.optimizer = optimizer_of(run);
  out.sequence_parallel = run.tp() > 1;
  describe_schedule(run, out);
  leave_out_unresolved_degrees(out);
  leave_out_impossible_batch(out, "training.local_batch_size", "training.seq_len");
  out.counted_flops_per_token = count_model(run).flops_per_token;
  return out;
}

}  // namespace primus_plan::torchtitan
