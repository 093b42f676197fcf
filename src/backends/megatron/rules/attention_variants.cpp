#include "backends/megatron/rules/moe.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops when it checks its arguments (AssertionError)";
constexpr const char* config_stops = "Megatron stops when it builds TransformerConfig";

void delta_net_heads(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.experimental_attention_variant != "gated_delta_net" || !has_megatron_config(run)) return;
  if (config.linear_attention_freq.value == nullptr) {
    out.add(config.linear_attention_freq, [&](Message& m) {
      m.say("experimental_attention_variant gated_delta_net needs linear_attention_freq");
      m.help("a number n makes every n-th layer ordinary attention, the others linear");
    });
  }
  const Int keys = *config.linear_num_key_heads;
  const Int values = *config.linear_num_value_heads;
  if (keys < 1 || values < 1 || run.tp() < 1) return;
  if (values % keys != 0) {
    out.add(config.linear_num_value_heads, [&](Message& m) {
      m.say("linear_num_value_heads {} is not a multiple of linear_num_key_heads {}", values, keys);
      m.also(config.linear_num_key_heads);
    });
  }
  for (const Count* heads : {&config.linear_num_key_heads, &config.linear_num_value_heads}) {
    if (heads->value % run.tp() == 0) continue;
    out.add(*heads, [&](Message& m) {
      m.say("{} {} is not a multiple of tensor_model_parallel_size {}", heads->key, heads->value, run.tp());
      m.also(config.tensor_model_parallel_size);
      m.help(
          "tensor_model_parallel_size can be any common divisor of linear_num_key_heads {} and "
          "linear_num_value_heads {}",
          keys, values);
    });
  }
}

/// Layers without rotary embeddings. A text is iterated like a list by Python: by its characters.
void layers_without_rope(const MegatronRun& run, Findings& out) {
  const Raw& field = run.config.no_rope_freq;
  const Int layers = run.config.num_layers.value.value_or(0);
  if (field.value == nullptr || layers < 1 || !has_megatron_config(run)) return;
  const Node& value = *field.value;
  if (value.kind == Kind::integer) {
    if (value.integer == 0 || layers % value.integer == 0) return;
    out.add(field, [&](Message& m) {
      m.say("num_layers {} is not a multiple of no_rope_freq {}", layers, value.integer);
      m.also(run.config.num_layers, "num_layers");
    });
    return;
  }
  const bool is_list = value.is_sequence();
  if (is_list && (value.items.empty() || static_cast<Int>(value.items.size()) == layers)) return;
  if (!is_list && !value.is_string()) return;
  out.add(field, [&](Message& m) {
    if (is_list) {
      m.say("no_rope_freq has {} entries, but num_layers is {}", value.items.size(), layers);
    } else {
      m.say("no_rope_freq is the text {}: Primus does not evaluate it", to_text(value));
    }
    m.also(run.config.num_layers, "num_layers");
    m.help("write a number, or a list with one entry a layer");
  });
}

void layers_without_rope_decode(const MegatronRun& run, Findings& out) {
  const Raw& field = run.config.no_rope_freq;
  if (field.value == nullptr || !*run.config.flash_decode || !has_megatron_config(run)) return;
  if (field.value->kind == Kind::integer && field.value->integer == 0) return;
  out.add(run.config.flash_decode, [&](Message& m) {
    m.say("flash_decode does not work with no_rope_freq");
    m.also(field);
    m.fix("switch it off", run.config.flash_decode, "false");
  });
}

void clip_range(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.qk_clip) return;
  if (!(*config.qk_clip_alpha > 0 && *config.qk_clip_alpha < 1)) {
    out.add(config.qk_clip_alpha, [&](Message& m) {
      m.say("qk_clip_alpha is {}: it lies between 0 and 1, both excluded", *config.qk_clip_alpha);
      m.also(config.qk_clip);
      m.fix("use 0.5", config.qk_clip_alpha, "0.5");
    });
  }
  if (!(*config.qk_clip_threshold > 0)) {
    out.add(config.qk_clip_threshold, [&](Message& m) {
      m.say("qk_clip_threshold is {}: it is positive", *config.qk_clip_threshold);
      m.also(config.qk_clip);
      m.fix("use 100", config.qk_clip_threshold, "100.0");
    });
  }
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG687",
      .name = "delta-net-heads",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "The heads of a gated delta net divide evenly.",
      .explanation = "linear_num_value_heads is a multiple of linear_num_key_heads, and tensor parallelism "
                     "splits both. linear_attention_freq says which layers are linear and has no default.",
      .bad = {.world_size = 8,
              .yaml = "experimental_attention_variant: gated_delta_net\n"
                      "linear_attention_freq: 4\n"
                      "linear_num_value_heads: 32\n"
                      "tensor_model_parallel_size: 4\n"
                      "linear_num_key_heads: 2\n"},
      .good = {.world_size = 8,
               .yaml = "experimental_attention_variant: gated_delta_net\n"
                       "linear_attention_freq: 4\n"
                       "linear_num_value_heads: 32\n"
                       "tensor_model_parallel_size: 4\n"
                       "linear_num_key_heads: 16\n"}},
     delta_net_heads},
    {{.id = "MG688",
      .name = "layers-without-rope",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "no_rope_freq fits num_layers.",
      .explanation = "A number n leaves rotary embeddings out of every n-th layer and has to divide num_layers. "
                     "A list has one entry a layer.",
      .bad = {.world_size = 8,
              .yaml = "no_rope_freq: 5\n"
                      "num_layers: 24\n"},
      .good = {.world_size = 8,
               .yaml = "no_rope_freq: 4\n"
                       "num_layers: 24\n"}},
     layers_without_rope},
    {{.id = "MG689",
      .name = "layers-without-rope-decode",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = sites::transformer_config,
      .outcome = config_stops,
      .summary = "flash_decode excludes no_rope_freq.",
      .explanation = "The decoding kernel applies rotary embeddings in every layer. It serves inference.",
      .bad = {.world_size = 8,
              .yaml = "no_rope_freq: 4\n"
                      "num_layers: 24\n"
                      "flash_decode: true\n"},
      .good = {.world_size = 8,
               .yaml = "no_rope_freq: 4\n"
                       "num_layers: 24\n"}},
     layers_without_rope_decode},
    {{.id = "MG690",
      .name = "query-key-clip-range",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "qk_clip_alpha lies between 0 and 1, qk_clip_threshold is positive.",
      .explanation = "qk_clip scales down query and key weights whose largest attention logit exceeds the "
                     "threshold; alpha shares the scaling between the two.",
      .bad = {.world_size = 8,
              .yaml = "tensor_model_parallel_size: 1\nqk_clip: true\n"
                      "qk_clip_alpha: 1.0\n"},
      .good = {.world_size = 8,
               .yaml = "tensor_model_parallel_size: 1\nqk_clip: true\n"
                       "qk_clip_alpha: 0.5\n"}},
     clip_range},
};

}  // namespace

RuleList attention_variant_rules() { return rules; }

}  // namespace primus_plan::megatron
