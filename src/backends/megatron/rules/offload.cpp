#include <algorithm>
#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig (ValueError)";

constexpr std::array<std::string_view, 7> known_modules{"core_attn", "attn_proj", "expert_fc1", "moe_act",
                                                        "attn_norm", "mlp_norm",  "qkv_linear"};
constexpr const char* known_text = "core_attn, attn_proj, expert_fc1, moe_act, attn_norm, mlp_norm, qkv_linear";

/// Where layer offload was switched on: the count does it alone.
const Origin& offload_place(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  return config.cpu_offloading_num_layers.value.value_or(0) > 0 ? config.cpu_offloading_num_layers.origin
                                                                : config.cpu_offloading.origin;
}

void layers_out_of_range(const MegatronRun& run, Findings& out) {
  const MaybeCount& offloaded = run.config.cpu_offloading_num_layers;
  const Int layers = run.config.num_layers.value.value_or(0);
  if (!*run.config.cpu_offloading || !offloaded.value || layers <= 0) return;
  if (*offloaded.value >= 0 && *offloaded.value < layers) return;
  out.add(offloaded, [&](Message& m) {
    m.say("cpu_offloading_num_layers {} is not between 0 and num_layers - 1 = {}", *offloaded.value, layers - 1);
    m.also(run.config.num_layers);
    m.help("at least one layer stays on the GPU");
    m.fix(fmt::format("set cpu_offloading_num_layers to {}", layers - 1), offloaded, fmt::format("{}", layers - 1));
  });
}

void offload_with_pipeline(const MegatronRun& run, Findings& out) {
  if (!*run.config.cpu_offloading || run.pp() <= 1) return;
  out.add(offload_place(run), [&](Message& m) {
    m.say("cpu_offloading does not go with pipeline parallelism: PP is {}", run.pp());
    m.also(run.config.pipeline_model_parallel_size);
    m.help("cpu_offloading_num_layers: 0; or pipeline_model_parallel_size: 1");
  });
}

void offload_with_recompute(const MegatronRun& run, Findings& out) {
  // TransformerConfig asks for "is not None": any value counts.
  if (!*run.config.cpu_offloading || checked_granularity(run).data() == nullptr) return;
  out.add(offload_place(run), [&](Message& m) {
    m.say("cpu_offloading does not go with recompute_granularity {}", checked_granularity(run));
    m.also(*run.given.recompute_activations ? run.given.recompute_activations.origin
                                            : run.given.recompute_granularity.origin,
           "set here");
    m.help("offload activations or recompute them: cpu_offloading_num_layers: 0, or recompute_granularity: null");
  });
}

void offload_with_cuda_graphs(const MegatronRun& run, Findings& out) {
  if (!*run.config.cpu_offloading || !has_cuda_graphs(run)) return;
  out.add(offload_place(run), [&](Message& m) {
    m.say("cpu_offloading does not go with CUDA graphs: cuda_graph_impl is {}", *run.config.cuda_graph_impl);
    m.also(run.config.cuda_graph_impl);
    m.help("cuda_graph_impl: none; or cpu_offloading_num_layers: 0");
  });
}

void fine_grained_needs_te(const MegatronRun& run, Findings& out) {
  if (!*run.config.fine_grained_activation_offloading || *run.config.transformer_impl == "transformer_engine") return;
  out.add(run.config.fine_grained_activation_offloading, [&](Message& m) {
    m.say("fine_grained_activation_offloading needs transformer_impl transformer_engine, not {}",
          *run.config.transformer_impl);
    m.also(run.config.transformer_impl);
    m.fix("set transformer_impl to transformer_engine", run.config.transformer_impl, "transformer_engine");
  });
}

void fine_grained_with_layers(const MegatronRun& run, Findings& out) {
  if (!*run.config.fine_grained_activation_offloading || !*run.config.cpu_offloading) return;
  out.add(run.config.fine_grained_activation_offloading, [&](Message& m) {
    m.say("fine_grained_activation_offloading and cpu_offloading exclude each other");
    m.also(offload_place(run), "whole layers are offloaded here");
    m.help("cpu_offloading_num_layers: 0; or fine_grained_activation_offloading: false");
  });
}

void offload_modules_unknown(const MegatronRun& run, Findings& out) {
  const Raw& modules = run.config.offload_modules;
  if (!*run.config.fine_grained_activation_offloading) return;
  if (modules.value == nullptr || !modules.value->is_sequence() || modules.value->items.empty()) {
    out.add(modules, [&](Message& m) {
      m.say("fine_grained_activation_offloading needs a list of offload_modules");
      m.also(run.config.fine_grained_activation_offloading);
      m.help("for example offload_modules: [core_attn, attn_proj]; known modules: {}", known_text);
    });
    return;
  }
  for (const NodePtr& item : modules.value->items) {
    if (item->is_string() && std::find(known_modules.begin(), known_modules.end(), item->text) != known_modules.end())
      continue;
    out.add(item->origin, [&](Message& m) {
      m.say("{} is no module that offload_modules knows", to_text(*item));
      m.help("known modules: {}", known_text);
      offer_word(m, *item, known_modules);
    });
  }
  if (lists(modules, "attn_proj") && !lists(modules, "core_attn")) {
    out.add(modules, [&](Message& m) {
      m.say("offload_modules has attn_proj without core_attn");
      m.because("the input of attn_proj is the output of core_attn, which core_attn needs in its own backward pass");
      m.help("add core_attn, or take attn_proj out");
    });
  }
}

