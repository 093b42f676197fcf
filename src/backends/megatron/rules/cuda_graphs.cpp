#include <algorithm>
#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* config_asserts = "Megatron stops when it builds TransformerConfig (AssertionError)";

enum Part : unsigned {
  full_iteration = 1,
  attn = 2,
  mlp = 4,
  moe = 8,
  moe_router = 16,
  moe_preprocess = 32,
  mamba = 64
};

struct PartName {
  std::string_view name;
  Part part;
};

constexpr std::array<PartName, 7> part_names{{{"full_iteration", full_iteration},
                                              {"attn", attn},
                                              {"mlp", mlp},
                                              {"moe", moe},
                                              {"moe_router", moe_router},
                                              {"moe_preprocess", moe_preprocess},
                                              {"mamba", mamba}}};
constexpr const char* known_text = "full_iteration, attn, mlp, moe, moe_router, moe_preprocess, mamba";

/// cuda_graph_scope as TransformerConfig reads it: the parts that are captured, none of them meaning whole layers.
struct Scope {
  unsigned parts = 0;
  std::size_t names = 0;
  bool has_full = false;     ///< the older word for "no parts"
  std::string_view unknown;  ///< the first name that is none
  bool readable = true;      ///< false: neither a text nor a list of texts

  void add(std::string_view name) {
    ++names;
    if (name == "full") {
      has_full = true;
      return;
    }
    const auto found =
        std::find_if(part_names.begin(), part_names.end(), [&](const PartName& each) { return each.name == name; });
    if (found != part_names.end()) {
      parts |= found->part;
    } else if (unknown.data() == nullptr) {
      unknown = name;
    }
  }
  bool legal() const { return readable && unknown.data() == nullptr && !(has_full && names > 1); }
  bool has(Part part) const { return (parts & part) != 0; }
};

Scope read_scope(const MegatronRun& run) {
  Scope scope;
  const Node* node = run.given.cuda_graph_scope.value;
  if (node == nullptr) return scope;
  if (node->is_string()) {
    std::string_view rest = node->text;
    for (std::size_t comma = rest.find(','); comma != std::string_view::npos; comma = rest.find(',')) {
      scope.add(rest.substr(0, comma));
      rest.remove_prefix(comma + 1);
    }
    scope.add(rest);
  } else if (node->is_sequence()) {
    for (const NodePtr& item : node->items) {
      if (!item->is_string()) {
        scope.readable = false;
        return scope;
      }
      scope.add(item->text);
    }
  } else {
    scope.readable = false;
  }
  // Local graphs capture the router and its preprocessing as one.
  const bool local = *run.config.cuda_graph_impl == "local";
  if (local && (scope.has(moe_router) || scope.has(moe_preprocess))) scope.parts |= moe_router | moe_preprocess;
  return scope;
}

void flags_conflict(const MegatronRun& run, Findings& out) {
  const MegatronConfig& given = run.given;
  const bool local = *given.enable_cuda_graph;
  const bool external = *given.external_cuda_graph;
  if ((!local && !external) || (*given.cuda_graph_impl == "none" && !(local && external))) return;
  out.add(local ? given.enable_cuda_graph : given.external_cuda_graph, [&](Message& m) {
    if (local && external) {
      m.say("enable_cuda_graph and external_cuda_graph are both on");
    } else {
      m.say("{} is the older spelling of cuda_graph_impl: {}; the two are not given together",
            local ? "enable_cuda_graph" : "external_cuda_graph", local ? "local" : "transformer_engine");
    }
    m.also(given.external_cuda_graph).also(given.cuda_graph_impl);
    m.help("use cuda_graph_impl alone: none, local or transformer_engine");
  });
}

void implementation_unknown(const MegatronRun& run, Findings& out) {
  const Word& impl = run.config.cuda_graph_impl;
  if (*impl == "none" || *impl == "local" || *impl == "transformer_engine") return;
  out.add(impl, [&](Message& m) {
    m.say("cuda_graph_impl is {}: it is none, local or transformer_engine",
          impl.value.data() != nullptr ? *impl : "null");
    m.help("none switches CUDA graphs off");
    offer_word(m, impl, "none|local|transformer_engine");
  });
}

