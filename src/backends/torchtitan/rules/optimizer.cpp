#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* build_optimizers = "torchtitan/components/optimizer.py:build_optimizers";

void early_step_with_parallelism(const TorchTitanRun& run, Findings& out) {
  const Flag& early = run.config.optimizer_early_step_in_backward;
  if (!*early || (run.ep() <= 1 && run.pp() <= 1)) return;
  out.add(early, [&](Message& m) {
    m.say("optimizer.early_step_in_backward goes with neither PP nor EP, here PP {} and EP {}", run.pp(), run.ep());
    m.also(run.config.pipeline_parallel_degree).also(run.config.expert_parallel_degree);
    m.fix("set optimizer.early_step_in_backward to false", early, "false");
  });
}

void optimizer_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& name = run.config.optimizer_name;
  if (*name == "Adam" || *name == "AdamW" || run.is_unreadable(name.key)) return;
  out.add(name, [&](Message& m) {
    m.say("optimizer.name {} is neither Adam nor AdamW", quoted(*name));
    offer_word(m, name, "Adam|AdamW");
  });
}

void optimizer_implementation_unknown(const TorchTitanRun& run, Findings& out) {
  const Word& kind = run.config.optimizer_implementation;
  if (*kind == "fused" || *kind == "foreach" || *kind == "for-loop" || run.is_unreadable(kind.key)) return;
  out.add(kind, [&](Message& m) {
    m.say("optimizer.implementation {} is none of fused, foreach, for-loop", quoted(*kind));
    offer_word(m, kind, "fused|foreach|for-loop");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT551",
      .name = "early-step-with-pipeline-or-experts",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = build_optimizers,
      .outcome = "TorchTitan stops when it builds the optimizer (NotImplementedError)",
      .summary = "optimizer.early_step_in_backward goes with neither PP nor EP.",
      .explanation = "Stepping inside the backward pass frees gradients early, but needs all gradients of a "
                     "parameter in one pass.",
      .bad = {.world_size = 8,
              .yaml = "optimizer:\n  early_step_in_backward: true\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "optimizer:\n  early_step_in_backward: true\nparallelism:\n"
                       "  pipeline_parallel_degree: 1\n"}},
     early_step_with_parallelism},
    {{.id = "TT552",
      .name = "torchtitan-optimizer-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = build_optimizers,
      .outcome = "TorchTitan stops when it builds the optimizer (NotImplementedError)",
      .summary = "optimizer.name is Adam or AdamW.",
      .explanation = "The words are matched as they stand: adamw is neither.",
      .bad = {.world_size = 8, .yaml = "optimizer:\n  name: adamw\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "optimizer:\n  name: AdamW\ntraining:\n  seq_len: 2048\n"}},
     optimizer_unknown},
    {{.id = "TT553",
      .name = "optimizer-implementation-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = build_optimizers,
      .outcome = "TorchTitan stops when it builds the optimizer (AssertionError without text)",
      .summary = "optimizer.implementation is fused, foreach or for-loop.",
      .explanation = "fused is the fastest, for-loop the slowest with the least memory at its peak.",
      .bad = {.world_size = 8, .yaml = "optimizer:\n  implementation: forloop\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "optimizer:\n  implementation: for-loop\ntraining:\n  seq_len: 2048\n"}},
     optimizer_implementation_unknown},
};

}  // namespace

RuleList optimizer_rules() { return rules; }

}  // namespace primus_plan::torchtitan
