#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sharding.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

void unknown_optimizer(const MegatronRun& run, Findings& out) {
  const Word& optimizer = run.config.optimizer;
  if (*optimizer == "adam" || *optimizer == "sgd" || uses_muon(run)) return;
  out.add(optimizer, [&](Message& m) {
    m.say("optimizer {} is none that Megatron knows", is_set(optimizer) ? *optimizer : "null");
    m.help("optimizers: adam, sgd, muon, dist_muon; adam is AdamW: its weight decay is decoupled");
    offer_word(m, optimizer, "adam|sgd|muon|dist_muon");
  });
}

void sharded_sgd(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.use_distributed_optimizer || *config.optimizer != "sgd") return;
  out.add(config.optimizer, [&](Message& m) {
    m.say("the distributed optimizer shards the state of adam only, not of sgd");
    m.also(config.use_distributed_optimizer);
    m.help("use_distributed_optimizer: false; or optimizer: adam");
    fix_either(m, config.use_distributed_optimizer, "false", config.optimizer, "adam");
  });
}

void sharded_muon(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!uses_muon(run) || !*config.use_distributed_optimizer) return;
  out.add(config.optimizer, [&](Message& m) {
    m.say("optimizer {} does not go with use_distributed_optimizer", *config.optimizer);
    m.also(config.use_distributed_optimizer);
    m.help(
        "use_distributed_optimizer: false (the Primus trainer presets switch it on); dist_muon shards by whole layers");
    fix_either(m, config.use_distributed_optimizer, "false", config.optimizer, "adam");
  });
}

void muon_with_overlap(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.optimizer != "muon" || !(*config.overlap_grad_reduce || *config.overlap_param_gather)) return;
  const Flag& overlap = *config.overlap_grad_reduce ? config.overlap_grad_reduce : config.overlap_param_gather;
  out.add(config.optimizer, [&](Message& m) {
    m.say("optimizer muon does not go with {}", overlap.key);
    m.also(config.overlap_grad_reduce);
    if (*config.overlap_param_gather) m.also(config.overlap_param_gather);
    m.help("optimizer: dist_muon overlaps both; or overlap_grad_reduce: false and overlap_param_gather: false");
    m.fix("set optimizer to dist_muon", config.optimizer, "dist_muon");
  });
}

void muon_with_fsdp(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!uses_muon(run)) return;
  const bool whole_matrices = *config.ckpt_format == "torch" || *config.ckpt_format == "torch_dist";
  if (!uses_fsdp(run) && whole_matrices) return;
  out.add(config.optimizer, [&](Message& m) {
    if (uses_fsdp(run)) {
      const Flag& fsdp = *config.use_torch_fsdp2 ? config.use_torch_fsdp2 : config.use_megatron_fsdp;
      m.say("optimizer {} does not go with {}: it needs whole weight matrices", *config.optimizer, fsdp.key);
      m.also(fsdp).help("{}: false; or optimizer: adam", fsdp.key);
    } else {
      m.say("optimizer {} saves as ckpt_format torch or torch_dist, not {}", *config.optimizer,
            is_set(config.ckpt_format) ? *config.ckpt_format : "null");
      m.also(config.ckpt_format).help("ckpt_format: torch_dist");
      m.fix("set ckpt_format to torch_dist", config.ckpt_format, "torch_dist");
    }
  });
}

void muon_with_fp16(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!uses_muon(run) || !*config.fp16) return;
  out.add(config.optimizer, [&](Message& m) {
    m.say("optimizer {} does not train in fp16", *config.optimizer);
    m.also(config.fp16).help("bf16: true and fp16: false");
  });
}

