#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";

/// overlap_moe_expert_parallel_comm, where Megatron's own configuration checks it.
bool overlaps(const MegatronRun& run) {
  return *run.config.overlap_moe_expert_parallel_comm && has_megatron_config(run);
}

const Flag& overlap_key(const MegatronRun& run) { return run.config.overlap_moe_expert_parallel_comm; }

void overlap_without_chunks(const MegatronRun& run, Findings& out) {
  if (!overlaps(run) || run.pp() <= 1 || run.interleaved() || !virtual_size_is_settled(run)) return;
  out.add(overlap_key(run), [&](Message& m) {
    m.say(
        "overlap_moe_expert_parallel_comm with pipeline_model_parallel_size {} needs the interleaved schedule, but "
        "every rank holds one model chunk",
        run.pp());
    m.also(run.config.pipeline_model_parallel_size);
    if (run.given.virtual_pipeline_model_parallel_size.value) {
      m.because("virtual_pipeline_model_parallel_size is ignored: validate_args computes it anew");
    }
    m.help("set num_virtual_stages_per_pipeline_rank to 2 or more");
    m.fix("no overlap", overlap_key(run), "false");
  });
}

void overlap_without_expert_parallel(const MegatronRun& run, Findings& out) {
  if (!overlaps(run) || run.ep() > 1) return;
  out.add(overlap_key(run), [&](Message& m) {
    m.say(
        "overlap_moe_expert_parallel_comm hides traffic between expert-parallel ranks, but "
        "expert_model_parallel_size is {}",
        run.ep());
    m.also(run.config.expert_model_parallel_size);
    m.fix("no overlap", overlap_key(run), "false");
  });
}

void overlap_dispatcher(const MegatronRun& run, Findings& out) {
  const Word& type = run.config.moe_token_dispatcher_type;
  if (!overlaps(run) || *type == "alltoall" || *type == "flex") return;
  out.add(overlap_key(run), [&](Message& m) {
    m.say("overlap_moe_expert_parallel_comm needs moe_token_dispatcher_type alltoall or flex, but it is {}",
          or_null(type));
    m.also(type);
    m.fix("use alltoall", type, "alltoall");
  });
}

void overlap_with_recompute(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!overlaps(run)) return;
  // recompute_layer_ids hides the granularity from TransformerConfig.
  const bool full = *config.recompute_granularity == "full" && !picks_recompute_layers(run);
  const bool method = config.recompute_method.value.data() != nullptr;
  if (!full && !method && !config.recompute_num_layers.value) return;
  const auto describe = [&](Message& m) {
    if (full) {
      m.say("overlap_moe_expert_parallel_comm does not work with recompute_granularity full");
    } else {
      m.say("overlap_moe_expert_parallel_comm needs {}: null, even where nothing is recomputed",
            method ? "recompute_method" : "recompute_num_layers");
    }
    m.also(overlap_key(run));
    m.help("recompute_granularity: selective, with recompute_method and recompute_num_layers null, works");
  };
  if (full) {
    out.add(config.recompute_granularity, describe);
  } else if (method) {
    out.add(config.recompute_method, describe);
  } else {
    out.add(config.recompute_num_layers, describe);
  }
}

void overlap_in_fp32(const MegatronRun& run, Findings& out) {
  if (!overlaps(run) || *run.config.bf16 || *run.config.fp16) return;
  out.add(overlap_key(run), [&](Message& m) {
    m.say("overlap_moe_expert_parallel_comm needs bf16 or fp16, but the model is in fp32");
    m.also(run.config.bf16);
    m.fix("use bf16", run.config.bf16, "true");
  });
}

void overlap_of_both(const MegatronRun& run, Findings& out) {
  if (!overlaps(run) || !*run.config.moe_shared_expert_overlap) return;
  out.add(run.config.moe_shared_expert_overlap, [&](Message& m) {
    m.say("moe_shared_expert_overlap and overlap_moe_expert_parallel_comm hide the same traffic behind different work");
    m.also(overlap_key(run));
    m.fix("no overlap of the shared expert", run.config.moe_shared_expert_overlap, "false");
  });
}

void overlap_with_mtp(const MegatronRun& run, Findings& out) {
  const MaybeCount& mtp = run.config.mtp_num_layers;
  if (!overlaps(run) || !mtp.value || (*mtp.value == 1 && run.pp() > 1)) return;
  out.add(mtp, [&](Message& m) {
    if (*mtp.value == 1) {
      m.say(
          "overlap_moe_expert_parallel_comm takes a multi-token prediction layer only with pipeline parallelism, but "
          "PP is 1");
    } else {
      m.say("overlap_moe_expert_parallel_comm takes mtp_num_layers null or 1, but it is {}", *mtp.value);
    }
    m.also(overlap_key(run));
    m.help("mtp_num_layers: null goes with it too, and trains another model");
    m.fix("no overlap", overlap_key(run), "false");
  });
}

