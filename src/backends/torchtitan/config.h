#pragma once

#include "primus_plan/config/fields.h"

namespace primus_plan::torchtitan {

/// TorchTitan's JobConfig and what Primus adds to it. Members carry the keys' own names; a section's name stands in
/// front where two sections share a key. Keys that may hold several types (lists, mappings) are Raw; text of `str |
/// None` keys is null when its data() is. Source: torchtitan/config/job_config.py (v0.2.2),
/// primus/backends/torchtitan/primus_turbo_extensions/config_extension.py.
struct TorchTitanConfig {
  // Parallel degrees, sharding, pipeline.
  Flag disable_loss_parallel, enable_async_tensor_parallel, pipeline_parallel_expert_parallel_overlap;
  Count context_parallel_degree, data_parallel_replicate_degree, data_parallel_shard_degree, expert_parallel_degree,
      expert_tensor_parallel_degree, pipeline_parallel_degree, pipeline_parallel_first_stage_less_layers,
      pipeline_parallel_last_stage_less_layers, pipeline_parallel_microbatch_size, tensor_parallel_degree;
  MaybeCount pipeline_parallel_layers_per_stage;
  Word context_parallel_load_balancer, context_parallel_rotate_method, expert_parallel_comm_backend,
      fsdp_reshard_after_forward, pipeline_parallel_schedule, pipeline_parallel_schedule_csv;
  Raw module_fqns_per_model_part;
  // Batch, length, precision, data.
  Flag training_dataloader_persistent_workers, training_dataloader_pin_memory, enable_cpu_offload, gc_debug, mock_data;
  Count training_dataloader_num_workers, gc_freq, global_batch_size, local_batch_size, seq_len, steps;
  MaybeCount training_dataloader_prefetch_factor;
  Number max_norm;
  Word dataset, dataset_path, dtype, mixed_precision_param, mixed_precision_reduce;
  // Recompute.
  Flag ac_debug, ac_early_stop, ac_preserve_rng_state, ac_visualize_memory_budget_pareto;
  Number ac_memory_budget;
  Word ac_determinism_check, ac_mode, ac_selective_ac_option;
  Raw ac_per_op_sac_force_recompute_mm_shapes_by_fqns;
  // Model: the flavor and the architecture fields that Primus lets override it.
  Flag model_enable_weight_tying, model_moe_enabled, model_print_after_conversion;
  MaybeCount model_dim, model_head_dim, model_hidden_dim, model_inter_dim, model_kv_lora_rank, model_moe_inter_dim,
      model_n_dense_layers, model_max_seq_len, model_n_heads, model_n_kv_heads, model_n_layers, model_q_lora_rank,
      model_qk_nope_head_dim, model_qk_rope_head_dim, model_v_head_dim, model_vocab_size;
  MaybeNumber model_rope_theta;
  Word model_attn_type, model_flavor, model_hf_assets_path, model_name, model_tokenizer_path;
  Raw model_converters, model_moe_args;
  // Compile.
  Flag compile_enable;
  Word compile_backend;
  Raw compile_components;
  // Quantization.
  Flag float8_emulate, float8_enable_fsdp_float8_all_gather, float8_precompute_float8_dynamic_scale_for_fsdp;
  Word grouped_mx_recipe_name, float8_recipe_name, mx_mxfp8_dim1_cast_kernel_choice, mx_recipe_name;
  Raw grouped_float8_fqns, grouped_mx_fqns, float8_filter_fqns, mx_filter_fqns;
  // Primus-Turbo: Primus's own section.
  Flag enable_attention_float8, enable_embedding_autocast, enable_primus_turbo, use_classic_attention, use_moe_fp8,
      use_turbo_async_tp, use_turbo_attention, use_turbo_float8_linear, use_turbo_grouped_mm, use_turbo_mx_linear;
  // Optimizer.
  Flag optimizer_early_step_in_backward;
  Number optimizer_beta1, optimizer_beta2, optimizer_eps, optimizer_lr, optimizer_weight_decay;
  Word optimizer_implementation, optimizer_name;
  // Learning rate.
  Count lr_scheduler_warmup_steps;
  MaybeCount lr_scheduler_total_steps;
  Number lr_scheduler_min_lr_factor;
  MaybeNumber lr_scheduler_decay_ratio;
  Word lr_scheduler_decay_type;
  // Validation.
  Flag validation_dataloader_persistent_workers, validation_dataloader_pin_memory, validation_enable;
  Count validation_dataloader_num_workers, validation_freq, validation_local_batch_size, validation_seq_len,
      validation_steps;
  MaybeCount validation_dataloader_prefetch_factor;
  Word validation_dataset, validation_dataset_path;
  // Checkpoints.
  Flag checkpoint_create_seed_checkpoint, checkpoint_enable, checkpoint_enable_first_step_checkpoint,
      checkpoint_enable_ft_dataloader_checkpoints, checkpoint_initial_load_in_hf,
      checkpoint_initial_load_in_hf_quantized, checkpoint_initial_load_model_only, checkpoint_last_save_in_hf,
      checkpoint_last_save_model_only, checkpoint_load_only;
  Count checkpoint_interval, checkpoint_keep_latest_k, checkpoint_load_step;
  Word checkpoint_async_mode, checkpoint_export_dtype, checkpoint_folder, checkpoint_initial_load_path;
  Raw checkpoint_exclude_from_loading;
  // Process groups.
  Count comm_init_timeout_seconds, comm_trace_buf_size, comm_train_timeout_seconds;
  Word comm_mode, comm_save_traces_file_prefix, comm_save_traces_folder;
  // Debugging.
  Flag debug_deterministic, debug_deterministic_warn_only, debug_moe_force_load_balance;
  MaybeCount debug_seed;
  // Imports.
  Word experimental_custom_args_module, experimental_custom_import;
  // Job.
  Flag job_print_config;
  Word job_config_file, job_custom_config_module, job_description, job_dump_folder, job_save_config_file;
  // Metrics.
  Flag metrics_disable_color_printing, metrics_enable_tensorboard, metrics_enable_wandb, metrics_save_for_all_ranks;
  Count metrics_log_freq;
  Word metrics_save_tb_folder;
  // Profiling.
  Flag profiling_enable_memory_snapshot, profiling_enable_profiling;
  Count profiling_profile_freq, profiling_profiler_active, profiling_profiler_warmup;
  Word profiling_save_memory_snapshot_folder, profiling_save_traces_folder;
  // Fault tolerance.
  Flag fault_tolerance_enable;
  Count fault_tolerance_group_size, fault_tolerance_min_replica_size, fault_tolerance_process_group_timeout_ms,
      fault_tolerance_replica_id;
  Word fault_tolerance_process_group, fault_tolerance_semi_sync_method;
  // Memory estimation.
  Flag memory_estimation_disable_fake_mode, memory_estimation_enable;

  std::vector<BadValue> bad_values;  ///< values of a type that TorchTitan does not expect
};

}  // namespace primus_plan::torchtitan
