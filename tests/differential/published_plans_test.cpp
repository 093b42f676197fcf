// Published runs that their authors tuned: where their layout stands in our ranking for the same model, machine, number
// of GPUs and batch, under the settings of their recipes. Prints a table; PRIMUS_PLAN_PUBLISHED_ALL=1 takes every row
// instead of a few of each source.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "planner/rank.h"
#include "primus_plan/backends/analyze.h"
#include "primus_plan/config/hardware.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/estimate/accuracy.h"
#include "primus_plan/estimate/measured.h"
#include "primus_plan/planner/plan.h"

namespace primus_plan {
namespace {

/// Publications of layouts that were searched for by hand, by vendors and framework authors.
constexpr std::array<std::string_view, 6> tuned_sources{"Megatron-Bridge performance summary",
                                                        "NeMo 24.07 performance table",
                                                        "Megatron-LM README weak scaling",
                                                        "Llama 3 paper Table 4",
                                                        "MegaScale Table 2",
                                                        "Megatron-MoE-ModelZoo qwen3"};

bool is_tuned(const MeasuredRow& row) {
  const bool listed = std::ranges::find(tuned_sources, row.source) != tuned_sources.end();
  return listed && row.complete && row.gpus >= 8 && row.global_batch > 0 && row.sequence_length > 0 && row.tensor > 0 &&
         row.pipeline > 0 && row.layers > 0 && row.heads > 0;
}

std::string precision_lines(const std::string& precision) {
  // Recipes need settings of their own; what matters for a layout is the width of the numbers.
  if (precision.starts_with("FP8") || precision.starts_with("MXFP8")) {
    return "      fp8: hybrid\n      fp8_recipe: tensorwise\n";
  }
  return {};
}

/// The row's model as a Megatron experiment.
std::string experiment_of(const MeasuredRow& row) {
  std::string out = fmt::format(
      "work_group: w\nuser_name: u\nexp_name: e\nworkspace: ./output\nmodules:\n  pre_trainer:\n"
      "    framework: megatron\n    config: pre_trainer.yaml\n    model: {}\n    overrides:\n      mock_data: true\n",
      row.latent_attention ? "deepseek_v2_lite.yaml"
      : row.experts > 0    ? "mixtral_8x7B_v0.1.yaml"
                           : "llama3.1_8B.yaml");
  const auto add = [&](std::string_view key, auto value) { out += fmt::format("      {}: {}\n", key, value); };
  add("num_layers", row.layers);
  add("hidden_size", row.hidden);
  add("ffn_hidden_size", row.ffn);
  add("num_attention_heads", row.heads);
  if (!row.latent_attention) {
    add("group_query_attention", "true");
    add("num_query_groups", row.kv_heads > 0 ? row.kv_heads : row.heads);
    if (row.head_width > 0) add("kv_channels", row.head_width);
  }
  add("vocab_size", row.vocabulary);
  add("padded_vocab_size", "null");
  add("swiglu", row.gated ? "true" : "false");
  add("untie_embeddings_and_output_weights", row.tied ? "false" : "true");
  if (row.experts > 0) {
    add("num_experts", row.experts);
    add("moe_router_topk", row.experts_per_token);
    add("moe_ffn_hidden_size", row.expert_ffn);
    if (row.shared_ffn > 0) {
      add("moe_shared_expert_intermediate_size", row.shared_ffn);
    } else {
      add("moe_shared_expert_intermediate_size", "null");
    }
    add("moe_layer_freq",
        fmt::format("\"([0]*{}+[1]*{})\"", row.leading_dense_layers, row.layers - row.leading_dense_layers));
    add("moe_router_force_load_balancing", "true");
    add("moe_router_num_groups", "null");
    add("moe_router_group_topk", "null");
  }
  if (row.latent_attention) {
    add("q_lora_rank", row.q_rank > 0 ? fmt::format("{}", row.q_rank) : "null");
    add("kv_lora_rank", row.kv_rank);
  }
  // What the authors' recipes have on, whatever the layout.
  const Workload published = workload_of_row(row);
  const std::string precision = precision_lines(row.precision);
  if (published.overlap.tensor) {
    add("tp_comm_overlap", "true");
    for (const auto* part : {"tp_comm_overlap_rs", "tp_comm_bulk_dgrad", "tp_comm_bulk_wgrad"}) {
      if (!precision.empty()) add(part, "false");
    }
  }
  if (published.sharding.state == StateSharding::weights) {
    add("use_megatron_fsdp", "true");
    add("data_parallel_sharding_strategy", "optim_grads_params");
    add("ckpt_format", "fsdp_dtensor");
    add("gradient_accumulation_fusion", "false");
  }
  if (published.precision.weights == NumberFormat::fp8) add("fp8_param_gather", "true");
  if (published.kernels.fused_loss) {
    add("cross_entropy_loss_fusion", "true");
    add("cross_entropy_fusion_impl", "te");
  }
  if (published.precision.gradients != NumberFormat::fp32) {
    add("grad_reduce_in_bf16", "true");
    add("accumulate_allreduce_grads_in_fp32", "false");
    add("megatron_fsdp_main_grads_dtype", "bf16");
  }
  return out + precision;
}

struct Standing {
  std::size_t rank = 0;  ///< from 1; 0: not among those that fit
  std::size_t of = 0;
  double ours = 0;    ///< tokens per second of a GPU, first plan
  double theirs = 0;  ///< the best with the published degrees, as estimated
  std::string first;
  std::string trouble;
};

using Degrees4 = std::array<std::int64_t, 4>;
Degrees4 degrees_of(const Candidate& c) { return {c.tensor, c.pipeline, c.context, c.expert}; }

Standing stand(const MeasuredRow& row, const Hardware& hardware) {
  const MemoryFiles files;
  const Environment environment;
  const Loader loader(files, {});
  const LoadResult loaded = loader.load_text("row.yaml", experiment_of(row), {});
  Standing out;
  if (loaded.experiments.empty()) return out.trouble = loaded.errors.front().message, out;
  const auto prepared = prepare(loaded.experiments[0].modules[0], environment);
  PlanRequest request;
  request.worlds = {row.gpus};
  request.task = {.global_batch = row.global_batch, .sequence_length = row.sequence_length};
  request.hardware = hardware;
  request.top = 1;
  request.jobs = 2;
  const PlanResult result = make_plan(*prepared, request);
  std::vector<Degrees4> ranked;
  const Degrees4 published{row.tensor, row.pipeline, std::max<std::int64_t>(row.context, 1),
                           std::max<std::int64_t>(row.expert, 1)};
  std::set<Degrees4> seen;
  for (const PlanPoint& point : result.points) {
    const Degrees4 degrees = degrees_of(point.candidate);
    if (!seen.insert(degrees).second) continue;
    ranked.push_back(degrees);
    if (degrees == published) out.theirs = point.tokens_per_second_per_gpu;
  }
  out.of = ranked.size();
  const auto found = std::ranges::find(ranked, published);
  if (found != ranked.end()) out.rank = static_cast<std::size_t>(found - ranked.begin()) + 1;
  if (!result.points.empty()) {
    out.ours = result.points.front().tokens_per_second_per_gpu;
    out.first = layout_text(result.points.front().candidate);
  } else {
    out.trouble = "nothing fits";
    for (const auto& [rule, count] : result.rejections.by_rule) {
      if (count * 2 > result.judged) out.trouble = fmt::format("{} {}", rule->id, rule->name);
    }
  }
  return out;
}

/// Whether the same publication has another layout of this model on the same machine that is a tenth faster: then this
/// one is an earlier try.
bool is_superseded(const MeasuredRow& row, const std::vector<MeasuredRow>& all) {
  return std::ranges::any_of(all, [&](const MeasuredRow& other) {
    const bool alike = other.source == row.source && other.model == row.model && other.gpu == row.gpu &&
                       other.gpus == row.gpus && other.precision == row.precision &&
                       other.sequence_length == row.sequence_length && other.global_batch == row.global_batch;
    return alike && is_tuned(other) && other.tokens_per_second_per_gpu > 1.1 * row.tokens_per_second_per_gpu &&
           (other.tensor != row.tensor || other.pipeline != row.pipeline || other.context != row.context ||
            other.expert != row.expert);
  });
}

/// Rows by model, machine and size: precision and releases of one layout count once.
std::vector<MeasuredRow> chosen_rows() {
  std::vector<MeasuredRow> out;
  std::map<std::string, std::size_t> seen;
  const std::vector<MeasuredRow> all = read_measured(published_measurements());
  for (const MeasuredRow& row : all) {
    if (!is_tuned(row) || is_superseded(row, all)) continue;
    const std::string key = fmt::format("{} {} {} {} {} {} {} {}", row.gpu, row.gpus, row.model, row.tensor,
                                        row.pipeline, row.context, row.expert, row.sequence_length);
    const auto [place, is_new] = seen.emplace(key, out.size());
    if (is_new) {
      out.push_back(row);
    } else if (MeasuredRow& kept = out[place->second];
               kept.precision == row.precision && kept.tokens_per_second_per_gpu < row.tokens_per_second_per_gpu) {
      kept = row;
    }
  }
  if (std::getenv("PRIMUS_PLAN_PUBLISHED_ALL") != nullptr) return out;
  std::map<std::string, int> of_source;
  std::erase_if(out, [&](const MeasuredRow& row) { return row.gpus > 256 || ++of_source[row.source] > 3; });
  return out;
}

TEST(PublishedPlans, TunedLayoutsRankHigh) {
  std::size_t high = 0;
  std::size_t all = 0;
  fmt::print("{:<14} {:<8} {:>5} {:>16} {:>9} {:>6} {:>12} {:>12}  {}\n", "model", "part", "GPUs", "TP/PP/CP/EP",
             "rank", "%", "theirs", "ours", "our first");
  for (const MeasuredRow& row : chosen_rows()) {
    const auto hardware = hardware_of_row(row);
    if (!hardware) continue;
    const Standing s = stand(row, *hardware);
    ++all;
    const double share =
        s.rank > 0 ? static_cast<double>(s.rank - 1) / static_cast<double>(std::max<std::size_t>(s.of, 1)) : 1;
    if (share <= 0.1) ++high;
    fmt::print("{:<14.14} {:<8} {:>5} {:>16} {:>9} {:>5.0f}% {:>12.0f} {:>12.0f}  {}{}\n", row.model, row.gpu, row.gpus,
               fmt::format("{}/{}/{}/{}", row.tensor, row.pipeline, row.context, row.expert),
               fmt::format("{}/{}", s.rank, s.of), 100 * share, s.theirs, s.ours, s.first, s.trouble);
    if (s.rank > 0) {
      EXPECT_GE(s.ours, s.theirs * 0.999);
    }
  }
  fmt::print("{} of {} published layouts are in the first tenth\n", high, all);
  EXPECT_GE(all, 5U);
  EXPECT_GE(high * 5, all * 4);
}

}  // namespace
}  // namespace primus_plan
