#include "backends/megatron/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

void fill_model_shape(MegatronConfig& config, Rewriter& rewriter) {
  if (!config.seq_length.value && config.encoder_seq_length.value) {
    rewriter.set(config.seq_length, config.encoder_seq_length.value, "taken from encoder_seq_length");
  }
  const Int hidden = config.hidden_size.value.value_or(0);
  const Int heads = config.num_attention_heads.value.value_or(0);
  if (!config.ffn_hidden_size.value && hidden > 0) {
    if (*config.swiglu) {
      // Python: int((4 * hidden * 2 / 3) / 64) * 64
      rewriter.set(config.ffn_hidden_size,
                   static_cast<Int>(static_cast<double>(saturating_multiply(4, hidden)) * 2 / 3 / 64) * 64,
                   "unset: two thirds of 4 x hidden_size, rounded down to 64 (swiglu)");
    } else {
      rewriter.set(config.ffn_hidden_size, saturating_multiply(4, hidden), "unset: 4 x hidden_size");
    }
  }
  if (!config.kv_channels.value && hidden > 0 && heads > 0) {
    rewriter.set(config.kv_channels, hidden / heads, "unset: hidden_size / num_attention_heads");
  }
}

void fill_experts(MegatronConfig& config, Rewriter& rewriter) {
  if (config.num_experts.value == 0)
    rewriter.set(config.num_experts, std::optional<Int>{}, "0 experts is a dense model");
  if (config.num_experts.value && !config.moe_ffn_hidden_size.value) {
    rewriter.set(config.moe_ffn_hidden_size, config.ffn_hidden_size.value, "unset: ffn_hidden_size");
  }
}

void settle_precision(MegatronConfig& config, Rewriter& rewriter) {
  if (*config.use_torch_fsdp2)
    rewriter.set(config.fp8_param_gather, false, "torch FSDP2 gathers in the parameter's own type");
  if (*config.fp16 && !config.loss_scale.value) {
    rewriter.set(config.check_for_nan_in_loss_and_grad, false,
                 "fp16 with a dynamic loss scale meets infinities on purpose");
  }
  if (*config.bf16) {
    if (*config.grad_reduce_in_bf16) {
      rewriter.set(config.accumulate_allreduce_grads_in_fp32, false, "grad_reduce_in_bf16");
    } else if (*config.main_grads_dtype == "fp32") {
      rewriter.set(config.accumulate_allreduce_grads_in_fp32, true, "bf16 with main_grads_dtype fp32");
    }
  }
  if (*config.apply_query_key_layer_scaling)
    rewriter.set(config.attention_softmax_in_fp32, true, "apply_query_key_layer_scaling");
}

void settle_positions_and_bias(MegatronConfig& config, Rewriter& rewriter) {
  if (*config.use_rotary_position_embeddings) {
    rewriter.set(config.position_embedding_type, std::string_view("rope"), "use_rotary_position_embeddings");
  }
  if (*config.position_embedding_type != "rope")
    rewriter.set(config.apply_rope_fusion, false, "position_embedding_type is not rope");
  if (*config.add_bias_linear) {
    rewriter.set(config.add_qkv_bias, true, "add_bias_linear");
  } else {
    rewriter.set(config.bias_gelu_fusion, false, "add_bias_linear is off");
  }
}

void settle_the_rest(MegatronConfig& config, Rewriter& rewriter) {
  if (*config.recompute_activations) {
    rewriter.set(config.recompute_granularity, std::string_view("selective"), "recompute_activations");
  }
  if (*config.enable_cuda_graph) rewriter.set(config.cuda_graph_impl, std::string_view("local"), "enable_cuda_graph");
  if (*config.external_cuda_graph)
    rewriter.set(config.cuda_graph_impl, std::string_view("transformer_engine"), "external_cuda_graph");
  if (*config.use_megatron_fsdp) rewriter.set(config.use_custom_fsdp, true, "use_megatron_fsdp");
  if (*config.fsdp_manual_registration) {
    rewriter.set(config.reuse_grad_buf_for_mxfp8_param_ag, false, "fsdp_manual_registration");
  }
  if (config.dataloader_type.value.data() == nullptr) {
    rewriter.set(config.dataloader_type, std::string_view("single"), "unset");
  }
  rewriter.set(config.variable_seq_lengths, false, "Megatron always turns it off here");
  if (*config.weight_decay_incr_style == "constant") {
    const std::optional<double> decay(*config.weight_decay);
    if (!config.start_weight_decay.value) rewriter.set(config.start_weight_decay, decay, "constant weight decay");
    if (!config.end_weight_decay.value) rewriter.set(config.end_weight_decay, decay, "constant weight decay");
  }
  if (*config.fake_process_group) rewriter.set(config.enable_gloo_process_groups, false, "fake_process_group");
  if (*config.moe_use_upcycling) {
    rewriter.set(config.no_load_optim, true, "moe_use_upcycling");
    rewriter.set(config.no_load_rng, true, "moe_use_upcycling");
  }
  if (*config.skip_train) rewriter.set(config.no_load_optim, true, "skip_train");
  if (config.cpu_offloading_num_layers.value.value_or(0) > 0) {
    rewriter.set(config.cpu_offloading, true, "cpu_offloading_num_layers is set");
  }
  if (*config.async_save && *config.ckpt_format != "torch" && !*config.use_persistent_ckpt_worker) {
    rewriter.set(config.async_save, false, "asynchronous saving needs use_persistent_ckpt_worker");
  }
}

