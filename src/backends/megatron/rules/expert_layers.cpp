#include <algorithm>

#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* layer_specs = "megatron/core/models/gpt/gpt_layer_specs.py:get_gpt_decoder_layer_specs";

/// The layers are chosen by moe_layer_freq: not for hybrid patterns, which name their expert layers, nor for a spec of
/// the user's own.
bool frequency_decides(const MegatronRun& run) {
  return builds_experts(run) && run.config.spec.value == nullptr && run.config.hybrid_layer_pattern.value.empty() &&
         run.config.hybrid_override_pattern.value.empty();
}

void frequency_unreadable(const MegatronRun& run, Findings& out) {
  const LayerFrequency& layers = run.parsed.moe_layers;
  if (!frequency_decides(run) || (layers.readable && (layers.every || run.config.moe_layer_freq.value != nullptr)))
    return;
  const Raw& field = run.config.moe_layer_freq;
  out.add(field, [&](Message& m) {
    m.say("moe_layer_freq {} is neither a number, a list, nor an expression that gives one",
          field.value != nullptr ? to_text(*field.value) : "null");
    m.help("write a number n (every n-th layer has experts), or a list like \"([0]*3+[1]*58)\"");
  });
}

void frequency_length(const MegatronRun& run, Findings& out) {
  const LayerFrequency& layers = run.parsed.moe_layers;
  const Int count = run.config.num_layers.value.value_or(0);
  const bool is_list = layers.readable && !layers.every && run.config.moe_layer_freq.value != nullptr;
  if (!frequency_decides(run) || !is_list || count < 1) return;
  const Int length = static_cast<Int>(layers.pattern.size());
  if (length == count) return;
  out.add(run.config.moe_layer_freq, [&](Message& m) {
    m.say("moe_layer_freq describes {} layers, but num_layers is {}", length, count);
    m.also(run.config.num_layers, "num_layers");
    const auto dense = std::find(layers.pattern.begin(), layers.pattern.end(), 1) - layers.pattern.begin();
    if (dense < count) m.help("for {} layers: \"([0]*{}+[1]*{})\"", count, dense, count - dense);
    m.help("a list has one entry a layer: 0 dense, 1 with experts");
  });
}

void frequency_values(const MegatronRun& run, Findings& out) {
  const LayerFrequency& layers = run.parsed.moe_layers;
  if (!frequency_decides(run) || !layers.readable) return;
  const Raw& field = run.config.moe_layer_freq;
  if (layers.every) {
    if (*layers.every != 0) return;
    out.add(field, [&](Message& m) {
      m.say("moe_layer_freq is 0: Megatron divides by it");
      m.help("1 gives every layer experts; num_experts: null makes the model dense");
    });
    return;
  }
  const auto wrong =
      std::find_if(layers.pattern.begin(), layers.pattern.end(), [](Int value) { return value != 0 && value != 1; });
  if (wrong == layers.pattern.end()) return;
  out.add(field, [&](Message& m) {
    m.say("moe_layer_freq holds {} for layer {}: entries are 0 (dense) or 1 (with experts)", *wrong,
          wrong - layers.pattern.begin());
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG411",
      .name = "expert-layers-length",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = layer_specs,
      .outcome = "Megatron stops when it chooses the layers (AssertionError)",
      .summary = "A moe_layer_freq list has num_layers entries.",
      .explanation = "A list, or an expression that gives one, says for every layer whether it has experts. It "
                     "has to be cut together with num_layers: presets for large models carry lists of their full "
                     "depth, and a proxy with fewer layers needs its own.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "num_layers: 4\n"
                      "moe_layer_freq: \"([0]*1+[1]*26)\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "num_layers: 4\n"
                       "moe_layer_freq: \"([0]*1+[1]*3)\"\n"}},
     frequency_length},
    {{.id = "MG412",
      .name = "expert-layers-unreadable",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = layer_specs,
      .outcome = "Primus keeps the text as it is, and Megatron stops when it chooses the layers (ValueError)",
      .summary = "moe_layer_freq is a number, a list, or an expression that gives one.",
      .explanation = "Primus evaluates a text with Python before Megatron sees it. Where that fails it only logs "
                     "a warning and passes the text on, which Megatron then refuses.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_layer_freq: \"[0]*1+[1]*23)\"\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "num_layers: 24\n"
                       "moe_layer_freq: \"([0]*1+[1]*23)\"\n"}},
     frequency_unreadable},
    {{.id = "MG413",
      .name = "expert-layers-values",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = layer_specs,
      .outcome = "Megatron stops when it chooses the layers",
      .summary = "moe_layer_freq is a number other than 0, or a list of zeros and ones.",
      .explanation = "A number n gives experts to layer 0, n, 2n, … A list holds 1 for layers with experts and 0 "
                     "for dense ones.",
      .bad = {.world_size = 8,
              .yaml = "num_experts: 8\n"
                      "moe_grouped_gemm: true\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_layer_freq: 0\n"},
      .good = {.world_size = 8,
               .yaml = "num_experts: 8\n"
                       "moe_grouped_gemm: true\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_layer_freq: 2\n"}},
     frequency_values},
};

}  // namespace

RuleList expert_layer_rules() { return rules; }

}  // namespace primus_plan::megatron