void muon_per_head(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!uses_muon(run) || !*config.muon_per_head || !*config.muon_per_head_strict) return;
  // Multi-latent attention has projections of its own names: left to the run.
  if (*config.model_type == "kimi_k3" || *config.multi_latent_attention) return;
  out.add(config.muon_per_head, [&](Message& m) {
    m.say("muon_per_head finds no Q, K and V weights by head: they exist in Kimi K3 models only");
    m.also(config.model_type);
    m.help("muon_per_head: false; muon_per_head_strict: false makes it a warning of the run");
    m.fix("switch muon_per_head off", config.muon_per_head, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG511",
      .name = "optimizer-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/training/training.py:get_megatron_optimizer_config",
      .outcome = "Megatron stops when it builds the optimizer (ValueError)",
      .summary = "optimizer is adam, sgd, muon or dist_muon.",
      .explanation = "Primus does not check the choices of Megatron's options, so an unknown name travels until the "
                     "optimizer is built. Megatron's adam is AdamW: weight decay is decoupled.",
      .bad = {.world_size = 8, .yaml = "optimizer: adamw\n"},
      .good = {.world_size = 8, .yaml = "optimizer: adam\n"}},
     unknown_optimizer},
    {{.id = "MG512",
      .name = "distributed-optimizer-without-adam",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/optimizer/distrib_optimizer.py:__init__",
      .outcome = "Megatron stops when it builds the optimizer (AssertionError)",
      .summary = "The distributed optimizer shards adam only.",
      .explanation = "Checkpoints of the distributed optimizer are written for adam's state. The Primus trainer "
                     "presets switch the distributed optimizer on, so a run with sgd has to switch it off.",
      .bad = {.world_size = 8, .yaml = "optimizer: sgd\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer: sgd\n"
                       "use_distributed_optimizer: false\n"}},
     sharded_sgd},
    {{.id = "MG513",
      .name = "muon-with-distributed-optimizer",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "muon and dist_muon need use_distributed_optimizer off.",
      .explanation = "Muon orthogonalizes whole matrices; the distributed optimizer cuts them at arbitrary places. "
                     "dist_muon spreads whole layers over the data-parallel ranks instead and does not use this key. "
                     "The Primus trainer presets switch it on.",
      .bad = {.world_size = 8, .yaml = "optimizer: muon\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer: muon\n"
                       "use_distributed_optimizer: false\n"}},
     sharded_muon},
    {{.id = "MG514",
      .name = "muon-with-overlap",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "optimizer muon does not overlap communication.",
      .explanation = "Only dist_muon works with overlap_grad_reduce and overlap_param_gather.",
      .bad = {.world_size = 8,
              .yaml = "optimizer: muon\n"
                      "use_distributed_optimizer: false\n"
                      "overlap_grad_reduce: true\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer: dist_muon\n"
                       "use_distributed_optimizer: false\n"
                       "overlap_grad_reduce: true\n"}},
     muon_with_overlap},
    {{.id = "MG515",
      .name = "muon-with-fsdp",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "muon goes with no FSDP, and saves as torch or torch_dist.",
      .explanation = "FSDP cuts each weight over the data-parallel ranks, and Muon works on whole matrices.",
      .bad = {.world_size = 8,
              .yaml = "optimizer: muon\n"
                      "use_distributed_optimizer: false\n"
                      "use_megatron_fsdp: true\n"
                      "ckpt_format: fsdp_dtensor\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer: muon\n"
                       "use_distributed_optimizer: false\n"
                       "ckpt_format: torch_dist\n"}},
     muon_with_fsdp},
    {{.id = "MG516",
      .name = "muon-with-fp16",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/optimizer/muon.py:get_megatron_muon_optimizer",
      .outcome = "Megatron stops when it builds the optimizer",
      .summary = "muon does not train in fp16.",
      .explanation = "There is no loss scaling in the Muon optimizer: train in bf16.",
      .bad = {.world_size = 8,
              .yaml = "optimizer: muon\n"
                      "use_distributed_optimizer: false\n"
                      "fp16: true\n"
                      "bf16: false\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer: muon\n"
                       "use_distributed_optimizer: false\n"
                       "bf16: true\n"}},
     muon_with_fp16},
    {{.id = "MG517",
      .name = "muon-per-head-without-heads",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/patches/per_head_muon_patches.py:patched_get_megatron_muon_optimizer",
      .outcome = "Primus stops when it builds the optimizer (RuntimeError)",
      .summary = "muon_per_head is for models with Q, K and V weights by head (Kimi K3).",
      .explanation = "Primus looks for attention weights that it can cut by head and stops when none match, unless "
                     "muon_per_head_strict is off.",
      .bad = {.world_size = 8,
              .yaml = "optimizer: muon\n"
                      "use_distributed_optimizer: false\n"
                      "muon_per_head: true\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer: muon\n"
                       "use_distributed_optimizer: false\n"
                       "muon_per_head: false\n"}},
     muon_per_head},
};

}  // namespace

RuleList optimizer_rules() { return rules; }

}  // namespace primus_plan::megatron
