#pragma once

#include <span>

#include "backends/megatron/run.h"
#include "primus_plan/diagnostics/rule.h"

namespace primus_plan::megatron {

using RuleList = std::span<const Rule<MegatronRun>>;

// One function a topic, one topic a file. rules.cpp joins them; their order is the order of the reports.
RuleList written_key_rules();
RuleList value_type_rules();
RuleList choice_rules();
RuleList degree_rules();
RuleList process_group_rules();
RuleList batch_rules();
RuleList ramp_up_rules();
RuleList training_rules();
RuleList training_data_rules();
RuleList training_step_rules();
RuleList parameter_schedule_rules();
RuleList number_range_rules();
RuleList sequence_rules();
RuleList context_exchange_rules();
RuleList context_parallel_rules();
RuleList dimension_rules();
RuleList layer_option_rules();
RuleList data_parallel_rules();
RuleList optimizer_rules();
RuleList optimizer_state_rules();
RuleList torch_fsdp2_rules();
RuleList fsdp_mode_rules();
RuleList megatron_fsdp_rules();
RuleList recompute_rules();
RuleList recompute_layer_rules();
RuleList recompute_module_rules();
RuleList recompute_layer_id_rules();
RuleList offload_rules();
RuleList precision_rules();
RuleList fp8_layer_rules();
RuleList cuda_graph_rules();
RuleList checkpoint_rules();
RuleList run_mode_rules();
RuleList special_model_rules();
RuleList even_split_rules();
RuleList uneven_split_rules();
RuleList virtual_pipeline_rules();
RuleList layer_layout_rules();
RuleList schedule_rules();
RuleList primus_pipeline_rules();
RuleList zero_bubble_rules();
RuleList hybrid_model_rules();
RuleList expert_rules();
RuleList dense_model_rules();
RuleList expert_layer_rules();
RuleList token_dispatcher_rules();
RuleList shared_expert_rules();
RuleList router_rules();
RuleList router_group_rules();
RuleList load_balancing_rules();
RuleList expert_capacity_rules();
RuleList grouped_gemm_rules();
RuleList expert_overlap_rules();
RuleList expert_overlap_option_rules();
RuleList turbo_rules();
RuleList sync_free_expert_rules();
RuleList turbo_deepep_rules();
RuleList turbo_precision_rules();
RuleList mega_moe_rules();
RuleList latent_attention_rules();
RuleList attention_variant_rules();

/// All topics.
std::span<const RuleList> all_rule_lists();

}  // namespace primus_plan::megatron