/// Offers the part that an unknown name stands for, where the name is a value of its own.
void offer_part(Message& m, const Node& scope, std::string_view unknown) {
  std::array<std::string_view, part_names.size()> names{};
  std::ranges::transform(part_names, names.begin(), &PartName::name);
  if (scope.is_string() && scope.text == unknown) offer_word(m, scope, names);
  for (const NodePtr& item : scope.items) {
    if (item->is_string() && item->text == unknown) return offer_word(m, *item, names);
  }
}

void scope_unknown(const MegatronRun& run, Findings& out) {
  const Scope scope = read_scope(run);
  if (scope.legal()) return;
  const Raw& field = run.given.cuda_graph_scope;
  out.add(field, [&](Message& m) {
    if (!scope.readable) {
      m.say("cuda_graph_scope is a list of names, not {}", to_text(*field.value));
    } else if (scope.unknown.data() != nullptr) {
      m.say("cuda_graph_scope knows no {}", scope.unknown.empty() ? "empty name" : scope.unknown);
    } else {
      m.say("cuda_graph_scope has full together with other names: full means all of a layer");
    }
    m.help("known names: {}; an empty list captures whole layers", known_text);
    if (scope.unknown.data() == nullptr) {
      m.fix("capture whole layers", field, "[]");
    } else {
      offer_part(m, *field.value, scope.unknown);
    }
  });
}

void scope_not_a_list(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const Raw& scope = run.given.cuda_graph_scope;
  const bool default_list = scope.value == nullptr && !scope.is_explicit;
  if (default_list || (scope.value != nullptr && scope.value->is_sequence())) return;
  const bool graphs = *config.cuda_graph_impl == "local";
  const bool wgrad = *config.delay_wgrad_compute && *config.overlap_grad_reduce;
  if (!graphs && !wgrad) return;
  out.add(scope, [&](Message& m) {
    m.say("{} needs cuda_graph_scope to be a list; it is {}",
          graphs ? "cuda_graph_impl local" : "delay_wgrad_compute with overlap_grad_reduce",
          scope.value != nullptr ? to_text(*scope.value) : "null");
    if (graphs) {
      m.also(config.cuda_graph_impl);
    } else {
      m.also(config.delay_wgrad_compute).also(config.overlap_grad_reduce);
    }
    m.because("Megatron looks for an item in it, and Primus does not turn the text of its preset into a list");
    m.help("cuda_graph_scope: [] is what full means");
    m.fix("make cuda_graph_scope an empty list", scope, "[]");
  });
}

/// What is wrong with the captured parts, in Megatron's order; null when nothing is.
const char* scope_fault(const MegatronRun& run, const Scope& scope) {
  const MegatronConfig& config = run.config;
  if (*config.cuda_graph_impl == "transformer_engine" && scope.has(full_iteration))
    return "full_iteration is for cuda_graph_impl local";
  if (scope.has(moe) && scope.has(moe_router))
    return "moe and moe_router exclude each other: moe captures the router too";
  if (scope.has(moe_preprocess) && !scope.has(moe_router)) return "moe_preprocess needs moe_router";
  if (config.num_experts.value.value_or(0) <= 1) {
    return scope.has(moe) || scope.has(moe_router) ? "moe and moe_router are for models with experts" : nullptr;
  }
  const LayerFrequency& frequency = run.parsed.moe_layers;
  const bool no_dense_layer = frequency.every == 1 || (!frequency.pattern.empty() &&
                                                       std::find(frequency.pattern.begin(), frequency.pattern.end(),
                                                                 0) == frequency.pattern.end());
  if (no_dense_layer && scope.has(mlp)) return "mlp is for dense layers and every layer has experts";
  const bool drops_and_pads = config.moe_expert_capacity_factor.value && *config.moe_pad_expert_input_to_capacity;
  if (drops_and_pads) return nullptr;
  if (scope.has(moe)) return "moe needs moe_expert_capacity_factor and moe_pad_expert_input_to_capacity (fixed shapes)";
  const bool copies_to_host = config.moe_expert_capacity_factor.value || *config.moe_router_padding_for_quantization;
  if (scope.has(moe_preprocess) && *config.moe_token_dispatcher_type == "alltoall" && copies_to_host) {
    return "moe_preprocess copies to the host with moe_expert_capacity_factor or moe_router_padding_for_quantization";
  }
  return nullptr;
}

