#include "primus_plan/layout/topology.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

constexpr double largest_bubble = 0.20;

const GroupKind* find_group(const RankLayout& layout, std::string_view name) {
  const auto found =
      std::find_if(layout.groups.begin(), layout.groups.end(), [&](const GroupKind& g) { return g.name() == name; });
  return found == layout.groups.end() ? nullptr : &*found;
}

/// How many groups of a kind leave their node; 0 for kinds of one rank and for launches of one node.
std::int64_t across(const PlacedRun& placed, std::string_view kind) {
  const GroupKind* group = find_group(placed.layout, kind);
  if (group == nullptr || group->size() < 2 || placed.run.launch.nodes < 2) return 0;
  return group->groups_across_nodes(placed.layout.ranks_per_node);
}

std::int64_t nodes_of_first_group(const PlacedRun& placed, std::string_view kind) {
  std::vector<std::int64_t> nodes;
  for (const std::int64_t rank : find_group(placed.layout, kind)->group(0))
    nodes.push_back(rank / placed.layout.ranks_per_node);
  std::sort(nodes.begin(), nodes.end());
  return std::unique(nodes.begin(), nodes.end()) - nodes.begin();
}

void tensor_across_nodes(const PlacedRun& placed, Findings& out) {
  const std::int64_t crossing = across(placed, "tp");
  if (crossing == 0) return;
  const Degrees& degrees = placed.run.degrees;
  out.add(placed.run.keys.tensor.origin, [&](Message& m) {
    const std::int64_t per_node = placed.layout.ranks_per_node;
    m.say("TP {} does not fit in nodes of {} GPUs: {} of {} tensor-parallel groups cross nodes", degrees.tensor,
          per_node, crossing, find_group(placed.layout, "tp")->count());
    m.because("tensor parallelism communicates in every layer, which needs the links inside a node");
    const bool pipeline_inside = placed.run.degrees.pipeline > 1 && across(placed, "pp") == 0;
    if (pipeline_inside) m.because("pipeline stages, which need the least traffic, share a node instead");
    m.help("keep TP at a divisor of {} and use pipeline parallelism across nodes", per_node);
  });
}

void expert_across_nodes(const PlacedRun& placed, Findings& out) {
  const std::int64_t crossing = across(placed, "ep");
  const Degrees& degrees = placed.run.degrees;
  const std::int64_t group = saturating_multiply(degrees.expert, degrees.expert_tensor);
  if (crossing == 0 || group <= placed.layout.ranks_per_node) return;
  out.add(placed.run.keys.expert.origin, [&](Message& m) {
    m.say("each expert-parallel group of EP {} spans {} nodes: every MoE layer exchanges its tokens over the network",
          degrees.expert, nodes_of_first_group(placed, "ep"));
    m.because("{} of {} groups cross nodes of {} GPUs", crossing, find_group(placed.layout, "ep")->count(),
              placed.layout.ranks_per_node);
    m.help("EP {} or less stays inside a node, if the experts fit there", placed.layout.ranks_per_node);
  });
}

/// Groups small enough for one node that lie across two nevertheless, because sizes do not nest.
void group_straddles_nodes(const PlacedRun& placed, Findings& out) {
  struct Kind {
    std::string_view group;
    std::string_view name;
    const RunKey& key;
  };
  const RunKeys& keys = placed.run.keys;
  for (const Kind& kind : {Kind{"cp", "context-parallel", keys.context}, Kind{"ep", "expert-parallel", keys.expert}}) {
    const std::int64_t crossing = across(placed, kind.group);
    if (crossing == 0) continue;
    const GroupKind& groups = *find_group(placed.layout, kind.group);
    const bool all_alike = crossing == groups.count();
    if (all_alike) continue;
    out.add(kind.key.origin, [&](Message& m) {
      m.say("{} of {} {} groups cross nodes and the others do not: the slow ones hold up every step", crossing,
            groups.count(), kind.name);
      m.because("groups of {} ranks do not nest in nodes of {} GPUs with TP {}", groups.size(),
                placed.layout.ranks_per_node, placed.run.degrees.tensor);
      m.help("choose sizes whose product with TP divides {} or is a multiple of it", placed.layout.ranks_per_node);
    });
  }
}

void partly_filled_node(const PlacedRun& placed, Findings& out) {
  const Launch& launch = placed.run.launch;
  if (launch.nodes < 2 || launch.world_size == launch.nodes * launch.gpus_per_node) return;
  out.add(Origin{}, [&](Message& m) {
    const std::int64_t idle = launch.nodes * launch.gpus_per_node - launch.world_size;
    m.say("{} ranks do not fill {} nodes of {} GPUs: {} GPUs stay{} idle", launch.world_size, launch.nodes,
          launch.gpus_per_node, idle, idle == 1 ? "s" : "");
    m.label("");
    m.help("{} or {} ranks fill whole nodes", (launch.nodes - 1) * launch.gpus_per_node,
           launch.nodes * launch.gpus_per_node);
  });
}

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return saturating_multiply((value - 1) / step + 1, step);
}

