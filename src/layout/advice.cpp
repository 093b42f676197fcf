#include "primus_plan/layout/advice.h"

#include <algorithm>

#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

/// Above this, activations of one sample alone fill a GPU unless the sequence is split.
constexpr std::int64_t very_long_sequence = 32'768;

/// One micro-batch on every replica: nothing is left to trade when GPUs are added.
void one_micro_batch_a_step(const PlacedRun& placed, Findings& out) {
  const Batch& batch = placed.run.batch;
  const Degrees& degrees = placed.run.degrees;
  if (placed.run.keys.global_batch.name == nullptr) return;  // the batch grows with the devices (MaxText)
  if (batch.accumulation_steps != 1 || degrees.data < 2 ||
      batch.global != saturating_multiply(batch.micro, degrees.data))
    return;
  out.add(
      placed.run.keys.global_batch.origin ? placed.run.keys.global_batch.origin : placed.run.keys.micro_batch.origin,
      [&](Message& m) {
        m.say(
            "a step is one micro-batch of {} on each of {} replicas: the global batch {} cannot spread over more GPUs",
            batch.micro, degrees.data, batch.global);
        m.help("a larger global batch costs no memory: {} gives 2 accumulation steps",
               saturating_multiply(2, batch.global));
        if (batch.micro > 1) m.help("a smaller micro-batch keeps the global batch when replicas are added");
      });
}

void long_sequence_on_one_rank(const PlacedRun& placed, Findings& out) {
  const Batch& batch = placed.run.batch;
  if (batch.sequence_length < very_long_sequence || placed.run.degrees.context > 1 || placed.run.launch.world_size < 2)
    return;
  out.add(placed.run.keys.sequence_length.origin, [&](Message& m) {
    m.say("samples of {} tokens are not split: activations grow with the sequence", batch.sequence_length);
    m.also(placed.run.keys.context.origin, "context parallelism is 1 here");
    m.help("context parallelism ({}) splits each sample over ranks; it divides DP", placed.run.keys.context.name);
  });
}

void experts_on_every_rank(const PlacedRun& placed, Findings& out) {
  const RunDescription& run = placed.run;
  if (run.experts < 2 || run.degrees.expert > 1 || run.launch.world_size < 2) return;
  out.add(run.keys.expert.origin, [&](Message& m) {
    m.say("every rank holds all {} experts: expert parallelism is off", run.experts);
    m.help("{} up to {} inside a node spreads the experts' weights; DP and the batch arithmetic stay as they are",
           run.keys.expert.name, std::min(run.experts, run.launch.gpus_per_node));
  });
}

void pipeline_inside_one_node(const PlacedRun& placed, Findings& out) {
  const RunDescription& run = placed.run;
  const bool one_node = run.launch.world_size <= run.launch.gpus_per_node;
  const std::int64_t ranks = saturating_multiply(run.degrees.tensor, run.degrees.pipeline);
  if (run.degrees.pipeline < 2 || !one_node || ranks > run.launch.gpus_per_node) return;
  out.add(run.keys.pipeline.origin, [&](Message& m) {
    m.say("PP {} inside one node: tensor parallelism uses the node's links and has no bubble", run.degrees.pipeline);
    m.help("TP {} x PP 1 uses the same GPUs for one replica", ranks);
  });
}

constexpr Rule<PlacedRun> rules[] = {
    {{.id = "LN901",
      .name = "one-micro-batch-a-step",
      .severity = Severity::note,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = {},
      .summary = "With one accumulation step, more GPUs need a larger global batch.",
      .explanation = "Global batch = micro-batch x DP x accumulation steps. Accumulation is what keeps the global "
                     "batch stable when DP grows, and what makes a larger global batch possible without more memory. "
                     "At 1 step there is nothing left to trade.",
      .bad = {.world_size = 8, .yaml = "micro_batch_size: 2\nglobal_batch_size: 16\n"},
      .good = {.world_size = 8, .yaml = "micro_batch_size: 2\nglobal_batch_size: 32\n"}},
     one_micro_batch_a_step},
    {{.id = "LN902",
      .name = "long-sequence-on-one-rank",
      .severity = Severity::note,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = {},
      .summary = "Very long sequences are what context parallelism is for.",
      .explanation =
          "Activations grow with the sequence length. Context parallelism splits each sample over ranks, so that a "
          "rank holds a part of it; it takes its ranks from DP, and accumulation steps grow accordingly.",
      .bad = {.world_size = 8, .yaml = "seq_length: 65536\nmicro_batch_size: 1\nglobal_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "seq_length: 65536\nmicro_batch_size: 1\nglobal_batch_size: 16\ncontext_parallel_size: 4\n"}},
     long_sequence_on_one_rank},
    {{.id = "LN903",
      .name = "experts-on-every-rank",
      .severity = Severity::note,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = {},
      .summary = "A mixture of experts usually wants expert parallelism.",
      .explanation =
          "Without expert parallelism every rank holds all experts. Expert parallelism spreads them over ranks that "
          "also hold different samples, so it costs no data parallelism; its groups best stay inside a node.",
      .bad =
          {.world_size = 8,
           .yaml =
               "num_experts: 8\nmoe_grouped_gemm: true\nmoe_token_dispatcher_type: alltoall\nglobal_batch_size: 32\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\nmoe_grouped_gemm: true\nmoe_token_dispatcher_type: "
                       "alltoall\nglobal_batch_size: 32\nexpert_model_parallel_size: 8\n"}},
     experts_on_every_rank},
    {{.id = "LN904",
      .name = "pipeline-inside-one-node",
      .severity = Severity::note,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = {},
      .summary = "Inside one node, tensor parallelism usually beats pipeline parallelism.",
      .explanation = "A model that fits one node but not one GPU is best split with tensor parallelism, which uses the "
                     "links between the GPUs of a node. Pipeline parallelism is for going across nodes: it needs "
                     "little traffic, but ranks wait while it fills and drains.",
      .bad = {.world_size = 8, .yaml = "pipeline_model_parallel_size: 2\nglobal_batch_size: 256\n"},
      .good = {.world_size = 8, .yaml = "tensor_model_parallel_size: 2\nglobal_batch_size: 256\n"}},
     pipeline_inside_one_node},
};

}  // namespace

std::span<const Rule<PlacedRun>> advice_rules() { return rules; }

}  // namespace primus_plan
