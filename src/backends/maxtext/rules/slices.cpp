#include <array>

#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/number.h"
#include "support/product_text.h"

namespace primus_plan::maxtext {
namespace {

using C = MaxTextConfig;

/// The degrees that types.py multiplies up before it asks for more than one slice: all but diloco's.
constexpr std::array<Count C::*, 12> counted_degrees{&C::dcn_data_parallelism,
                                                     &C::dcn_pipeline_parallelism,
                                                     &C::dcn_fsdp_parallelism,
                                                     &C::dcn_fsdp_transpose_parallelism,
                                                     &C::dcn_sequence_parallelism,
                                                     &C::dcn_context_parallelism,
                                                     &C::dcn_context_usp_ulysses_parallelism,
                                                     &C::dcn_tensor_parallelism,
                                                     &C::dcn_tensor_sequence_parallelism,
                                                     &C::dcn_expert_parallelism,
                                                     &C::dcn_context_autoregressive_parallelism,
                                                     &C::dcn_autoregressive_parallelism};

Int dcn_product(const MaxTextRun& run) {
  Int product = 1;
  for (const auto key : counted_degrees) product = saturating_multiply(product, *(run.config.*key));
  return product;
}

void dcn_on_one_slice(const MaxTextRun& run, Findings& out) {
  const Int product = dcn_product(run);
  if (run.mesh.slices != 1 || (product >= -1 && product <= 1)) return;
  const Count* largest = &(run.config.*counted_degrees[0]);
  for (const auto key : counted_degrees) {
    if (const Count& degree = run.config.*key; *degree > **largest || *degree < -1) largest = &degree;
  }
  out.add(*largest, [&](Message& m) {
    m.say("{} asks for {} slices, the run has one", largest->key, **largest);
    if (*run.given.num_slices == 1 && run.launch.nodes > 1) {
      m.because("num_slices: 1 makes one slice of {} nodes", run.launch.nodes);
      m.also(run.given.num_slices);
    } else {
      m.because("one node of GPUs is one slice");
    }
    m.help("{}: 1, or -1 for one axis that is to follow the number of nodes", largest->key);
    m.fix(fmt::format("set {} to 1", largest->key), *largest, "1");
  });
}

void slices_not_nodes(const MaxTextRun& run, Findings& out) {
  const Count& asked = run.given.num_slices;
  if (*asked == -1 || *asked == 1 || *asked == run.launch.nodes) return;
  out.add(asked, [&](Message& m) {
    if (*asked <= 0) {
      m.say("num_slices is {}: it is -1, 1 or the number of nodes", *asked);
    } else {
      m.say("num_slices is {}, the run has {}", *asked, counted(run.launch.nodes, "node"));
    }
    m.because("XLA gives each node of GPUs a slice index of its own: {} of them here", run.launch.nodes);
    m.help("leave num_slices: -1 to follow the number of nodes; 1 makes one flat mesh over all devices");
    m.fix("set num_slices to -1", asked, "-1");
  });
}

void one_slice_over_nodes(const MaxTextRun& run, Findings& out) {
  if (*run.given.num_slices != 1 || run.launch.nodes <= 1) return;
  out.add(run.given.num_slices, [&](Message& m) {
    m.say("num_slices: 1 makes one mesh of all {} devices on {} nodes: the ici degrees span nodes", run.devices(),
          run.launch.nodes);
    m.because("ici degrees then multiply up to {}, and the dcn degrees have no effect", run.devices());
    m.help("leave num_slices: -1 to keep ici degrees inside a node and give the nodes to dcn degrees");
  });
}

void nodes_will_not_fit(const MaxTextRun& run, Findings& out) {
  if (run.mesh.slices != 1 || run.launch.nodes != 1 || *run.given.num_slices == 1) return;
  const Count* open = nullptr;
  int count = 0;
  for (const auto key : counted_degrees) {
    const Count& degree = run.config.*key;
    if (*degree != -1) continue;
    ++count;
    if (open == nullptr || degree.is_explicit) open = &degree;
  }
  if (count < 2) return;
  out.add(*open, [&](Message& m) {
    m.say("{} dcn degrees are -1: one node does not mind, two nodes will not start", count);
    m.because("with one slice the dcn degrees are not looked at");
    because_of_model_file(m, run, run.config.dcn_data_parallelism);
    m.help("keep one -1: dcn_data_parallelism: 1 gives the nodes to {}", open->key);
  });
}

void diloco_on_one_slice(const MaxTextRun& run, Findings& out) {
  const Count& replicas = run.given.dcn_diloco_parallelism;
  if (run.mesh.slices != 1 || !is_asked_for(replicas) || *replicas == 1 || *replicas == -1) return;
  out.add(replicas, [&](Message& m) {
    m.say("dcn_diloco_parallelism: {} has no effect: the run has one slice", *replicas);
    if (*run.given.num_slices == 1 && run.launch.nodes > 1) {
      m.because("num_slices: 1 makes one slice of {} nodes", run.launch.nodes);
      m.also(run.given.num_slices);
    } else {
      m.because("one node of GPUs is one slice");
    }
    m.help("{} nodes have that many replicas; -1 follows the number of nodes", *replicas);
  });
}

void slices_missing_diloco(const MaxTextRun& run, Findings& out) {
  if (!run.mesh.diloco_unresolved) return;
  out.add(run.given.dcn_diloco_parallelism, [&](Message& m) {
    m.say("dcn_diloco_parallelism: -1 cannot be resolved: {} over the other dcn degrees' product {} is not whole",
          counted(run.mesh.slices, "slice"), product_text(run.mesh.diloco_others));
    m.because("{}", degrees_text(run, &AxisInfo::dcn));
    m.help("choose dcn degrees whose product divides {}", run.mesh.slices);
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX106",
      .name = "dcn-on-one-slice",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "A dcn degree above 1 needs more than one slice.",
      .explanation =
          "dcn degrees divide the slices, and on GPUs a slice is a node. A file with dcn_fsdp_parallelism: 2 runs on "
          "two nodes and on no other number; with -1 it follows the number of nodes and runs on one node too.",
      .bad = {.world_size = 8, .yaml = "dcn_fsdp_parallelism: 2\n"},
      .good = {.world_size = 16, .yaml = "dcn_fsdp_parallelism: 2\n"}},
     dcn_on_one_slice},
    {{.id = "MX107",
      .name = "slices-not-nodes",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::device_mesh,
      .outcome = "JAX refuses the hybrid mesh: its dcn shape must match the slices that the devices report",
      .summary = "num_slices is -1, 1 or the number of nodes.",
      .explanation =
          "num_slices is no way to cut nodes: JAX counts the slice indices of the devices, and on GPUs each node has "
          "one. -1 takes that number. 1 makes one flat mesh over all devices. Any other number stops, 0 by a division.",
      .bad = {.world_size = 16, .yaml = "num_slices: 4\nici_fsdp_parallelism: -1\n"},
      .good = {.world_size = 16, .yaml = "num_slices: 2\nici_fsdp_parallelism: -1\n"}},
     slices_not_nodes},
    {{.id = "MX108",
      .name = "one-slice-over-nodes",
      .severity = Severity::warning,
      .stage = Stage::model_parallel,
      .runtime_site = "src/maxtext/utils/max_utils.py:get_num_slices",
      .outcome = "MaxText builds one flat mesh over all nodes",
      .summary = "num_slices: 1 on several nodes turns all devices into one slice.",
      .explanation = "The ici degrees then multiply up to all devices, and axes meant for the inside of a node cross "
                     "the network. This is a way to make an axis wider than a node, but rarely what a file that was "
                     "written for one node wants.",
      .bad = {.world_size = 16, .yaml = "num_slices: 1\nici_fsdp_parallelism: -1\n"},
      .good = {.world_size = 8, .yaml = "num_slices: 1\nici_fsdp_parallelism: -1\n"}},
     one_slice_over_nodes},
    {{.id = "MX110",
      .name = "dcn-degrees-for-one-node-only",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = "nothing on one node; on two, MaxText stops with the first mesh",
      .summary = "Two dcn degrees of -1 pass on one node and fail on every other number.",
      .explanation = "With one slice MaxText multiplies the dcn degrees and finds 1; it resolves them only when there "
                     "are more slices, and then two -1 are one too many. dcn_data_parallelism is -1 unless you set it.",
      .bad = {.world_size = 8, .yaml = "dcn_fsdp_parallelism: -1\n"},
      .good = {.world_size = 8, .yaml = "dcn_fsdp_parallelism: -1\ndcn_data_parallelism: 1\n"}},
     nodes_will_not_fit},
    {{.id = "MX116",
      .name = "diloco-degree-not-whole",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "dcn_diloco_parallelism: -1 becomes slices / the other dcn degrees, which has to be whole.",
      .explanation = "MaxText resolves this -1 with the configuration, before the mesh: other dcn degrees of -1 are "
                     "left out of the product and resolved after it.",
      .bad = {.world_size = 16,
              .yaml = "dcn_diloco_parallelism: -1\ndcn_data_parallelism: 1\ndcn_fsdp_parallelism: 4\n"},
      .good = {.world_size = 16, .yaml = "dcn_diloco_parallelism: -1\ndcn_data_parallelism: 1\n"}},
     slices_missing_diloco},
    {{.id = "MX119",
      .name = "diloco-degree-on-one-slice",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = "MaxText trains one replica and does not say so",
      .summary = "dcn_diloco_parallelism needs more than one slice.",
      .explanation = "With one slice MaxText does not resolve the dcn degrees. It refuses the others above 1 then, but "
                     "leaves diloco's out of that product.",
      .bad = {.world_size = 8, .yaml = "ici_fsdp_parallelism: 8\ndcn_diloco_parallelism: 2\n"},
      .good = {.world_size = 16,
               .yaml = "ici_fsdp_parallelism: 8\ndcn_diloco_parallelism: 2\ndcn_data_parallelism: 1\n"}},
     diloco_on_one_slice},
};

}  // namespace

RuleList slice_rules() { return rules; }

}  // namespace primus_plan::maxtext
