#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

bool every_layer_is_moe(const MaxTextConfig& config) {
  return *config.interleave_moe_layer_step == 1 && *config.first_num_dense_layers == 0 &&
         *config.inhomogeneous_layer_cycle_interval == 1;
}

void expert_sizes(const MaxTextRun& run, Findings& out) {
  const MaxTextConfig& config = run.config;
  if (!run.is_moe()) return;
  if (*config.base_moe_mlp_dim <= 0) {
    out.add(config.base_moe_mlp_dim, [&](Message& m) {
      m.say("base_moe_mlp_dim is {}: {} experts need a size", *config.base_moe_mlp_dim, *config.num_experts);
      m.also(config.num_experts);
      because_of_model_file(m, run, config.base_moe_mlp_dim);
    });
  } else if (every_layer_is_moe(config) && *config.base_mlp_dim != *config.base_moe_mlp_dim &&
             *config.decoder_block != "gemma4") {
    out.add(config.base_moe_mlp_dim, [&](Message& m) {
      m.say("base_mlp_dim {} and base_moe_mlp_dim {} differ, though every layer is a mixture of experts",
            *config.base_mlp_dim, *config.base_moe_mlp_dim);
      m.also(config.base_mlp_dim);
      because_of_model_file(m, run, config.base_mlp_dim);
      m.help("write the size of an expert in both");
    });
  }
}

void router_options(const MaxTextRun& run, Findings& out) {
  const MaxTextConfig& config = run.config;
  const std::string_view block = *config.decoder_block;
  if (run.is_moe() && block == "gpt_oss" && !*config.sparse_matmul && *config.capacity_factor != -1) {
    out.add(config.capacity_factor, [&](Message& m) {
      m.say("capacity_factor {}: gpt_oss with sparse_matmul: false drops no tokens",
            number_text(*config.capacity_factor));
      m.fix("set capacity_factor to -1", config.capacity_factor, "-1");
    });
  }
  const bool loss_free = *config.routed_bias && *config.routed_bias_update_rate > 0;
  if (run.is_moe() && loss_free && block != "deepseek" && block != "deepseek4") {
    out.add(config.routed_bias_update_rate, [&](Message& m) {
      m.say("routed_bias_update_rate {}: balancing by bias is written for deepseek decoders, not {}",
            number_text(*config.routed_bias_update_rate), block);
    });
  }
  if (run.is_moe() && !*config.pure_nnx && *config.routed_bias && block == "deepseek4") {
    out.add(config.pure_nnx, [&](Message& m) { m.say("the routed bias of deepseek4 needs pure_nnx: true"); });
  }
  const bool hashes = config.model_name.value.starts_with("deepseek4") && *config.first_num_hash_layers > 0;
  if (run.is_moe() && hashes && *config.use_ring_of_experts) {
    out.add(config.use_ring_of_experts, [&](Message& m) {
      m.say("use_ring_of_experts does not go with the hash routing of {}", *config.model_name);
    });
  }
}

void llama4_experts(const MaxTextRun& run, Findings& out) {
  const MaxTextConfig& config = run.config;
  const std::string_view block = *config.decoder_block;
  const Int step = *config.interleave_moe_layer_step;
  if (block == "llama4" && *config.capacity_factor >= 0) {
    out.add(config.capacity_factor, [&](Message& m) {
      m.say("capacity_factor {}: llama4 decoders drop no tokens", number_text(*config.capacity_factor));
      m.fix("set capacity_factor to -1", config.capacity_factor, "-1");
    });
  }
  if (block == "llama4" && *config.num_experts_per_tok > 1) {
    out.add(config.num_experts_per_tok, [&](Message& m) {
      m.say("num_experts_per_tok {}: llama4 decoders route to one expert", *config.num_experts_per_tok);
    });
  }
  if ((block == "llama4" || block == "envy") &&
      (step == 0 || floor_remainder(*config.base_num_decoder_layers, step) != 0)) {
    out.add(config.interleave_moe_layer_step, [&](Message& m) {
      m.say("{} layers are not a multiple of interleave_moe_layer_step {}", *config.base_num_decoder_layers, step);
      m.also(config.base_num_decoder_layers);
    });
  }
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX408",
      .name = "expert-size-mismatch",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Experts have a size, the same as base_mlp_dim where every layer has experts.",
      .explanation = "base_moe_mlp_dim is the size of one expert. Without dense layers MaxText wants base_mlp_dim to "
                     "be the same number; for qwen3_moe it copies it, for gemma4 the two may differ.",
      .bad = {.world_size = 8,
              .yaml = "model_name: default\ndecoder_block: mixtral\nper_device_batch_size: 1\nnum_experts: "
                      "8\nbase_moe_mlp_dim: 4096\n"
                      "megablox: false\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: default\ndecoder_block: mixtral\nper_device_batch_size: 1\nnum_experts: "
                       "8\nbase_moe_mlp_dim: 7168\n"
                       "megablox: false\n"}},
     expert_sizes},
    {{.id = "MX409",
      .name = "router-option-not-for-decoder",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Options of the router fit the decoder.",
      .explanation = "gpt_oss with dense products drops no tokens (capacity_factor: -1); balancing by a learned bias "
                     "is deepseek's; the routed bias of deepseek4 needs pure_nnx, its hash routing no ring of experts.",
      .bad = {.world_size = 8,
              .yaml = "model_name: gpt-oss-20b\nper_device_batch_size: 1\nsparse_matmul: false\nmegablox: "
                      "false\ncapacity_factor: 1\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: gpt-oss-20b\nper_device_batch_size: 1\nsparse_matmul: false\nmegablox: "
                       "false\ncapacity_factor: -1\n"}},
     router_options},
    {{.id = "MX412",
      .name = "interleaved-experts-mismatch",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "llama4 routes to one expert without dropping, every n-th layer.",
      .explanation = "capacity_factor stays below 0, num_experts_per_tok is 1, and the layers are a multiple of "
                     "interleave_moe_layer_step.",
      .bad = {.world_size = 8,
              .yaml = "model_name: llama4-17b-16e\nper_device_batch_size: 1\nmegablox: false\ncapacity_factor: 1\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: llama4-17b-16e\nper_device_batch_size: 1\nmegablox: false\ncapacity_factor: -1\n"}},
     llama4_experts},
};

}  // namespace

RuleList router_rules() { return rules; }

}  // namespace primus_plan::maxtext
