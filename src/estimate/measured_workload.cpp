#include <algorithm>
#include <cmath>
#include <string_view>

#include "estimate/pipeline_orders.h"
#include "primus_plan/estimate/measured.h"

namespace primus_plan {
namespace {

/// What the frameworks of the table do when the publication does not say otherwise.
enum class Family { megatron, fsdp, xla };

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Family family_of(const MeasuredRow& row) {
  if (has(row.framework, "MaxText")) return Family::xla;
  for (const std::string_view name : {"TorchTitan", "AutoModel", "FSDP", "DDP", "Meta"}) {
    if (has(row.framework, name)) return Family::fsdp;
  }
  return Family::megatron;
}

/// GPT as Megatron builds it by default: LayerNorm, biases, learned positions, GELU. MPT (Composer) has no biases.
bool is_gpt_style(const MeasuredRow& row, Family family) { return !row.gated && family == Family::megatron; }

/// fp16 came to its end with the A100's first software: before flash attention and fused kernels, with dropout.
bool is_early_stack(const MeasuredRow& row, Family family) {
  return is_gpt_style(row, family) && row.precision == "FP16";
}

constexpr std::int64_t most_ranks = 1 << 16;  ///< of one dimension, so that products stay exact

std::int64_t at_least_one(std::int64_t degree) { return std::clamp<std::int64_t>(degree, 1, most_ranks); }

ModelShape shape_of(const MeasuredRow& row, Family family) {
  ModelShape m;
  m.layers = row.layers;
  m.hidden = row.hidden;
  m.vocabulary = row.vocabulary;
  const std::int64_t multiple = family == Family::megatron ? 128 * at_least_one(row.tensor) : 1;
  m.padded_vocabulary = (row.vocabulary + multiple - 1) / multiple * multiple;
  m.tied_embeddings = row.tied;
  if (!row.gated) m.learned_positions = row.sequence_length;
  m.biases = m.layer_norm_bias = is_gpt_style(row, family);
  m.heads = row.heads;
  m.kv_heads = row.kv_heads > 0 ? row.kv_heads : row.heads;
  m.head_width = m.value_width = row.head_width > 0 ? row.head_width : row.heads > 0 ? row.hidden / row.heads : 0;
  if (row.latent_attention) {
    m.q_rank = row.q_rank;
    m.kv_rank = row.kv_rank;
    m.nope_width = 128;
    m.rope_width = 64;
    m.head_width = 192;
    m.value_width = 128;
  }
  m.ffn = row.ffn;
  m.gated = row.gated;
  m.experts = row.experts;
  m.experts_per_token = row.experts_per_token;
  m.expert_ffn = row.expert_ffn;
  m.shared_ffn = row.shared_ffn;
  if (has(row.note, "MTP included") && !has(row.note, "variant=w/o MTP")) m.mtp_depth = 1;

  const Mixer mixer = row.latent_attention ? Mixer::latent_attention : Mixer::attention;
  const std::int64_t dense = row.experts > 0 ? std::min(row.leading_dense_layers, row.layers) : row.layers;
  if (dense > 0) m.kinds.push_back({.count = dense, .mixer = mixer, .feed_forward = FeedForward::dense});
  if (row.layers > dense) {
    m.kinds.push_back({.count = row.layers - dense, .mixer = mixer, .feed_forward = FeedForward::experts});
  }
  return m;
}

void set_capacity(const MeasuredRow& row, ModelShape& m) {
  // "capacity 1 padded", "cf1.25", "cf4".
  const std::string_view text = row.balance;
  const std::size_t at = text.starts_with("cf") ? 2 : text.starts_with("capacity ") ? 9 : 0;
  if (at > 0) m.capacity_factor = std::strtod(row.balance.c_str() + at, nullptr);
}

Precision precision_of(const MeasuredRow& row, Family family) {
  Precision p;
  const std::string_view text = row.precision;
  if (has(text, "FP32") || has(text, "fp32")) {
    p.compute = p.weights = NumberFormat::fp32;
    p.separate_main_weights = false;
  }
  if (has(text, "FP16")) p.compute = p.weights = NumberFormat::fp16;
  if (has(text, "FP8") || has(text, "fp8")) {
    p.compute = NumberFormat::fp8;
    p.recipe = has(text, "MX") ? ScalingRecipe::microscaling : ScalingRecipe::per_tensor;
    if (has(row.note, "block-wise")) p.recipe = ScalingRecipe::blockwise;
    // Megatron-Bridge training/mixed_precision.py: its fp8 recipes, blockwise aside, keep the weights in fp8.
    const bool primary = has(row.framework, "Bridge") && p.recipe != ScalingRecipe::blockwise;
    if (primary) p.weights = NumberFormat::fp8;
    p.transposed_fp8_weights = primary;
    p.cached_fp8_weights = family == Family::megatron && !primary;
  }
  if (has(text, "FP4")) {
    p.compute = NumberFormat::fp4;
    p.recipe = ScalingRecipe::microscaling;
  }
  if (family != Family::megatron) {
    p.weights = NumberFormat::fp32;
    p.separate_main_weights = false;
  }
  // The performance recipes of Megatron-Bridge and of NeMo (with fp8) set grad_reduce_in_fp32 = False.
  const bool narrow = has(row.framework, "Bridge") || (has(row.framework, "NeMo") && p.compute == NumberFormat::fp8);
  if (narrow && family == Family::megatron) p.gradients = NumberFormat::bf16;
  return p;
}

Sharding sharding_of(const MeasuredRow& row, Family family, const Degrees& degrees) {
  Sharding s;
  const std::string_view state = row.state;
  const bool fsdp = has(state, "fsdp") || (state.empty() && family != Family::megatron);
  if (fsdp) s.state = StateSharding::weights;
  if (has(state, "SHARD_GRAD_OP") || has(state, "zero1/2")) s.keeps_gathered_weights = true;
  if (!fsdp && state != "ddp" && !(state.empty() && degrees.data == 1)) s.state = StateSharding::optimizer;
  if (has(row.framework, "DDP")) s.state = StateSharding::none;
  s.whole_unit_buffers = fsdp;
  s.gathers_root = fsdp && family == Family::fsdp;
  // FSDP2 under a pipeline keeps the weights gathered (TorchTitan's default reshard policy).
  if (s.gathers_root && degrees.pipeline > 1) s.keeps_gathered_weights = true;
  const std::int64_t replicas = degrees.data * degrees.context;
  s.dense_shards = fsdp && row.fsdp > 0 ? std::min(row.fsdp * degrees.context, replicas) : replicas;
  s.dense_shards = at_least_one(s.dense_shards);
  s.replicas = at_least_one(replicas / s.dense_shards);
  s.expert_shards = at_least_one(degrees.expert_data);
  return s;
}

Recompute recompute_of(const MeasuredRow& row, Family family) {
  Recompute r;
  std::string_view text = row.recompute;
  if (text.starts_with("recipe@HEAD:")) {
    text.remove_prefix(12);
    // Megatron-Bridge's recipes recompute modules, never whole layers: "full" is the scope of their CUDA graphs.
    if (text.starts_with("full")) return r;
  }
  text = text.substr(0, text.find(';'));  // several variants of a recipe: the first
  if (text.empty() || text == "none" || text == "?" || text == "any") return r;
  if (text.starts_with("full")) {
    r.granularity = RecomputeGranularity::full;
    r.layers = 1;
    return r;
  }
  r.granularity = RecomputeGranularity::selective;
  if (text.starts_with("selective") && family == Family::fsdp) {
    r.kept_share = 0.45;  // every second matmul and the attention output stay: TorchTitan's op mode
    return r;
  }
  if (text.starts_with("selective")) r.core_attention = true;
  r.layer_norm = has(text, "norm");
  r.latent_up_projection = has(text, "mla_up_proj");
  r.expert_activation = has(text, "moe_act") || has(text, ", act");
  r.dense_ffn = has(text, "mlp");
  r.experts = has(text, ",moe") || has(text, "\"moe\"");
  r.shared_experts = has(text, "shared_experts");
  return r;
}

ScheduleKind schedule_of(const MeasuredRow& row, const Degrees& degrees) {
  if (degrees.pipeline <= 1) return ScheduleKind::none;
  struct Named {
    std::string_view part;
    ScheduleKind kind;
  };
  constexpr Named names[] = {
      {"v-half", ScheduleKind::v_half},          {"v-min", ScheduleKind::v_min},
      {"zbv", ScheduleKind::v_zero_bubble},      {"zero-bubble", ScheduleKind::zero_bubble_1},
      {"DualPipe", ScheduleKind::dual_pipe_v},   {"GPipe", ScheduleKind::gpipe},
      {"nterleaved", ScheduleKind::interleaved},
  };
  for (const Named& named : names) {
    if (has(row.schedule, named.part)) return named.kind;
  }
  return degrees.virtual_pipeline > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
}

/// Layers as evenly as they go; where they do not, the ends of the model, which have more to do, get fewer. Prediction
/// layers and the loss fill the last chunk, as in Megatron-Bridge's layouts of DeepSeek-V3 ("Et*4|(t*4|)*14tmL").
std::int64_t layers_of_chunk(const ModelShape& model, std::int64_t chunks, std::int64_t index) {
  const std::int64_t layers = model.layers;
  if (model.mtp_depth > 0 && chunks > 1) {
    const std::int64_t full = (layers + model.mtp_depth + chunks) / chunks;
    const std::int64_t missing = full * chunks - layers;
    const std::int64_t at_end = std::min({missing, full, model.mtp_depth + 2});
    if (missing - at_end <= full) {
      if (index == chunks - 1) return full - at_end;
      return index == 0 ? full - (missing - at_end) : full;
    }
  }
  const std::int64_t extra = layers % chunks;
  const std::int64_t first = (chunks - extra + 1) / 2;
  return layers / chunks + (index >= first && index < first + extra ? 1 : 0);
}

std::vector<std::vector<StageChunk>> stages_of(const ModelShape& model, const Degrees& degrees, bool folded) {
  const std::int64_t p = degrees.pipeline;
  const std::int64_t v = degrees.virtual_pipeline;
  std::vector<std::vector<StageChunk>> stages(static_cast<std::size_t>(p));
  std::int64_t first_layer = 0;
  for (std::int64_t i = 0; i < p * v; ++i) {
    const std::int64_t round = i / p;
    const std::int64_t rank = folded && round % 2 == 1 ? p - 1 - i % p : i % p;
    StageChunk chunk;
    chunk.first_layer = first_layer;
    chunk.layers = layers_of_chunk(model, p * v, i);
    chunk.embedding = i == 0;
    chunk.loss = i == p * v - 1;
    chunk.mtp_layers = chunk.loss ? model.mtp_depth : 0;
    first_layer += chunk.layers;
    stages[static_cast<std::size_t>(rank)].push_back(chunk);
  }
  return stages;
}

RunDescription run_of(const MeasuredRow& row, Family family) {
  RunDescription run;
  run.launch.world_size = row.gpus;
  // Grace Blackwell trays hold four GPUs, everything else of the table eight.
  run.launch.gpus_per_node = std::min<std::int64_t>(row.gpu.starts_with("GB") ? 4 : 8, at_least_one(row.gpus));
  run.launch.nodes = (row.gpus + run.launch.gpus_per_node - 1) / run.launch.gpus_per_node;
  Degrees& d = run.degrees;
  d.tensor = at_least_one(row.tensor);
  d.pipeline = at_least_one(row.pipeline);
  d.context = at_least_one(row.context);
  d.expert = at_least_one(row.expert);
  // Where the publication is silent, experts are not split over tensor-parallel ranks once expert parallel is on.
  d.expert_tensor = row.expert_tensor > 0 ? at_least_one(row.expert_tensor) : d.expert > 1 ? 1 : d.tensor;
  d.virtual_pipeline = at_least_one(row.virtual_pipeline);
  const bool chunked = has(row.schedule, "nterleaved") || has(row.schedule, "DualPipe") || has(row.schedule, "v-") ||
                       has(row.schedule, "zbv");
  if (chunked && d.pipeline > 1) d.virtual_pipeline = std::max<std::int64_t>(2, d.virtual_pipeline);
  if (d.pipeline == 1) d.virtual_pipeline = 1;
  d.data = at_least_one(row.data > 0 ? row.data : row.gpus / (d.tensor * d.pipeline * d.context));
  d.data_shard = d.data;
  d.data_replicate = 1;
  d.expert_data = at_least_one(d.data * d.context * d.tensor / (d.expert * d.expert_tensor));

  Batch& b = run.batch;
  b.micro = row.micro_batch;
  b.global = row.global_batch;
  b.sequence_length = row.sequence_length;
  b.accumulation_steps = row.accumulation_steps;
  const std::int64_t local = b.global / at_least_one(d.data);
  if (b.micro == 0 && family == Family::fsdp && d.pipeline > 1 && local > 0) {
    // TorchTitan (late 2024) cut the local batch into as many micro-batches as the pipeline has stages:
    // torchtitan/config_manager.py, pipeline_parallel_microbatches.
    b.pipeline_micro_batches = std::min(local, d.pipeline * d.virtual_pipeline);
    b.micro = std::max<std::int64_t>(1, local / b.pipeline_micro_batches);
    b.accumulation_steps = 1;
  }
  if (family == Family::fsdp && d.pipeline > 1 && b.micro > 0 && b.accumulation_steps > 0) {
    // The local batch of each accumulation step is cut into micro-batches, and the pipeline drains after it.
    b.pipeline_micro_batches =
        std::max<std::int64_t>(b.pipeline_micro_batches, local / (b.micro * b.accumulation_steps));
  }
  if (b.accumulation_steps == 0 && b.micro > 0) b.accumulation_steps = std::max<std::int64_t>(1, local / b.micro);
  return run;
}

Kernels kernels_of(const MeasuredRow& row, Family family) {
  Kernels k;
  const std::string_view note = row.note;
  const bool early = is_early_stack(row, family);
  k.flash_attention = !early;
  k.dropout = early;
  k.transformer_engine = family == Family::megatron && !early;
  // NeMo's recipes fuse the loss; Megatron and Primus do when asked.
  k.fused_loss = has(row.framework, "Bridge") || has(row.framework, "NeMo/") || has(note, "fused CE") ||
                 (has(note, "loss") && !has(note, "no loss")) || note.starts_with("+");
  k.logit_bytes = family == Family::megatron ? 10 : family == Family::fsdp ? 12 : 8;
  k.compiled = family == Family::xla || (has(note, "compile") && !has(note, "compile off"));
  k.separate_gradient_buffers = family == Family::megatron;
  k.fused_gradients = family == Family::megatron;
  const bool deep_ep = has(note, "DeepEP") || has(note, "HybridEP") || row.balance == "deepep";
  if (deep_ep) k.dispatch = ExpertDispatch::deep_ep;
  k.context_all_to_all = has(note, "cp_comm a2a");
  k.all_experts_same_load = row.balance == "forced" || has(row.balance, "capacity") || has(row.balance, "token-drop");
  return k;
}

Overlap overlap_of(const MeasuredRow& row) {
  Overlap o;
  const bool none = has(row.state, "no overlap");
  o.gradient_reduce = o.parameter_gather = !none;
  // NeMo's and Megatron-Bridge's recipes turn tp_comm_overlap on; MegaScale fuses the exchanges with the products
  // around them (Jiang et al. 2024, section 3.2).
  o.tensor = has(row.note, "sync TP") || has(row.note, "AsyncTP") || has(row.framework, "Bridge") ||
             has(row.framework, "NeMo") || has(row.framework, "MegaScale");
  o.expert = has(row.note, "1f1b overlap");
  o.pipeline = true;
  return o;
}

void list_unknown(const MeasuredRow& row, Workload& w) {
  if (row.layers == 0 || row.hidden == 0 || row.vocabulary == 0) w.unknown.emplace_back("model dimensions");
  if (row.heads == 0) w.unknown.emplace_back("attention heads");
  for (const LayerKind& kind : w.model.kinds) {
    const bool is_dense = kind.feed_forward == FeedForward::dense;
    if ((is_dense ? row.ffn : row.expert_ffn) == 0)
      w.unknown.emplace_back(is_dense ? "feed-forward width" : "feed-forward width of an expert");
  }
  if (row.experts > 0 && row.experts_per_token == 0) w.unknown.emplace_back("experts of a token");
  if (w.run.batch.micro == 0) w.unknown.emplace_back("micro-batch size");
  if (row.sequence_length == 0) w.unknown.emplace_back("sequence length");
  if (row.gpus == 0) w.unknown.emplace_back("number of GPUs");
}

}  // namespace

Workload workload_of_row(const MeasuredRow& row) {
  const Family family = family_of(row);
  Workload w;
  w.run = run_of(row, family);
  w.model = shape_of(row, family);
  set_capacity(row, w.model);
  w.run.experts = row.experts;
  w.precision = precision_of(row, family);
  w.sharding = sharding_of(row, family, w.run.degrees);
  w.recompute = recompute_of(row, family);
  w.overlap = overlap_of(row);
  w.kernels = kernels_of(row, family);
  w.schedule = schedule_of(row, w.run.degrees);
  w.run.schedule = w.schedule == ScheduleKind::none          ? PipelineSchedule::none
                   : w.schedule == ScheduleKind::one_f_one_b ? PipelineSchedule::one_f_one_b
                   : w.schedule == ScheduleKind::gpipe       ? PipelineSchedule::gpipe
                   : w.schedule == ScheduleKind::interleaved ? PipelineSchedule::interleaved
                                                             : PipelineSchedule::zero_bubble;
  if (w.run.degrees.pipeline * w.run.degrees.virtual_pipeline <= most_ranks) {
    w.run.stages = stages_of(w.model, w.run.degrees, is_v_shaped(w.schedule));
  }
  w.sequence_parallel =
      row.states_sequence_parallel ? row.sequence_parallel : w.run.degrees.tensor > 1 && family != Family::megatron;
  w.counted_as = family == Family::xla    ? FlopsCount::maxtext
                 : family == Family::fsdp ? FlopsCount::torchtitan
                                          : FlopsCount::megatron;
  w.runtime = family == Family::xla ? Runtime::xla : Runtime::torch;
  list_unknown(row, w);
  return w;
}

}  // namespace primus_plan