void scope_conflict(const MegatronRun& run, Findings& out) {
  if (!has_cuda_graphs(run)) return;
  const Scope scope = read_scope(run);
  if (!scope.legal()) return;
  const char* fault = scope_fault(run, scope);
  if (fault == nullptr) return;
  out.add(run.given.cuda_graph_scope, [&](Message& m) {
    m.say("cuda_graph_scope {} cannot be captured: {}", to_text(*run.given.cuda_graph_scope.value), fault);
    m.also(run.config.cuda_graph_impl);
    m.help("known names: {}; an empty list captures whole layers", known_text);
  });
}

/// What recompute and the captured parts have against each other; null when nothing is.
const char* recompute_fault(const MegatronRun& run, const Scope& scope) {
  const MegatronConfig& config = run.config;
  if (*config.recompute_granularity != "selective") {
    return scope.parts == full_iteration
               ? nullptr
               : "full recompute needs cuda_graph_impl local with cuda_graph_scope [full_iteration]";
  }
  const bool recomputes_moe = recomputes_module(run, "moe") || *config.moe_layer_recompute;
  if (*config.cuda_graph_impl == "transformer_engine" && recomputes_moe && scope.has(moe_router)) {
    return "recompute of moe reaches over the captured moe_router";
  }
  // Random numbers inside a graph cannot be replayed.
  const bool all = scope.parts == 0 || scope.has(full_iteration);
  if (*config.attention_dropout != 0 && (all || scope.has(attn)) && recomputes_module(run, "core_attn")) {
    return "recompute of core_attn inside a graph needs attention_dropout 0";
  }
  if (*config.hidden_dropout != 0 &&
      (((all || scope.has(mlp)) && recomputes_module(run, "mlp")) || ((all || scope.has(moe)) && recomputes_moe))) {
    return "recompute of mlp or moe inside a graph needs hidden_dropout 0";
  }
  if (config.moe_input_jitter_eps.value && (all || scope.has(moe)) && recomputes_moe) {
    return "recompute of moe inside a graph needs moe_input_jitter_eps null";
  }
  return nullptr;
}

