#include <algorithm>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* layer_patch =
    "primus/backends/megatron/patches/recompute_layer_patches.py:validate_specified_recompute_layers";
constexpr const char* config_stops = "Primus stops when TransformerConfig is built (ValueError)";

void ids_unreadable(const MegatronRun& run, Findings& out) {
  if (!picks_recompute_layers(run)) return;
  const LayerIds& ids = run.parsed.recompute_layer_ids;
  if (ids.readable && !ids.ids.empty()) return;
  out.add(run.given.recompute_layer_ids, [&](Message& m) {
    if (ids.readable) {
      m.say("recompute_layer_ids is empty");
      m.help("null, with recompute_granularity: null, recomputes nothing");
    } else {
      m.say("recompute_layer_ids {} is no list of layer numbers", to_text(*run.given.recompute_layer_ids.value));
    }
    m.help("write a list [0, 3, 5] or a text \"0,3,5\"; ranges are not known");
  });
}

void ids_out_of_range(const MegatronRun& run, Findings& out) {
  const LayerIds& ids = run.parsed.recompute_layer_ids;
  if (!picks_recompute_layers(run) || !ids.readable || !run.config.num_layers.value) return;
  const Int layers = *run.config.num_layers.value;
  const Int mtp = run.config.mtp_num_layers.value.value_or(0);
  const Int last = layers + mtp - 1;
  const auto wrong = std::find_if(ids.ids.begin(), ids.ids.end(), [&](Int id) { return id < 0 || id > last; });
  if (wrong == ids.ids.end()) return;
  out.add(run.given.recompute_layer_ids, [&](Message& m) {
    m.say("recompute_layer_ids has {}: layers are numbered from 0 to {}", *wrong, last);
    if (mtp > 0) {
      m.because("num_layers {} and mtp_num_layers {}: {} to {} are the multi-token-prediction layers", layers, mtp,
                layers, last);
    } else {
      m.because("num_layers {}: the last layer is {}", layers, last);
    }
    m.also(run.config.num_layers);
  });
}

void ids_without_full(const MegatronRun& run, Findings& out) {
  if (!picks_recompute_layers(run)) return;
  const bool full = *run.given.recompute_granularity == "full" && !*run.given.recompute_activations;
  const Word& method = run.config.recompute_method;
  if (full && method.value.data() == nullptr) return;
  out.add(full ? method.origin : run.given.recompute_granularity.origin, [&](Message& m) {
    if (full) {
      m.say("recompute_layer_ids does not go with recompute_method {}: the list already says which layers", *method);
      m.fix("set recompute_method to null", method, "null");
    } else {
      m.say(
          "recompute_layer_ids needs recompute_granularity full, not {}",
          *run.given.recompute_activations
              ? "selective (recompute_activations)"
              : (run.given.recompute_granularity.value.data() != nullptr ? *run.given.recompute_granularity : "null"));
      m.fix("set recompute_granularity to full", run.given.recompute_granularity, "full");
    }
    m.also(run.given.recompute_layer_ids);
    m.help("recompute_layer_ids goes with recompute_granularity: full and recompute_method: null");
  });
}

void ids_bypass_checks(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!picks_recompute_layers(run)) return;
  const char* feature = nullptr;
  if (has_cuda_graphs(run)) feature = "CUDA graphs";
  if (*config.cpu_offloading) feature = "cpu_offloading";
  if (*config.overlap_moe_expert_parallel_comm) feature = "overlap_moe_expert_parallel_comm";
  if (feature == nullptr) return;
  out.add(run.given.recompute_layer_ids, [&](Message& m) {
    m.say("recompute_layer_ids recomputes whole layers together with {}, which Megatron refuses with full recompute",
          feature);
    m.because(
        "Primus hides recompute_granularity while TransformerConfig checks itself, so the check that would stop the "
        "run is skipped");
    m.also(config.overlap_moe_expert_parallel_comm).also(config.cpu_offloading_num_layers).also(config.cuda_graph_impl);
    m.help("drop one of the two");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG780",
      .name = "recompute-layer-ids-unreadable",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = layer_patch,
      .outcome = config_stops,
      .summary = "recompute_layer_ids is a list of layer numbers, or a text with commas, and not empty.",
      .explanation = "Primus recomputes exactly the layers of this list, counted from 0 over the whole model. Repeated "
                     "numbers do no harm.",
      .bad = {.world_size = 8, .yaml = "recompute_layer_ids: []\nrecompute_granularity: full\n"},
      .good = {.world_size = 8, .yaml = "recompute_layer_ids: \"0,3,5\"\nrecompute_granularity: full\n"}},
     ids_unreadable},
    {{.id = "MG781",
      .name = "recompute-layer-ids-out-of-range",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = layer_patch,
      .outcome = config_stops,
      .summary = "recompute_layer_ids are between 0 and num_layers + mtp_num_layers - 1.",
      .explanation = "Layers are numbered from 0 over the whole model, not for each pipeline stage. "
                     "Multi-token-prediction layers follow after the decoder: the first one is num_layers.",
      .bad = {.world_size = 8, .yaml = "num_layers: 24\nrecompute_layer_ids: [0, 24]\nrecompute_granularity: full\n"},
      .good = {.world_size = 8, .yaml = "num_layers: 24\nrecompute_layer_ids: [0, 23]\nrecompute_granularity: full\n"}},
     ids_out_of_range},
    {{.id = "MG782",
      .name = "recompute-layer-ids-without-full",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = layer_patch,
      .outcome = config_stops,
      .summary = "recompute_layer_ids goes with recompute_granularity full and no recompute_method.",
      .explanation = "The list takes the place of recompute_method and recompute_num_layers: the layers it names are "
                     "recomputed whole, the others not at all.",
      .bad = {.world_size = 8,
              .yaml = "recompute_layer_ids: [0]\nrecompute_granularity: full\nrecompute_method: "
                      "block\nrecompute_num_layers: 1\n"},
      .good = {.world_size = 8,
               .yaml = "recompute_layer_ids: [0]\nrecompute_granularity: full\nrecompute_method: null\n"}},
     ids_without_full},
    {{.id = "MG784",
      .name = "recompute-layer-ids-bypass-checks",
      .severity = Severity::warning,
      .stage = Stage::transformer_config,
      .runtime_site = "primus/backends/megatron/patches/recompute_layer_patches.py:new_post_init",
      .outcome = "Primus goes on with a combination that Megatron refuses",
      .summary = "recompute_layer_ids hides full recompute from the checks of features that exclude it.",
      .explanation = "CPU offload, CUDA graphs and the overlap of expert-parallel communication exclude full "
                     "recompute. With recompute_layer_ids Primus empties recompute_granularity while Megatron checks, "
                     "so the run starts; nobody has tested what it computes.",
      .bad = {.world_size = 8,
              .yaml = "recompute_layer_ids: [0]\nrecompute_granularity: full\ncpu_offloading_num_layers: 4\n"},
      .good = {.world_size = 8, .yaml = "recompute_layer_ids: [0]\nrecompute_granularity: full\n"}},
     ids_bypass_checks},
};

}  // namespace

RuleList recompute_layer_id_rules() { return rules; }

}  // namespace primus_plan::megatron
