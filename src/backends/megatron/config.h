#pragma once

#include "primus_plan/config/fields.h"

namespace primus_plan::megatron {

/// Every key of the merged experiment that a derivation, a rule, the layout or an estimate reads. Members carry the
/// keys' own names; defaults are Megatron's (its argument parser, or the getattr fallback of Primus's own keys), see
/// fields.cpp. Keys that may hold several types (lists, strings parsed later) are Raw.
struct MegatronConfig {
  // Parallel degrees and rank order.
  Flag data_parallel_random_init, hybrid_context_parallel, sequence_parallel, use_sharp, use_tp_pp_dp_mapping;
  Count context_parallel_size, expert_model_parallel_size, pipeline_model_parallel_size, tensor_model_parallel_size;
  MaybeCount data_parallel_replicate_degree, expert_tensor_parallel_size, max_seqlen_per_dp_cp_rank,
      num_distributed_optimizer_instances;
  Word pipeline_model_parallel_comm_backend, sharp_enabled_group;
  Raw cp_comm_type, hierarchical_context_parallel_sizes;
  // Batch, length of training, learning rate.
  Flag create_attention_mask_in_dataloader, decoupled_weight_decay, decrease_batch_size_if_needed, full_validation,
      manual_gc, override_opt_param_scheduler, skip_train, use_checkpoint_opt_param_scheduler, variable_seq_lengths;
  Count manual_gc_interval;
  MaybeCount decoder_seq_length, distributed_timeout_minutes, encoder_seq_length, eval_interval, eval_iters,
      global_batch_size, lr_decay_iters, lr_decay_samples, lr_warmup_iters, lr_warmup_samples, lr_wsd_decay_iters,
      lr_wsd_decay_samples, max_position_embeddings, micro_batch_size, seq_length, train_iters, train_samples;
  Number lr_warmup_init, weight_decay;
  MaybeNumber decoupled_lr, end_weight_decay, lr, lr_warmup_fraction, min_lr, start_weight_decay;
  Word lr_decay_style, weight_decay_incr_style;
  Raw phase_transition_iterations, rampup_batch_size;
  // Pipeline stages and schedules.
  Flag account_for_embedding_in_pipeline_split, account_for_loss_in_pipeline_split, align_param_gather, batch_p2p_comm,
      deallocate_pipeline_outputs, defer_embedding_wgrad_compute, delay_wgrad_compute, dump_pp_data, enable_1f1b_v,
      enable_zb_runtime, enable_zero_bubble, offload, optimizer_cpu_offload, overlap_p2p_comm,
      overlap_p2p_comm_warmup_flush, patch_primus_pipeline, patch_zero_bubble, tp_comm_bulk_wgrad,
      zero_bubble_v_schedule;
  Count wgrad_deferral_limit;
  MaybeCount decoder_first_pipeline_num_layers, decoder_last_pipeline_num_layers, microbatch_group_size_per_vp_stage,
      num_layers_in_first_pipeline_stage, num_layers_in_last_pipeline_stage, num_layers_per_virtual_pipeline_stage,
      num_microbatches_with_partial_activation_checkpoints, num_virtual_stages_per_pipeline_rank,
      virtual_pipeline_model_parallel_size;
  Word pp_algorithm;
  Raw decoder_pipeline_manual_split_list, encoder_pipeline_model_parallel_size, interleave_group_size, num_seq_splits,
      pipeline_model_parallel_layout, pipeline_model_parallel_split_rank, standalone_embedding_stage,
      zero_bubble_adaptive_memory_limit_percentile, zero_bubble_max_pending_backward;
  // Mixture of experts.
  Flag moe_enable_deepep, moe_grouped_gemm, moe_layer_recompute, moe_pad_expert_input_to_capacity,
      moe_pad_experts_for_cuda_graph_inference, moe_permute_fusion, moe_router_enable_expert_bias,
      moe_router_force_load_balancing, moe_router_fusion, moe_router_padding_for_fp8,
      moe_router_padding_for_quantization, moe_router_pre_softmax, moe_shared_expert_overlap,
      moe_use_fused_router_with_aux_score, moe_use_legacy_grouped_gemm, moe_use_upcycling,
      overlap_moe_expert_parallel_comm, patch_moe_overlap, use_turbo_deepep, use_turbo_mega_moe;
  MaybeCount moe_ffn_hidden_size, moe_latent_size, moe_router_group_topk, moe_router_num_groups, moe_router_topk,
      moe_router_topk_limited_devices, moe_shared_expert_intermediate_size, num_experts, num_moe_experts,
      turbo_deepep_num_cu;
  MaybeNumber moe_expert_capacity_factor;
  Word moe_flex_dispatcher_backend, moe_router_dtype, moe_router_score_function, moe_token_dispatcher_type,
      turbo_mega_moe_precision;
  Raw moe_aux_loss_coeff, moe_extended_tp, moe_layer_freq, moe_router_load_balancing_type, turbo_sync_free_moe_stage;
  // Primus-Turbo.
  Flag enable_primus_turbo, turbo_grouped_gemm_without_padding, use_sink_attention, use_turbo_attention,
      use_turbo_fused_act_with_probs, use_turbo_gemm, use_turbo_grouped_gemm, use_turbo_grouped_mlp,
      use_turbo_parallel_linear, use_turbo_rms_norm;
  // Multi-token prediction, MLA, linear attention, hybrid models.
  Flag attention_output_gate, cache_mla_latents, flash_decode, multi_latent_attention, qk_clip, qk_l2_norm,
      qk_layernorm;
  Count kv_lora_rank, linear_conv_kernel_dim, linear_key_head_dim, linear_num_key_heads, linear_num_value_heads,
      linear_value_head_dim, mamba_head_dim, mamba_num_groups, mamba_state_dim, qk_head_dim, qk_pos_emb_head_dim,
      v_head_dim;
  MaybeCount mamba_num_heads, mtp_num_layers, q_lora_rank, routed_expert_hidden_size;
  Number hybrid_attention_ratio, qk_clip_alpha, qk_clip_threshold;
  MaybeNumber mtp_loss_scaling_factor;
  Word experimental_attention_variant, heterogeneous_layers_config_path, hybrid_layer_pattern, hybrid_override_pattern,
      model_type, mtp_hybrid_override_pattern;
  Raw fused_ce_chunks, fused_ce_mode, lfm_layer_types, linear_attention_freq, lora, mrope_section, no_rope_freq,
      window_size;
  // Optimizer, data parallel, sharding, overlap.
  Flag accumulate_allreduce_grads_in_fp32, calculate_per_token_loss, ddp_average_in_collective,
      dist_ckpt_optim_fully_reshardable, distrib_optim_fully_reshardable_mem_efficient, enable_gloo_process_groups,
      ep_overlap_early_attn_memory_release, fsdp_double_buffer, fsdp_manual_registration, grad_reduce_in_bf16,
      gradient_accumulation_fusion, load_main_params_from_ckpt, muon_per_head, muon_per_head_strict, nccl_ub,
      no_load_optim, overlap_cpu_optimizer_d2h_h2d, overlap_grad_reduce, overlap_param_gather,
      overlap_param_gather_with_optimizer_step, torch_fsdp2_reshard_after_forward, tp_comm_overlap_rs, use_custom_fsdp,
      use_distributed_optimizer, use_fsdp2_bf16_master_weight_optimizer, use_fsdp2_fp32_param_optimizer,
      use_fsdp2_fp8_all_gather, use_megatron_fsdp, use_precision_aware_optimizer, use_torch_fsdp2;
  MaybeCount check_weight_hash_across_dp_replicas_interval, ddp_bucket_size, ddp_num_buckets;
  MaybeNumber optimizer_offload_fraction;
  Word data_parallel_sharding_strategy, exp_avg_dtype, exp_avg_sq_dtype, main_grads_dtype, main_params_dtype,
      mamba_inference_conv_states_dtype, mamba_inference_ssm_states_dtype, megatron_fsdp_grad_comm_dtype,
      megatron_fsdp_main_grads_dtype, megatron_fsdp_main_params_dtype, optimizer, outer_dp_sharding_strategy;
  Raw high_priority_stream_groups;
  // Recompute and offload.
  Flag checkpoint_activations, cpu_offloading, distribute_saved_activations, fine_grained_activation_offloading,
      recompute_activations;
  MaybeCount cpu_offloading_num_layers, recompute_num_layers;
  Word recompute_granularity, recompute_method;
  Raw offload_modules, recompute_layer_ids, recompute_modules;
  // Precision.
  Flag activation_func_fp8_input_store, attention_softmax_in_fp32, bf16, check_for_nan_in_loss_and_grad,
      first_last_layers_bf16, fp16, fp16_lm_cross_entropy, fp32_residual_connection, fp4_param,
      fp4_use_native_te_autocast, fp8_param, fp8_param_gather, keep_fp8_transpose_cache,
      reuse_grad_buf_for_mxfp8_param_ag;
  Count num_layers_at_end_in_bf16, num_layers_at_start_in_bf16;
  MaybeNumber loss_scale;
  Word fp4, fp4_quantizer_factory, fp4_recipe, fp8, fp8_quantizer_factory, fp8_recipe, fp8_scaling_strategy;
  // Checkpoints and data.
  Flag async_save, ckpt_fully_parallel_save, disable_last_saving, mock_data, no_load_rng, replication, sft,
      use_persistent_ckpt_worker;
  Count num_workers;
  MaybeCount num_dataset_builder_threads, replication_jump, save_interval, save_retain_interval;
  Word ckpt_format, dataloader_type, load, non_persistent_ckpt_type, non_persistent_local_ckpt_dir, save, stage,
      tokenizer_model, tokenizer_type;
  Raw data_path, split, test_data_path, train_data_path, valid_data_path;
  // Removed or inert names.
  Raw async_tensor_model_parallel_allreduce, batch_size, model_parallel_size, warmup;
  // Fusions, graphs, kernels.
  Flag add_bias_linear, add_qkv_bias, apply_query_key_layer_scaling, apply_rope_fusion, bias_dropout_fusion,
      bias_gelu_fusion, bias_swiglu_fusion, cross_entropy_loss_fusion, deterministic_mode, enable_cuda_graph,
      external_cuda_graph, masked_softmax_fusion, quick_geglu, squared_relu, swiglu, te_rng_tracker, tp_comm_bulk_dgrad,
      tp_comm_overlap, use_flash_attn, use_te_activation_func;
  Word attention_backend, cross_entropy_fusion_impl, cuda_graph_impl, transformer_impl;
  Raw cuda_graph_scope;
  Number attention_dropout, hidden_dropout;
  MaybeNumber moe_input_jitter_eps;
  // Primus's own model types.
  MaybeCount attn_res_block_size;
  Number cfg_dropout_prob;
  // Model shape.
  Flag add_position_embedding, fake_process_group, group_query_attention, perform_rl_step, rl_use_sequence_packing,
      rotary_interleaved, untie_embeddings_and_output_weights, use_legacy_models, use_rotary_position_embeddings;
  Count grpo_group_size, grpo_iterations, grpo_prompts_per_step, inference_batch_times_seqlen_threshold, log_interval,
      make_vocab_size_divisible_by, seed;
  MaybeCount encoder_num_layers, ffn_hidden_size, hidden_size, kv_channels, log_memory_interval, num_attention_heads,
      num_layers, num_query_groups, padded_vocab_size, vocab_size;
  Number init_method_std, rotary_base;
  MaybeNumber embedding_init_method_std, rope_scaling_factor;
  Word normalization, position_embedding_type, rope_type;
  Raw encoder_tensor_model_parallel_size, spec;

  std::vector<BadValue> bad_values;  ///< values of a type that Megatron does not expect
};

}  // namespace primus_plan::megatron
