#include <limits>

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

/// What torch asks of an optimizer's numbers: 0 or more, and below `end`. Source: torch/optim/adam.py:Adam.__init__,
/// which AdamW shares.
struct NumberRange {
  Number TorchTitanConfig::*key;
  double end;
};

constexpr double no_end = std::numeric_limits<double>::infinity();
constexpr NumberRange ranges[] = {
    {&TorchTitanConfig::optimizer_beta1, 1},
    {&TorchTitanConfig::optimizer_beta2, 1},
    {&TorchTitanConfig::optimizer_eps, no_end},
    {&TorchTitanConfig::optimizer_lr, no_end},
    {&TorchTitanConfig::optimizer_weight_decay, no_end},
};

void optimizer_number_refused(const TorchTitanRun& run, Findings& out) {
  for (const NumberRange& range : ranges) {
    const Number& number = run.config.*range.key;
    if ((*number >= 0 && *number < range.end) || run.is_unreadable(number.key)) continue;
    out.add(number, [&](Message& m) {
      m.say("{} is {}: torch takes 0 or more{}", number.key, *number, range.end == 1 ? ", below 1" : "");
    });
  }
}

/// torch/nn/utils/clip_grad.py scales gradients by max_norm / norm where that is below 1.
void clips_to_nothing(const TorchTitanRun& run, Findings& out) {
  const Number& norm = run.config.max_norm;
  if (*norm > 0 || run.is_unreadable(norm.key)) return;
  out.add(norm, [&](Message& m) {
    m.say(
        "training.max_norm is {}: {}", *norm,
        *norm < 0 ? "every step goes against its gradient" : "every gradient is clipped to 0, and nothing is learned");
    m.help("0 switches clipping off in Megatron, not here: a large number, 1.0e+9, clips nothing");
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
    {{.id = "TT554",
      .name = "optimizer-number-refused",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = build_optimizers,
      .outcome = "torch stops when the optimizer is built (ValueError)",
      .summary = "lr, eps and weight_decay are 0 or more, the betas from 0 to below 1.",
      .explanation = "torch.optim checks the numbers of Adam and AdamW when it makes them.",
      .bad = {.world_size = 8, .yaml = "optimizer:\n  beta2: 1.0\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "optimizer:\n  beta2: 0.95\ntraining:\n  seq_len: 2048\n"}},
     optimizer_number_refused},
    {{.id = "TT268",
      .name = "clips-to-nothing",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/distributed/utils.py:clip_grad_norm_",
      .outcome = "trains with gradients of 0, or against them",
      .summary = "training.max_norm is above 0.",
      .explanation = "Gradients are scaled by max_norm / norm where that is below 1, so that 0 makes all of them 0 and "
                     "a negative number turns them round. Megatron's clip_grad: 0.0, which clips nothing, has no "
                     "counterpart here.",
      .bad = {.world_size = 8, .yaml = "training:\n  max_norm: 0.0\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "training:\n  max_norm: 1.0\n  seq_len: 2048\n"}},
     clips_to_nothing},
};

}  // namespace

RuleList optimizer_rules() { return rules; }

}  // namespace primus_plan::torchtitan
