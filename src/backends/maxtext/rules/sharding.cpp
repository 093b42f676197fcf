#include <array>

#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

void explicit_sharding(const MaxTextRun& run, Findings& out) {
  const std::string_view block = *run.config.decoder_block;
  if (*run.config.shard_mode != "explicit") return;
  if (block == "simple" || block == "simple_mlp" || block == "llama2" || block == "deepseek") return;
  out.add(run.config.shard_mode, [&](Message& m) {
    m.say("shard_mode: explicit does not know the {} decoder", block);
    because_of_model_file(m, run, run.config.decoder_block);
    m.help("explicit works for llama2 (Llama models), deepseek, simple and simple_mlp");
    m.fix("set shard_mode to auto", run.config.shard_mode, "auto");
  });
}

/// A key that must change before check_vma can be on; no name when none must.
struct Obstacle {
  std::string_view key;
  std::string_view value;  ///< what it must be
};

Obstacle vma_obstacle(const MaxTextConfig& config) {
  if (*config.shard_mode != "auto") return {"shard_mode", "auto"};
  for (const Flag* flag : {&config.use_tokamax_gmm, &config.use_ragged_sort, &config.use_ring_of_experts}) {
    if (**flag) return {flag->key, "false"};
  }
  for (const AxisInfo& axis : axis_infos()) {
    const bool allowed = axis.axis == MeshAxis::expert || axis.axis == MeshAxis::fsdp;
    if (axis.ici != nullptr && !allowed && *(config.*axis.ici) != 1) return {(config.*axis.ici).key, "1"};
  }
  return {};
}

void varying_axes_check(const MaxTextRun& run, Findings& out) {
  if (!*run.config.check_vma) return;
  const Obstacle obstacle = vma_obstacle(run.config);
  if (obstacle.key.empty()) return;
  out.add(run.config.check_vma, [&](Message& m) {
    m.say("check_vma: true needs {}: {}", obstacle.key, obstacle.value);
    m.because("it supports automatic sharding over expert and fsdp axes inside a slice only");
    m.because("a check of upstream MaxText: the ROCm fork may not have it yet");
    m.fix("set check_vma to false", run.config.check_vma, "false");
  });
}

void shardy_off(const MaxTextRun& run, Findings& out) {
  if (*run.config.shardy) return;
  out.add(run.config.shardy, [&](Message& m) {
    m.say("shardy: false: JAX 0.10 in Primus's images shards with Shardy only");
    m.fix("set shardy to true", run.config.shardy, "true");
  });
}

void pathways_options(const MaxTextRun& run, Findings& out) {
  const MaxTextConfig& config = run.config;
  if (*config.enable_single_controller) {
    out.add(config.enable_single_controller, [](Message& m) {
      m.say("enable_single_controller: true is for Pathways on TPUs; Primus starts one process on each node");
    });
  }
  if (!config.subslice_shape.value.empty()) {
    out.add(config.subslice_shape,
            [](Message& m) { m.say("subslice_shape is for Pathways on TPUs and has no effect here"); });
  }
}

void needs_pathways(const MaxTextRun& run, Findings& out) {
  const MaxTextConfig& config = run.config;
  if (*config.enable_single_controller) return;
  for (const auto key : {&MaxTextConfig::elastic_enabled, &MaxTextConfig::colocated_python_data_input,
                         &MaxTextConfig::colocated_python_checkpointing}) {
    const Flag& flag = config.*key;
    if (!*flag) continue;
    out.add(flag, [&](Message& m) {
      m.say("{}: true needs Pathways (enable_single_controller), which Primus does not start", flag.key);
      m.fix(fmt::format("set {} to false", flag.key), flag, "false");
    });
  }
  if (*config.elastic_backup_kind != "snapshot" && *config.elastic_backup_kind != "checkpoint") {
    out.add(config.elastic_backup_kind, [&](Message& m) {
      m.say("elastic_backup_kind: {:.60} is neither snapshot nor checkpoint", *config.elastic_backup_kind);
      offer_word(m, config.elastic_backup_kind, "snapshot|checkpoint");
    });
  }
}

void muon_untested(const MaxTextRun& run, Findings& out) {
  if (*run.config.opt_type != "muon") return;
  constexpr std::array<std::string_view, 5> tested{"deepseek", "deepseek4", "qwen3", "gemma3", "llama2"};
  for (const std::string_view block : tested) {
    if (*run.config.decoder_block == block) return;
  }
  out.add(run.config.opt_type, [&](Message& m) {
    m.say("opt_type: muon does not know the weights of the {} decoder", *run.config.decoder_block);
    because_of_model_file(m, run, run.config.decoder_block);
    m.help("opt_type: adamw works for every decoder");
    m.fix("set opt_type to adamw", run.config.opt_type, "adamw");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX501",
      .name = "explicit-sharding-decoder",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "shard_mode: explicit is written for four decoders.",
      .explanation = "Explicit sharding needs annotations in the decoder; llama2 (all Llama models), deepseek, simple "
                     "and simple_mlp have them.",
      .bad = {.world_size = 8,
              .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nmegablox: false\nshard_mode: explicit\n"},
      .good = {.world_size = 8, .yaml = "model_name: llama3-8b\nper_device_batch_size: 1\nshard_mode: explicit\n"}},
     explicit_sharding},
    {{.id = "MX502",
      .name = "varying-axes-check-unsupported",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:_validate_check_vma_is_supported",
      .outcome = sites::config_error,
      .summary = "check_vma works with automatic sharding over fsdp and expert only.",
      .explanation = "The check of varying mesh axes in shard_map is not written for other axes, explicit sharding, "
                     "Tokamax products, the ragged sort and the ring of experts.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\ncheck_vma: true\nici_tensor_parallelism: 2\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\ncheck_vma: true\nici_fsdp_parallelism: 8\n"}},
     varying_axes_check},
    {{.id = "MX503",
      .name = "shardy-off",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/configs/base.yml:shardy",
      .outcome = "the JAX of Primus's images requires Shardy",
      .summary = "shardy stays on.",
      .explanation = "Primus's release notes name JAX 0.10.0, which needs Shardy. The key is true in Primus's preset.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nshardy: false\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nshardy: true\n"}},
     shardy_off},
    {{.id = "MX504",
      .name = "pathways-option",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/utils/maxtext_utils.py:create_device_mesh",
      .outcome = "MaxText expects one controller for all devices",
      .summary = "Options of Pathways do nothing good on GPUs.",
      .explanation = "enable_single_controller and subslice_shape belong to Pathways, Google's single-controller "
                     "runtime for TPUs.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nenable_single_controller: true\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nenable_single_controller: false\n"}},
     pathways_options},
    {{.id = "MX505",
      .name = "needs-pathways",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Elastic training and colocated Python need Pathways.",
      .explanation = "MaxText refuses elastic_enabled, colocated_python_data_input and colocated_python_checkpointing "
                     "without enable_single_controller.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nelastic_enabled: true\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nelastic_enabled: false\n"}},
     needs_pathways},
    {{.id = "MX509",
      .name = "muon-untested-decoder",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "opt_type: muon knows the weights of five decoders.",
      .explanation = "Muon treats each weight by its dimensions, which MaxText has written down for deepseek, "
                     "deepseek4, qwen3, gemma3 and llama2.",
      .bad = {.world_size = 8,
              .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nmegablox: false\nopt_type: muon\n"},
      .good = {.world_size = 8, .yaml = "model_name: llama3-8b\nper_device_batch_size: 1\nopt_type: muon\n"}},
     muon_untested},
};

}  // namespace

RuleList sharding_rules() { return rules; }

}  // namespace primus_plan::maxtext