/// The collectives of torch FSDP2 get a stream of high priority.
void settle_stream_groups(MegatronConfig& config, Rewriter& rewriter) {
  static const NodePtr sharded = make_sequence({make_string("dp_cp")});
  const Raw& groups = config.high_priority_stream_groups;
  const bool none = groups.is_explicit
                        ? groups.value != nullptr && groups.value->is_sequence() && groups.value->items.empty()
                        : groups.value == nullptr;
  if (*config.use_torch_fsdp2 && none)
    rewriter.set(config.high_priority_stream_groups, sharded.get(), "use_torch_fsdp2 appends dp_cp");
}

/// "full", alone or as the only item of a list: the older word for an empty list.
bool is_full_scope(const Node* scope) {
  if (scope == nullptr) return false;
  if (scope->is_sequence())
    return scope->items.size() == 1 && scope->items.front()->is_string() && scope->items.front()->text == "full";
  return scope->is_string() && scope->text == "full";
}

void settle_cuda_graphs(MegatronConfig& config, Rewriter& rewriter) {
  static const NodePtr whole_layers = make_sequence({});
  const bool graphs = *config.cuda_graph_impl != "none";
  const bool transformer_engine =
      *config.transformer_impl == "transformer_engine" || *config.cuda_graph_impl == "transformer_engine";
  if (graphs && transformer_engine)
    rewriter.set(config.te_rng_tracker, true, "CUDA graphs need Transformer Engine's random state");
  if (is_full_scope(config.cuda_graph_scope.value)) {
    rewriter.set(config.cuda_graph_scope, whole_layers.get(), "full is the older word for an empty list");
  }
}

}  // namespace

void fill_layer_count(MegatronRun& run, Rewriter& rewriter) {
  MegatronConfig& config = run.config;
  if (run.parsed.hybrid) {
    // The patterns come first. A num_layers that differs is a fault of its own: the split goes on with the pattern's.
    const HybridPattern& hybrid = *run.parsed.hybrid;
    rewriter.set(config.num_layers, hybrid.layers(), "counted in hybrid_layer_pattern");
    if (hybrid.mtp_depths > 0) {
      rewriter.set(config.mtp_num_layers, hybrid.mtp_depths, "hybrid_layer_pattern names that many behind its /");
    }
  } else if (!config.num_layers.value && config.encoder_num_layers.value) {
    rewriter.set(config.num_layers, config.encoder_num_layers.value, "taken from encoder_num_layers");
  }
}

void apply_validate_args(MegatronRun& run, Rewriter& rewriter) {
  MegatronConfig& config = run.config;
  if (*config.sequence_parallel && *config.tensor_model_parallel_size == 1) {
    rewriter.set(config.sequence_parallel, false, "TP is 1");
  }
  if (!run.virtual_pipeline) {
    rewriter.set(config.overlap_p2p_comm, false, "only the interleaved schedule overlaps p2p communication");
    rewriter.set(config.align_param_gather, false, "only the interleaved schedule aligns parameter gathers");
  }
  fill_model_shape(config, rewriter);
  fill_experts(config, rewriter);
  settle_precision(config, rewriter);
  settle_positions_and_bias(config, rewriter);
  settle_the_rest(config, rewriter);
  settle_cuda_graphs(config, rewriter);
  settle_stream_groups(config, rewriter);
}

}  // namespace primus_plan::megatron