void recompute_conflict(const MegatronRun& run, Findings& out) {
  if (!has_cuda_graphs(run) || picks_recompute_layers(run) || !is_set(run.config.recompute_granularity)) return;
  const Scope scope = read_scope(run);
  if (!scope.legal()) return;
  const char* fault = recompute_fault(run, scope);
  if (fault == nullptr) return;
  out.add(run.config.recompute_granularity, [&](Message& m) {
    m.say("recompute_granularity {} does not go with these CUDA graphs: {}", *run.config.recompute_granularity, fault);
    m.also(run.config.cuda_graph_impl).also(run.given.cuda_graph_scope).also(run.given.recompute_modules);
    m.help("cuda_graph_impl: none; or another recompute");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG750",
      .name = "cuda-graph-flags-conflict",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "enable_cuda_graph, external_cuda_graph and cuda_graph_impl exclude each other.",
      .explanation = "enable_cuda_graph means cuda_graph_impl: local, external_cuda_graph means cuda_graph_impl: "
                     "transformer_engine. Only one of the three spellings may be used.",
      .bad = {.world_size = 8, .yaml = "enable_cuda_graph: true\nexternal_cuda_graph: true\ncuda_graph_scope: []\n"},
      .good = {.world_size = 8, .yaml = "enable_cuda_graph: true\ncuda_graph_scope: []\n"}},
     flags_conflict},
    {{.id = "MG751",
      .name = "cuda-graph-impl-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_asserts,
      .summary = "cuda_graph_impl is none, local or transformer_engine.",
      .explanation = "Anything but none switches CUDA graphs on, null too, and is then refused.",
      .bad = {.world_size = 8, .yaml = "cuda_graph_impl: full\n"},
      .good = {.world_size = 8, .yaml = "cuda_graph_impl: none\n"}},
     implementation_unknown},
    {{.id = "MG752",
      .name = "cuda-graph-scope-unknown",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = "Megatron stops when it builds TransformerConfig (KeyError or AssertionError)",
      .summary = "cuda_graph_scope holds known names; full stands alone.",
      .explanation = "cuda_graph_scope lists the parts of a layer that are captured: attn, mlp, moe, moe_router, "
                     "moe_preprocess, mamba, or full_iteration for the whole step. An empty list, or the older word "
                     "full, captures whole layers. The names are read even when cuda_graph_impl is none.",
      .bad = {.world_size = 8, .yaml = "cuda_graph_impl: transformer_engine\ncuda_graph_scope: [attention]\n"},
      .good = {.world_size = 8, .yaml = "cuda_graph_impl: transformer_engine\ncuda_graph_scope: [attn]\n"}},
     scope_unknown},
    {{.id = "MG753",
      .name = "cuda-graph-scope-not-a-list",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (TypeError)",
      .summary =
          "cuda_graph_impl local, and delay_wgrad_compute with overlap_grad_reduce, need cuda_graph_scope as a list.",
      .explanation = "Megatron's own command line turns cuda_graph_scope into a list; Primus hands the text full of "
                     "its preset on as it is. Two checks then look for an item in a text and stop with TypeError, the "
                     "second one without any CUDA graph. Write cuda_graph_scope: [].",
      .bad = {.world_size = 8, .yaml = "cuda_graph_impl: local\n"},
      .good = {.world_size = 8, .yaml = "cuda_graph_impl: local\ncuda_graph_scope: []\n"}},
     scope_not_a_list},
    {{.id = "MG754",
      .name = "cuda-graph-scope-conflict",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_asserts,
      .summary = "The captured parts must fit the model and each other.",
      .explanation = "moe captures router and experts, so it excludes moe_router, and it needs fixed shapes (capacity "
                     "factor and padding). moe_preprocess needs moe_router. moe and moe_router need experts, mlp needs "
                     "a dense layer, full_iteration needs cuda_graph_impl: local.",
      .bad = {.world_size = 8, .yaml = "cuda_graph_impl: transformer_engine\ncuda_graph_scope: [attn, moe_router]\n"},
      .good = {.world_size = 8, .yaml = "cuda_graph_impl: transformer_engine\ncuda_graph_scope: [attn, mlp]\n"}},
     scope_conflict},
    {{.id = "MG719",
      .name = "cuda-graph-recompute-conflict",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_asserts,
      .summary = "Recompute and CUDA graphs go together only inside or outside of each other.",
      .explanation = "Full recompute needs a graph of the whole iteration (cuda_graph_impl: local, cuda_graph_scope: "
                     "[full_iteration]). Selective recompute may not reach over a captured part, and a recomputed "
                     "module inside a graph may use no dropout or jitter.",
      .bad = {.world_size = 8,
              .yaml = "cuda_graph_impl: transformer_engine\nrecompute_granularity: full\nrecompute_method: "
                      "uniform\nrecompute_num_layers: 1\n"},
      .good = {.world_size = 8,
               .yaml = "cuda_graph_impl: none\nrecompute_granularity: full\nrecompute_method: "
                       "uniform\nrecompute_num_layers: 1\n"}},
     recompute_conflict},
};

}  // namespace

RuleList cuda_graph_rules() { return rules; }

}  // namespace primus_plan::megatron
