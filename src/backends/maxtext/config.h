#pragma once

#include "primus_plan/config/fields.h"

namespace primus_plan::maxtext {

/// The keys of MaxText that decide how a run is parallelised, batched and placed, and those that its own checks read,
/// after all layers of configuration (layers.h). Names are the YAML's; fields.cpp says their types and MaxText's
/// defaults.
struct MaxTextConfig {
  // Mesh: the degrees of each axis inside a slice (ici) and across slices (dcn).
  Count ici_diloco_parallelism, ici_data_parallelism, ici_pipeline_parallelism, ici_fsdp_parallelism,
      ici_fsdp_transpose_parallelism, ici_sequence_parallelism, ici_context_parallelism,
      ici_context_usp_ulysses_parallelism, ici_context_autoregressive_parallelism, ici_tensor_parallelism,
      ici_tensor_sequence_parallelism, ici_expert_parallelism, ici_autoregressive_parallelism, dcn_diloco_parallelism,
      dcn_data_parallelism, dcn_pipeline_parallelism, dcn_fsdp_parallelism, dcn_fsdp_transpose_parallelism,
      dcn_sequence_parallelism, dcn_context_parallelism, dcn_context_usp_ulysses_parallelism,
      dcn_context_autoregressive_parallelism, dcn_tensor_parallelism, dcn_tensor_sequence_parallelism,
      dcn_expert_parallelism, dcn_autoregressive_parallelism;
  // Mesh: what shapes it.
  Word hardware, context_sharding, ulysses_context_sharding, custom_mesh, custom_mesh_and_rule,
      custom_mesh_and_rule_for_eval, shard_mode, elastic_backup_kind, subslice_shape;
  Count num_slices, compile_topology_num_slices;
  Raw mesh_axes, logical_axis_rules, data_sharding;
  Flag override_logical_axis_rules, allow_split_physical_axes, check_vma, shardy, enable_single_controller,
      elastic_enabled, colocated_python_data_input, colocated_python_checkpointing;
  Number sharding_tolerance;
  // Batch, length of training, learning rate.
  Number per_device_batch_size, eval_per_device_batch_size, expansion_factor_real_data, warmup_steps_fraction,
      wsd_decay_steps_fraction, per_device_batch_size_start, per_device_batch_size_increment;
  Count gradient_accumulation_steps, max_target_length, num_vocab_tiling, steps, learning_rate_schedule_steps,
      global_rampup_samples, eval_interval, eval_steps;
  Word lr_schedule_type, wsd_decay_style, opt_type;
  Flag enable_rampup_batch_size, generate_padding_batch_eval;
  // Data.
  Word dataset_type, dataset_name, eval_split, hf_path, hf_eval_split, hf_eval_files, grain_train_files,
      grain_eval_files, grain_train_mixture_config_path, grain_file_type, grain_packing_type, tokenizer_type,
      tokenizer_path, hf_access_token;
  Count grain_worker_count, max_segments_per_seq;
  Flag grain_use_elastic_iterator, packing, use_truncation;
  // Pipeline.
  Count num_layers_per_pipeline_stage, num_pipeline_repeats, pipeline_parallel_layers, num_pipeline_microbatches;
  Flag pipeline_delay_activation_forwarding, pipeline_fsdp_ag_per_repeat, pipeline_fsdp_ag_once, scan_layers,
      scan_layers_per_stage;
  // Model.
  Word model_name, decoder_block, rope_type;
  Flag override_model_config, rope_interleave, rope_pairwise;
  Count global_parameter_scale, base_emb_dim, base_num_query_heads, base_num_kv_heads, base_mlp_dim, base_moe_mlp_dim,
      base_num_decoder_layers, head_dim, global_num_kv_heads, num_kv_shared_layers, vocab_size, rope_max_timescale,
      first_num_dense_layers, interleave_moe_layer_step, inhomogeneous_layer_cycle_interval, mtp_num_layers,
      gdn_num_key_heads, gdn_num_value_heads, moe_expert_input_dim, attention_output_dim;
  Count shared_experts, nope_layer_interval, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim,
      global_head_dim, gdn_conv_kernel_dim, gdn_key_head_dim, gdn_value_head_dim, hidden_size_per_layer_input,
      engram_num_heads, engram_head_dim, engram_max_ngram_size, engram_kernel_size, mhc_expansion_rate,
      indexer_head_dim, trainable_position_size;
  Flag use_double_wide_mlp, logits_via_embedding, attention_bias, mlp_bias, use_qk_norm, use_post_ffw_norm;
  Number final_logits_soft_cap;
  Raw engram_layers, deepstack_visual_indexes_for_vit, compress_ratios, mlp_activations;
  Number partial_rotary_factor;
  // Vision encoder.
  Count num_channels_for_vit, image_size_for_vit, tile_size_for_vit, patch_size_for_vit, hidden_size_for_vit,
      intermediate_size_for_vit, num_hidden_layers_for_vit, projector_input_dim_for_vit, projector_output_dim_for_vit;
  Number pixel_shuffle_ratio_for_vit;
  Flag freeze_vision_encoder_params;
  // Experts.
  Count num_experts, num_experts_per_tok, num_moe_token_chunks, num_moe_emb_chunks, first_num_hash_layers;
  Number capacity_factor, ragged_buffer_factor, routed_bias_update_rate;
  Flag moe_chunk_barrier, use_ring_of_experts, use_ragged_sort, use_random_routing, sparse_matmul, megablox,
      use_tokamax_gmm, use_gmm_v2, shard_exp_on_fsdp, routed_bias, use_batch_split_schedule;
  // Attention and context parallel.
  Word attention, attention_type, context_parallel_strategy, context_parallel_reorder_strategy,
      indexer_cutoff_threshold, training_objective;
  Flag context_parallel_load_balance, use_tokamax_splash, use_jax_splash, force_q_layout, use_qk_clip,
      share_kv_projections, fused_qkv, moba, use_indexer, use_sliced_mla_proj, experimental_sa_quant_q_fp8,
      experimental_sa_quant_k_fp8;
  Count ring_scan_unroll, q_lora_rank, indexer_n_heads, indexer_topk, mla_qk_head_chunk_size, sliding_window_size,
      chunk_attn_window_size;
  MaybeNumber attn_logits_soft_cap;
  Number indexer_loss_scaling_factor;
  // Precision, recompute, kernels.
  Word dtype, grad_dtype, weight_dtype, matmul_precision, quantization, kv_quant_axis, kv_quant_dtype,
      te_comm_gemm_overlap, remat_policy, mu_dtype;
  // remat_policy custom: what becomes of each named tensor.
  Word decoder_layer_input, query_proj, key_proj, value_proj, qkv_proj, kv_proj, query_wa_proj, kv_wa_proj, mla_q,
      mla_kv, context, attention_out, out_proj, mlpwi, mlpwi_0, mlpwi_1, mlpwo, moe_mlpwi_0, moe_mlpwi_1, moe_mlpwo;
  Flag optimizer_memory_host_offload, parameter_memory_host_offload, quantize_kvcache, use_qwix_quantization,
      use_manual_quantization, enable_nnx, pure_nnx, pure_nnx_decoder;
  // Checkpoints, fine-tuning and the rest.
  Flag enable_checkpointing, enable_multi_tier_checkpointing, enable_emergency_checkpoint, enable_diloco,
      enable_streaming_diloco, use_dpo, use_sft, sft_train_on_completion_only, use_multimodal, enable_mhc_lite,
      use_mhc_pallas_kernel;
  Word load_parameters_path, load_full_state_path, source_checkpoint_layout, local_checkpoint_directory, profiler,
      decode_sampling_strategy, distill_alpha_schedule, distill_temperature_schedule, distill_beta_schedule,
      distill_feature_loss_type;
  Count checkpoint_period, local_checkpoint_period, log_period;
  Flag enable_tensorboard, gcs_metrics;
  MaybeCount multi_tier_checkpointing_backup_interval_minutes, multi_tier_checkpointing_backup_interval_steps,
      num_diloco_fragments;
  Number distill_beta;
  MaybeNumber distill_alpha_end, distill_temperature_end, distill_beta_end;
};

}  // namespace primus_plan::maxtext
