// Random joint configurations: groups, micro-batches and layers, each judged alone.

#include <gtest/gtest.h>

#include <string>

#include "backends/megatron/groups.h"
#include "backends/megatron/layers.h"
#include "backends/megatron/microbatches.h"
#include "support/oracle.h"

namespace primus_plan::megatron {
namespace {

using nlohmann::json;

constexpr const char* oracle_file = "megatron_random.json";

std::optional<std::int64_t> number(const json& overrides, const char* key) {
  const auto found = overrides.find(key);
  if (found == overrides.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

bool flag(const json& overrides, const char* key) { return overrides.value(key, false); }

GroupSizes sizes_of(const json& one) {
  const json& overrides = one.at("overrides");
  GroupSizes sizes;
  sizes.world = one.at("world");
  sizes.tensor = number(overrides, "tensor_model_parallel_size").value_or(1);
  sizes.pipeline = number(overrides, "pipeline_model_parallel_size").value_or(1);
  sizes.context = number(overrides, "context_parallel_size").value_or(1);
  sizes.expert = number(overrides, "expert_model_parallel_size").value_or(1);
  sizes.expert_tensor = number(overrides, "expert_tensor_parallel_size");
  sizes.optimizer_instances = number(overrides, "num_distributed_optimizer_instances").value_or(1);
  if (flag(overrides, "use_tp_pp_dp_mapping")) sizes.order = "tp-cp-ep-pp-dp";
  return sizes;
}

MicrobatchInput batch_of(const json& one) {
  const json& overrides = one.at("overrides");
  const GroupSizes sizes = sizes_of(one);
  MicrobatchInput batch{.micro = number(overrides, "micro_batch_size").value_or(2),
                        .data = sizes.world / (sizes.tensor * sizes.pipeline * sizes.context),
                        .decrease = flag(overrides, "decrease_batch_size_if_needed")};
  // validate_args turns null into one micro-batch on each data-parallel rank.
  const bool null = overrides.contains("global_batch_size") && overrides.at("global_batch_size").is_null();
  batch.global = null ? batch.micro * batch.data : number(overrides, "global_batch_size").value_or(16);
  return batch;
}

LayerSplitInput split_of(const json& one) {
  const json& overrides = one.at("overrides");
  return {.layers = number(overrides, "num_layers").value_or(24),
          .pipeline = number(overrides, "pipeline_model_parallel_size").value_or(1),
          .first = number(overrides, "decoder_first_pipeline_num_layers"),
          .last = number(overrides, "decoder_last_pipeline_num_layers"),
          .embedding_slot = flag(overrides, "account_for_embedding_in_pipeline_split"),
          .loss_slot = flag(overrides, "account_for_loss_in_pipeline_split"),
          .mtp_layers = number(overrides, "mtp_num_layers")};
}

json layers_of(const LayerSplit& split) {
  json layers = json::array();
  for (const auto& rank : split.stages) {
    for (const StageChunk& chunk : rank) layers.push_back(chunk.layers);
  }
  return layers;
}

std::optional<PipelineLayout> layout_of(const json& one) {
  const json& layout = one.at("overrides").value("pipeline_model_parallel_layout", json());
  if (!layout.is_string()) return std::nullopt;
  return parse_pipeline_layout(layout.get_ref<const std::string&>()).layout;
}

void compare_derived(const json& one) {
  const json& derived = one.at("derived");
  EXPECT_FALSE(group_fault(sizes_of(one)).has_value());
  EXPECT_EQ(megatron_layout(sizes_of(one)).grids.at(0).size("dp"), derived.at("data_parallel_size"));
  if (!one.at("overrides").contains("rampup_batch_size")) {
    EXPECT_EQ(start_microbatches(batch_of(one)).value.count, derived.at("num_microbatches"));
  }
  const auto layout = layout_of(one);
  LayerSplitInput input = split_of(one);
  input.virtual_pipeline = number(derived, "virtual_pipeline_model_parallel_size");
  input.layout = layout ? &*layout : nullptr;
  const LayerSplit split = split_layers(input);
  EXPECT_FALSE(split.fault.has_value());
  EXPECT_EQ(layers_of(split), derived.at("layers"));
}

TEST(MegatronRandomParts, RunsThatStartHaveMegatronsNumbers) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  for (const json& one : oracle->at("cases")) {
    SCOPED_TRACE(one.at("name").get<std::string>() + " " + one.at("overrides").dump());
    if (!one.at("derived").is_null()) compare_derived(one);
  }
}

TEST(MegatronRandomParts, FaultsAreSeenWhereMegatronSeesThem) {
  const auto oracle = testing::load_oracle(oracle_file);
  if (!oracle) GTEST_SKIP() << testing::missing_oracle(oracle_file);
  for (const json& one : oracle->at("cases")) {
    const json& error = one.at("error");
    if (error.is_null() || !error.at("at").is_string()) continue;
    SCOPED_TRACE(one.dump());
    const std::string at = error.at("at");
    if (at.starts_with("megatron/core/parallel_state.py")) {
      EXPECT_TRUE(group_fault(sizes_of(one)).has_value());
    } else if (at.starts_with("megatron/core/num_microbatches_calculator.py") &&
               !one.at("overrides").contains("rampup_batch_size")) {
      EXPECT_TRUE(start_microbatches(batch_of(one)).fault.has_value());
    }
  }
}

}  // namespace
}  // namespace primus_plan::megatron