void overlap_with_graphs(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!overlaps(run) || !has_cuda_graphs(run)) return;
  const bool captures_experts = lists(config.cuda_graph_scope, "moe") || lists(config.cuda_graph_scope, "mlp");
  if (*config.cuda_graph_impl == "transformer_engine" && !captures_experts) return;
  out.add(config.cuda_graph_impl, [&](Message& m) {
    m.say(
        "overlap_moe_expert_parallel_comm works with cuda_graph_impl transformer_engine and a scope without moe and "
        "mlp only");
    m.also(overlap_key(run));
    m.also(config.cuda_graph_scope);
    m.fix("no graphs", config.cuda_graph_impl, "none");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG440",
      .name = "expert-overlap-without-chunks",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping expert traffic under pipeline parallelism needs the interleaved schedule.",
      .explanation = "overlap_moe_expert_parallel_comm runs the all-to-all of one micro-batch behind the "
                     "computation of another, which the plain 1F1B schedule has no place for. Ask for model "
                     "chunks with num_virtual_stages_per_pipeline_rank.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "overlap_moe_expert_parallel_comm: true\n"
                      "expert_model_parallel_size: 4\n"
                      "pipeline_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 4\n"
                       "pipeline_model_parallel_size: 2\n"
                       "num_virtual_stages_per_pipeline_rank: 2\n"}},
     overlap_without_chunks},
    {{.id = "MG441",
      .name = "expert-overlap-without-experts",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping expert traffic needs expert parallelism.",
      .explanation = "With expert_model_parallel_size 1 all experts are local and there is no traffic.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "overlap_moe_expert_parallel_comm: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"}},
     overlap_without_expert_parallel},
    {{.id = "MG442",
      .name = "expert-overlap-dispatcher",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping expert traffic needs the alltoall or flex dispatcher.",
      .explanation = "allgather has no separate dispatch and combine steps that could run behind other work.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: allgather\n"
                      "overlap_moe_expert_parallel_comm: true\n"
                      "expert_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"}},
     overlap_dispatcher},
    {{.id = "MG443",
      .name = "expert-overlap-with-recompute",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping expert traffic excludes recompute of whole layers.",
      .explanation = "The overlapped schedule takes layers apart, so whole layers cannot be recomputed. "
                     "recompute_method and recompute_num_layers have to be null even when recompute_granularity "
                     "is.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "overlap_moe_expert_parallel_comm: true\n"
                      "expert_model_parallel_size: 8\n"
                      "recompute_granularity: full\n"
                      "recompute_method: uniform\n"
                      "recompute_num_layers: 1\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"
                       "recompute_granularity: selective\n"}},
     overlap_with_recompute},
    {{.id = "MG444",
      .name = "expert-overlap-precision",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping expert traffic needs bf16 or fp16.",
      .explanation = "The overlapped schedule is not written for fp32 models.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "overlap_moe_expert_parallel_comm: true\n"
                      "expert_model_parallel_size: 8\n"
                      "bf16: false\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"
                       "bf16: true\n"}},
     overlap_in_fp32},
    {{.id = "MG445",
      .name = "expert-overlap-of-both",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping expert traffic excludes moe_shared_expert_overlap.",
      .explanation = "One hides the traffic behind another micro-batch, the other behind the shared expert of "
                     "the same one.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "overlap_moe_expert_parallel_comm: true\n"
                      "expert_model_parallel_size: 8\n"
                      "moe_shared_expert_overlap: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"}},
     overlap_of_both},
    {{.id = "MG446",
      .name = "expert-overlap-with-mtp",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping expert traffic takes one multi-token prediction layer, under pipeline "
                 "parallelism.",
      .explanation = "mtp_num_layers may be null, or 1 with PP above 1. 0 is refused as well: write null.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "overlap_moe_expert_parallel_comm: true\n"
                      "expert_model_parallel_size: 8\n"
                      "mtp_num_layers: 0\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"
                       "mtp_num_layers: null\n"}},
     overlap_with_mtp},
    {{.id = "MG447",
      .name = "expert-overlap-with-graphs",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "Overlapping expert traffic works with Transformer Engine's CUDA graphs, outside the "
                 "experts.",
      .explanation = "Traffic inside a captured graph cannot move behind other work: cuda_graph_impl is "
                     "transformer_engine, and cuda_graph_scope names neither moe nor mlp.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "overlap_moe_expert_parallel_comm: true\n"
                      "expert_model_parallel_size: 8\n"
                      "cuda_graph_impl: local\n"
                      "cuda_graph_scope: [attn]\n"
                      "moe_pad_experts_for_cuda_graph_inference: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "overlap_moe_expert_parallel_comm: true\n"
                       "expert_model_parallel_size: 8\n"
                       "cuda_graph_impl: transformer_engine\n"
                       "cuda_graph_scope: [attn]\n"}},
     overlap_with_graphs},
};

}  // namespace

RuleList expert_overlap_rules() { return rules; }

}  // namespace primus_plan::megatron
