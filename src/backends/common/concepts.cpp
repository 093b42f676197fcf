#include "backends/common/concepts.h"

namespace primus_plan {
namespace {

constexpr std::string_view under_override_model = "under override_model when model_name is set";
constexpr std::string_view removed_axis =
    "the tensor_transpose axis was removed in upstream MaxText 0.2.4; an older fork may still know it";
constexpr std::string_view counts_all_devices = "it counts all devices, those of tensor and pipeline parallel too";

constexpr Concept table[] = {
    // Degrees.
    {"tp tensor_parallel_size tensor_parallelism ici_model_parallelism",
     {"tensor_model_parallel_size"},
     {"parallelism.tensor_parallel_degree"},
     {"ici_tensor_parallelism"}},
    {"pp pipeline_parallel_size pipeline_parallelism",
     {"pipeline_model_parallel_size"},
     {"parallelism.pipeline_parallel_degree"},
     {"ici_pipeline_parallelism", "dcn_pipeline_parallelism across nodes"}},
    {"cp context_parallelism",
     {"context_parallel_size"},
     {"parallelism.context_parallel_degree"},
     {"ici_context_parallelism", "dcn_context_parallelism across nodes"}},
    {"ep expert_parallel_size expert_parallelism",
     {"expert_model_parallel_size"},
     {"parallelism.expert_parallel_degree"},
     {"ici_expert_parallelism", "dcn_expert_parallelism across nodes"}},
    {"etp",
     {"expert_tensor_parallel_size"},
     {"parallelism.expert_tensor_parallel_degree"},
     {"", "MaxText's tensor axis splits experts too"}},
    {"data_parallel_replicate",
     {"data_parallel_replicate_degree"},
     {"parallelism.data_parallel_replicate_degree"},
     {"ici_data_parallelism", "dcn_data_parallelism across nodes"}},
    {"dp fsdp data_parallel_size data_parallel_degree",
     {"", "the data-parallel size is what TP, PP and CP leave of the world"},
     {"parallelism.data_parallel_shard_degree"},
     {"ici_fsdp_parallelism", "dcn_fsdp_parallelism across nodes"}},
    {"ici_tensor_transpose_parallelism dcn_tensor_transpose_parallelism",
     {"tensor_model_parallel_size"},
     {"parallelism.tensor_parallel_degree"},
     {"", removed_axis}},
    {"interleaved_stages virtual_pipeline_parallel_size",
     {"num_virtual_stages_per_pipeline_rank"},
     {"parallelism.pipeline_parallel_schedule", "its name says how many stages a rank holds"},
     {"num_pipeline_repeats"}},
    {"", {"sequence_parallel"}, {"", "TorchTitan's tensor parallelism always splits sequences"}, {""}},
    // Batch and length of training.
    {"per_device_train_batch_size",
     {"micro_batch_size"},
     {"training.local_batch_size"},
     {"per_device_batch_size", counts_all_devices}},
    {"batch_size", {"micro_batch_size"}, {"training.local_batch_size"}, {"per_device_batch_size", counts_all_devices}},
    {"train_batch_size",
     {"global_batch_size"},
     {"training.global_batch_size"},
     {"", "the global batch follows from devices x per_device_batch_size x gradient_accumulation_steps"}},
    {"num_microbatches grad_accum_steps",
     {"", "accumulation steps follow from global_batch_size / (micro_batch_size x data-parallel size)"},
     {"", "accumulation steps follow from training.global_batch_size / (local_batch_size x data-parallel degree)"},
     {"gradient_accumulation_steps"}},
    {"sequence_length max_seq_len max_seq_length context_length",
     {"seq_length"},
     {"training.seq_len"},
     {"max_target_length"}},
    {"max_steps num_train_steps training_steps", {"train_iters"}, {"training.steps"}, {"steps"}},
    // Optimizer.
    {"peak_lr max_lr", {"lr"}, {"optimizer.lr"}, {"learning_rate"}},
    {"max_grad_norm grad_clip", {"clip_grad"}, {"training.max_norm"}, {"gradient_clipping_threshold"}},
    {"warmup_iters", {"lr_warmup_iters"}, {"lr_scheduler.warmup_steps"}, {"warmup_steps_fraction"}},
    // Recompute.
    {"activation_checkpointing gradient_checkpointing remat checkpoint_policy",
     {"recompute_granularity"},
     {"activation_checkpoint.mode"},
     {"remat_policy"}},
    // Model.
    {"num_hidden_layers n_layer",
     {"num_layers"},
     {"model.n_layers"},
     {"base_num_decoder_layers", under_override_model}},
    {"d_model embedding_dim", {"hidden_size"}, {"model.dim"}, {"base_emb_dim", under_override_model}},
    {"intermediate_size d_ff", {"ffn_hidden_size"}, {"model.hidden_dim"}, {"base_mlp_dim", under_override_model}},
    {"num_heads n_head", {"num_attention_heads"}, {"model.n_heads"}, {"base_num_query_heads", under_override_model}},
    {"num_key_value_heads num_kv_heads",
     {"num_query_groups"},
     {"model.n_kv_heads"},
     {"base_num_kv_heads", under_override_model}},
    {"num_local_experts n_routed_experts",
     {"num_experts"},
     {"", "the flavor decides the number of experts"},
     {"num_experts"}},
    {"top_k moe_top_k", {"moe_router_topk"}, {"", "the flavor decides it"}, {"num_experts_per_tok"}},
    {"moe_force_load_balancing",
     {"moe_router_force_load_balancing"},
     {"debug.moe_force_load_balance"},
     {"use_random_routing"}},
    {"debug_moe_force_load_balance",
     {"moe_router_force_load_balancing"},
     {"debug.moe_force_load_balance"},
     {"use_random_routing"}},
    // Names that one framework gave up.
    {"float8", {"fp8"}, {"quantize.linear.float8"}, {"quantization"}},
    {"mx", {""}, {"quantize.linear.mx"}, {"quantization"}},
    {"enable_checkpoint", {"save"}, {"checkpoint.enable"}, {"enable_checkpointing"}},
    {"model_weights_only", {""}, {"checkpoint.last_save_model_only"}, {""}},
    {"enable_color_printing", {""}, {"metrics.disable_color_printing", "it says the opposite"}, {""}},
    {"parallelism",
     {"", "Megatron's keys are flat"},
     {""},
     {"", "MaxText's keys are flat: ici_fsdp_parallelism, ici_tensor_parallelism, ..."}},
    {"expert_shard_attention_option", {""}, {""}, {"custom_mesh_and_rule", "replaced by its value ep-as-cp"}},
};

}  // namespace

std::span<const Concept> concepts() { return table; }

}  // namespace primus_plan