/// More micro-batches for a pipeline, and the batches that make them.
struct LargerBatch {
  std::int64_t micro_batches = 0;
  std::int64_t local = 0;  ///< samples that one replica takes into its pipeline at once; 0 = as many as before
  std::int64_t global = 0;
};

/// The least number of micro-batches from `least` on that a run can have. A multiple of PP suits every schedule: the
/// interleaved ones go round by round of PP, and MaxText takes nothing else. Where each local batch is cut for the
/// pipeline (TorchTitan), a local batch that divides each replica's share of the global batch leaves that as it is.
LargerBatch with_micro_batches(const RunDescription& run, std::int64_t least) {
  const Batch& batch = run.batch;
  const std::int64_t stages = run.degrees.pipeline;
  const std::int64_t replicas = std::max<std::int64_t>(run.degrees.data, 1);
  const bool cuts_local_batches = batch.pipeline_micro_batches > 0;
  const bool in_rounds = cuts_local_batches || run.schedule == PipelineSchedule::interleaved;
  LargerBatch out{.micro_batches = in_rounds ? rounded_up(least, stages) : least};
  if (!cuts_local_batches) {
    out.global = saturating_multiply(out.micro_batches, saturating_multiply(batch.micro, replicas));
    return out;
  }
  if (run.keys.global_batch.name == nullptr) {  // MaxText: the number is a key of its own, and divides all samples
    const std::int64_t samples = saturating_multiply(batch.micro, replicas);
    if (samples % out.micro_batches == 0) return out;
    out.local = rounded_up(batch.micro, out.micro_batches / greatest_common_divisor(out.micro_batches, replicas));
    out.global = saturating_multiply(saturating_multiply(out.local, replicas), batch.accumulation_steps);
    return out;
  }
  const std::int64_t size = std::max<std::int64_t>(batch.micro / batch.pipeline_micro_batches, 1);
  const std::int64_t share = batch.global % replicas == 0 ? batch.global / replicas : 0;
  for (const std::int64_t local : divisors(share)) {
    if (local % size != 0 || local / size % stages != 0 || local / size < least) continue;
    return {.micro_batches = local / size, .local = local, .global = 0};
  }
  out.local = saturating_multiply(out.micro_batches, size);
  out.global = rounded_up(batch.global, saturating_multiply(out.local, replicas));
  return out;
}

/// " (local batch 8, global batch 64)": what changes with the number of micro-batches.
std::string batches_text(const LargerBatch& larger) {
  if (larger.local > 0 && larger.global > 0)
    return fmt::format(" (local batch {}, global batch {})", larger.local, larger.global);
  if (larger.local > 0) return fmt::format(" (local batch {})", larger.local);
  return larger.global > 0 ? fmt::format(" (global batch {})", larger.global) : " of the same batch";
}

void large_bubble(const PlacedRun& placed, Findings& out) {
  const double bubble = pipeline_bubble(placed.run);
  if (bubble <= largest_bubble) return;
  const Degrees& degrees = placed.run.degrees;
  const Batch& batch = placed.run.batch;
  const std::int64_t micro_batches = batch.micro_batches_between_flushes();
  out.add(placed.run.keys.pipeline.origin, [&](Message& m) {
    m.say("pipeline ranks wait {:.0f} % of each step: PP {} with {} micro-batches", 100 * bubble, degrees.pipeline,
          micro_batches);
    if (degrees.virtual_pipeline > 1) {
      m.because("bubble = (PP - 1) / (micro-batches x chunks + PP - 1) = {} / ({} x {} + {})", degrees.pipeline - 1,
                micro_batches, degrees.virtual_pipeline, degrees.pipeline - 1);
    } else {
      m.because("bubble = (PP - 1) / (micro-batches + PP - 1) = {} / ({} + {})", degrees.pipeline - 1, micro_batches,
                degrees.pipeline - 1);
    }
    // Half the bubble: (p - 1) / (m' v + p - 1) = b / 2 gives m' v = 2 m v + p - 1.
    const std::int64_t chunks = std::max<std::int64_t>(degrees.virtual_pipeline, 1);
    const std::int64_t half = (2 * micro_batches * chunks + degrees.pipeline - 1 + chunks - 1) / chunks;
    const LargerBatch larger = with_micro_batches(placed.run, half);
    m.help("{} micro-batches{} would {}halve it, as would more model chunks on each rank", larger.micro_batches,
           batches_text(larger), larger.micro_batches > half ? "more than " : "");
  });
}