void fine_grained_needs_variable(const MegatronRun& run, Findings& out) {
  if (!*run.config.fine_grained_activation_offloading || run.environment.get("NVTE_CPU_OFFLOAD_V1") == "1") return;
  out.add(run.config.fine_grained_activation_offloading, [&](Message& m) {
    m.say(
        "fine_grained_activation_offloading needs NVTE_CPU_OFFLOAD_V1=1 in the environment with Transformer Engine "
        "2.10 or newer");
    m.help("export NVTE_CPU_OFFLOAD_V1=1");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG722",
      .name = "cpu-offload-layers-out-of-range",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "cpu_offloading_num_layers is less than num_layers.",
      .explanation = "Activations of the first cpu_offloading_num_layers layers move to host memory between forward "
                     "and backward. At least one layer stays on the GPU.",
      .bad = {.world_size = 8, .yaml = "num_layers: 24\ncpu_offloading_num_layers: 24\n"},
      .good = {.world_size = 8, .yaml = "num_layers: 24\ncpu_offloading_num_layers: 4\n"}},
     layers_out_of_range},
    {{.id = "MG723",
      .name = "cpu-offload-with-pipeline",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "CPU offload of layers needs PP of 1.",
      .explanation = "Layer offload assumes one forward pass followed by one backward pass; a pipeline schedule "
                     "interleaves several.",
      .bad = {.world_size = 8, .yaml = "cpu_offloading_num_layers: 4\npipeline_model_parallel_size: 2\n"},
      .good = {.world_size = 8, .yaml = "cpu_offloading_num_layers: 4\npipeline_model_parallel_size: 1\n"}},
     offload_with_pipeline},
    {{.id = "MG724",
      .name = "cpu-offload-with-recompute",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "CPU offload of layers and activation recompute exclude each other.",
      .explanation = "Offloaded activations come back from host memory, recomputed ones are made again: a layer can do "
                     "one of the two.",
      .bad = {.world_size = 8, .yaml = "cpu_offloading_num_layers: 4\nrecompute_granularity: selective\n"},
      .good = {.world_size = 8, .yaml = "cpu_offloading_num_layers: 4\nrecompute_granularity: null\n"}},
     offload_with_recompute},
    {{.id = "MG725",
      .name = "cpu-offload-with-cuda-graphs",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "CPU offload of layers and CUDA graphs exclude each other.",
      .explanation = "A captured graph works on fixed addresses; offloaded activations come back to new ones.",
      .bad = {.world_size = 8, .yaml = "cpu_offloading_num_layers: 4\ncuda_graph_impl: transformer_engine\n"},
      .good = {.world_size = 8, .yaml = "cpu_offloading_num_layers: 4\ncuda_graph_impl: none\n"}},
     offload_with_cuda_graphs},
    {{.id = "MG726",
      .name = "fine-grained-offload-without-te",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Fine-grained activation offload needs Transformer Engine layers.",
      .explanation = "fine_grained_activation_offloading hooks into Transformer Engine modules; the local "
                     "implementation has no such hooks.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\nfine_grained_activation_offloading: true\noffload_modules: "
                      "[core_attn]\ntransformer_impl: local\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\nfine_grained_activation_offloading: true\noffload_modules: [core_attn]\n"}},
     fine_grained_needs_te},
    {{.id = "MG727",
      .name = "offload-modules-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (AssertionError or ValueError)",
      .summary = "offload_modules is a list of known modules, attn_proj only together with core_attn.",
      .explanation = "Fine-grained offload moves the inputs of the named modules to host memory. It knows core_attn, "
                     "attn_proj, expert_fc1, moe_act, attn_norm, mlp_norm and qkv_linear.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\nfine_grained_activation_offloading: true\noffload_modules: [attn_proj]\n"},
      .good =
          {.world_size = 8,
           .yaml =
               "num_layers: 24\nfine_grained_activation_offloading: true\noffload_modules: [core_attn, attn_proj]\n"}},
     offload_modules_unknown},
    {{.id = "MG728",
      .name = "fine-grained-offload-with-layer-offload",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (AssertionError)",
      .summary = "Fine-grained offload and offload of whole layers exclude each other.",
      .explanation = "Both would move the same activations. fine_grained_activation_offloading works with a pipeline, "
                     "cpu_offloading does not.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\nfine_grained_activation_offloading: true\noffload_modules: "
                      "[core_attn]\ncpu_offloading_num_layers: 4\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\nfine_grained_activation_offloading: true\noffload_modules: [core_attn]\n"}},
     fine_grained_with_layers},
    {{.id = "MG729",
      .name = "fine-grained-offload-needs-variable",
      .severity = Severity::note,
      .stage = Stage::advice,
      .runtime_site = {},
      .outcome = "with Transformer Engine 2.10 or newer Megatron stops (AssertionError)",
      .summary = "Fine-grained offload needs NVTE_CPU_OFFLOAD_V1=1 with newer Transformer Engine.",
      .explanation =
          "Transformer Engine 2.10 changed its offload hooks; Megatron's fine-grained offload needs the old ones, "
          "which the variable NVTE_CPU_OFFLOAD_V1=1 brings back. Whether it matters depends on the installed version.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\nfine_grained_activation_offloading: true\noffload_modules: [core_attn]\n"},
      .good = {.world_size = 8, .yaml = "num_layers: 24\nfine_grained_activation_offloading: false\n"}},
     fine_grained_needs_variable},
};

}  // namespace

RuleList offload_rules() { return rules; }

}  // namespace primus_plan::megatron