constexpr Rule<PlacedRun> rules[] = {
    {{.id = "LN101",
      .name = "tensor-parallel-across-nodes",
      .severity = Severity::warning,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = "runs, slowly",
      .summary = "Tensor-parallel groups stay inside a node.",
      .explanation =
          "Each layer all-reduces (or gathers and scatters) activations over the tensor-parallel group. Inside a node "
          "that goes over the GPUs' own links, between nodes over network cards that are several times slower.",
      .bad = {.world_size = 16, .yaml = "tensor_model_parallel_size: 16\nglobal_batch_size: 32\n"},
      .good = {.world_size = 16, .yaml = "tensor_model_parallel_size: 8\nglobal_batch_size: 32\n"}},
     tensor_across_nodes},
    {{.id = "LN102",
      .name = "expert-parallel-across-nodes",
      .severity = Severity::warning,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = "runs; the token exchange of every MoE layer uses the network",
      .summary = "Expert-parallel groups stay inside a node where the experts fit.",
      .explanation = "Every MoE layer sends each token to its experts and back over the expert-parallel group. A group "
                     "larger than a node does that over the network. Very large models have no choice; smaller ones "
                     "gain from EP inside the node.",
      .bad = {.world_size = 16,
              .yaml = "expert_model_parallel_size: 16\nnum_experts: 16\nmoe_token_dispatcher_type: "
                      "alltoall\nglobal_batch_size: 32\n"},
      .good = {.world_size = 16,
               .yaml = "expert_model_parallel_size: 8\nnum_experts: 16\nmoe_token_dispatcher_type: "
                       "alltoall\nglobal_batch_size: 32\n"}},
     expert_across_nodes},
    {{.id = "LN103",
      .name = "group-straddles-nodes",
      .severity = Severity::warning,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = "runs; some groups are slower than others",
      .summary = "Context- and expert-parallel groups either all fit in nodes or all span them.",
      .explanation = "When group sizes do not nest in the node size, some groups lie in one node and some across two. "
                     "Every step waits for the slowest.",
      .bad = {.world_size = 24, .yaml = "context_parallel_size: 3\nseq_length: 3072\nglobal_batch_size: 16\n"},
      .good = {.world_size = 24, .yaml = "context_parallel_size: 4\nseq_length: 3072\nglobal_batch_size: 24\n"}},
     group_straddles_nodes},
    {{.id = "LN104",
      .name = "partly-filled-node",
      .severity = Severity::warning,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = "launchers start the same number of processes on every node",
      .summary = "The ranks fill whole nodes.",
      .explanation = "torchrun and Primus start GPUS_PER_NODE processes on each of NNODES nodes. A world size that is "
                     "no multiple of the GPUs of a node needs a launch by hand, and leaves GPUs idle.",
      .bad = {.world_size = 12, .yaml = "micro_batch_size: 1\nglobal_batch_size: 12\n"},
      .good = {.world_size = 16, .yaml = "micro_batch_size: 1\nglobal_batch_size: 16\n"}},
     partly_filled_node},
    {{.id = "LN301",
      .name = "large-pipeline-bubble",
      .severity = Severity::warning,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = "runs; ranks wait for most of the pipeline to fill and drain",
      .summary = "A pipeline has enough micro-batches to keep its bubble below 20 %.",
      .explanation = "While a pipeline fills and drains, ranks wait: (PP - 1) / (micro-batches x chunks + PP - 1) of "
                     "each step. More micro-batches (a larger global batch or a smaller micro-batch), fewer stages, or "
                     "several model chunks on each rank make it smaller.",
      .bad = {.world_size = 8, .yaml = "pipeline_model_parallel_size: 4\nmicro_batch_size: 2\nglobal_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "pipeline_model_parallel_size: 4\nmicro_batch_size: 2\nglobal_batch_size: 64\n"}},
     large_bubble},
};

}  // namespace

std::span<const Rule<PlacedRun>> topology_rules() { return rules; }

double pipeline_bubble(const RunDescription& run) {
  const auto stages = static_cast<double>(run.degrees.pipeline);
  const auto micro_batches = static_cast<double>(run.batch.micro_batches_between_flushes());
  if (run.degrees.pipeline < 2 || run.batch.micro_batches_between_flushes() < 1) return 0;
  switch (run.schedule) {
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::gpipe:
      return (stages - 1) / (micro_batches + stages - 1);
    case PipelineSchedule::interleaved: {
      const auto chunks = static_cast<double>(std::max<std::int64_t>(run.degrees.virtual_pipeline, 1));
      return (stages - 1) / (micro_batches * chunks + stages - 1);
    }
    case PipelineSchedule::none:
    case PipelineSchedule::zero_bubble:
      return 0;
  }
  return 0;
}

}  // namespace primus_plan
