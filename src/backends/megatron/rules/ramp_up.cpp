#include <algorithm>
#include <array>
#include <utility>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

using Fault = MicrobatchFault::Kind;

bool has_fault(const MegatronRun& run, std::initializer_list<Fault> kinds) {
  const auto& fault = run.micro_batch_start.fault;
  return run.parsed.ramp_up && fault && std::find(kinds.begin(), kinds.end(), fault->kind) != kinds.end();
}

/// The numbers of a text like "16 16 1000", as the list that was meant; empty when it holds something else.
std::string list_in(const Node& value) {
  if (!value.is_string()) return {};
  std::string out = "[";
  std::size_t count = 0;
  for (std::size_t at = 0; at < value.text.size();) {
    const std::size_t end = std::min(value.text.find_first_of(" ,", at), value.text.size());
    if (end > at) {
      const std::string_view word = std::string_view(value.text).substr(at, end - at);
      if (word.find_first_not_of("0123456789") != std::string_view::npos) return {};
      out.append(count++ == 0 ? "" : ", ").append(word);
    }
    at = end + 1;
  }
  return count == 3 ? out + "]" : std::string();
}

void ramp_malformed(const MegatronRun& run, Findings& out) {
  if (!has_fault(
          run, {Fault::ramp_length, Fault::start_not_positive, Fault::increment_not_positive, Fault::samples_negative}))
    return;
  out.add(run.config.rampup_batch_size, [&](Message& m) {
    m.say("rampup_batch_size {} is not a list of three integers: start, increment, samples",
          to_text(*run.config.rampup_batch_size.value));
    const std::string list = list_in(*run.config.rampup_batch_size.value);
    if (list.empty()) {
      m.help("write [start, increment, samples], with start and increment above 0: rampup_batch_size: [16, 16, 1000]");
    } else {
      m.help("write rampup_batch_size: {}", list);
      m.fix("write it as a list", run.config.rampup_batch_size, list);
    }
  });
}

void ramp_out_of_range(const MegatronRun& run, Findings& out) {
  if (!has_fault(run, {Fault::start_above_global, Fault::increment_not_divisible, Fault::above_global})) return;
  const Int start = run.parsed.ramp_up->at(0);
  const Int increment = run.parsed.ramp_up->at(1);
  out.add(run.config.rampup_batch_size, [&](Message& m) {
    if (start > run.batch.global) {
      m.say("the ramp starts at {} samples, above global_batch_size {}", start, run.batch.global);
    } else {
      m.say("the ramp from {} in steps of {} never meets global_batch_size {}: {} is not a multiple of {}", start,
            increment, run.batch.global, run.batch.global - start, increment);
    }
    m.also(run.config.global_batch_size);
  });
}

void ramp_without_steps(const MegatronRun& run, Findings& out) {
  if (!run.parsed.ramp_up || run.parsed.ramp_up->size() != 3) return;
  const bool no_samples =
      !run.micro_batch_start.fault && run.batch.accumulation_steps > 0 && run.parsed.ramp_up->at(2) == 0;
  if (!no_samples && !has_fault(run, {Fault::no_increment, Fault::no_samples})) return;
  out.add(run.config.rampup_batch_size, [&](Message& m) {
    if (run.parsed.ramp_up->at(2) == 0) {
      m.say("the ramp covers 0 samples: Megatron divides by it");
    } else {
      m.say("the ramp starts at global_batch_size {}: there is nothing to ramp, and Megatron divides by zero steps",
            run.batch.global);
    }
    m.help("rampup_batch_size: null switches the ramp off");
  });
}

void ramp_with_iterations(const MegatronRun& run, Findings& out) {
  if (run.config.rampup_batch_size.value == nullptr || run.config.train_iters.value.value_or(0) == 0) return;
  out.add(run.config.rampup_batch_size, [&](Message& m) {
    m.say("rampup_batch_size needs training counted in samples, but train_iters is {}", *run.config.train_iters.value);
    m.also(run.config.train_iters, "train_iters set here");
    m.help("set train_iters: null, train_samples: N, lr_warmup_iters: 0, lr_decay_iters: null");
  });
}

void ramp_with_phases(const MegatronRun& run, Findings& out) {
  if (run.config.rampup_batch_size.value == nullptr || run.config.phase_transition_iterations.value == nullptr) return;
  out.add(run.config.phase_transition_iterations, [&](Message& m) {
    m.say("phase_transition_iterations and rampup_batch_size exclude each other");
    m.also(run.config.rampup_batch_size, "the ramp is set here");
    m.help("keep one of the two");
  });
}

void ramp_size_not_divisible(const MegatronRun& run, Findings& out) {
  if (!run.parsed.ramp_up || run.micro_batch_start.fault || run.dp() == 0 || run.batch.micro <= 0) return;
  const auto& ramp = *run.parsed.ramp_up;
  if (ramp.size() != 3 || ramp[2] <= 0) return;
  const Int unit = saturating_multiply(run.batch.micro, run.dp());
  if (ramp[0] % unit == 0 && ramp[1] % unit == 0) return;  // every size divides: no need to walk the ramp
  const auto steps = ramp_steps(run.micro_batch_input);
  const auto stuck = std::find_if(steps.begin(), steps.end(),
                                  [](const RampStep& step) { return !step.divisible || step.batch.count < 1; });
  if (stuck == steps.end()) return;
  out.add(run.config.rampup_batch_size, [&](Message& m) {
    m.say(
        "the ramp reaches a batch of {} after {} samples, which is not a multiple of micro_batch_size x DP = {} x {} = "
        "{}",
        stuck->batch.global, stuck->first_sample, run.batch.micro, run.dp(), unit);
    because_of_dp(m, run);
    m.help("make start and increment multiples of {}", unit);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG210",
      .name = "ramp-malformed",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::calculator,
      .outcome = "Megatron stops when it builds the micro-batch calculator (AssertionError)",
      .summary = "rampup_batch_size is null or [start, increment, samples].",
      .explanation =
          "A YAML list of three integers: the first batch, how much it grows, and over how many samples. A "
          "text like \"16 16 1000\" has the wrong length for Megatron; quotes around single items do no harm.",
      .bad = {.world_size = 8,
              .yaml = "train_samples: 100000\n"
                      "train_iters: null\n"
                      "lr_warmup_iters: 0\n"
                      "lr_decay_iters: null\n"
                      "global_batch_size: 64\n"
                      "rampup_batch_size: [16, 16]\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"
                       "global_batch_size: 64\n"
                       "rampup_batch_size: [16, 16, 1000]\n"}},
     ramp_malformed},
    {{.id = "MG211",
      .name = "ramp-out-of-range",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::calculator,
      .outcome = "Megatron stops when it builds the micro-batch calculator (AssertionError)",
      .summary = "The ramp grows from its start to global_batch_size in whole increments.",
      .explanation =
          "start is at most global_batch_size, and global_batch_size - start is a multiple of the increment.",
      .bad = {.world_size = 8,
              .yaml = "train_samples: 100000\n"
                      "train_iters: null\n"
                      "lr_warmup_iters: 0\n"
                      "lr_decay_iters: null\n"
                      "global_batch_size: 64\n"
                      "rampup_batch_size: [16, 20, 1000]\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"
                       "global_batch_size: 64\n"
                       "rampup_batch_size: [16, 16, 1000]\n"}},
     ramp_out_of_range},
    {{.id = "MG212",
      .name = "ramp-without-steps",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::calculator,
      .outcome = "Megatron divides by zero (ZeroDivisionError)",
      .summary = "A ramp has at least one increment and at least one sample.",
      .explanation = "start = global_batch_size leaves no increment, samples = 0 leaves no samples: both pass the "
                     "checks and end in a division by zero.",
      .bad = {.world_size = 8,
              .yaml = "train_samples: 100000\n"
                      "train_iters: null\n"
                      "lr_warmup_iters: 0\n"
                      "lr_decay_iters: null\n"
                      "global_batch_size: 64\n"
                      "rampup_batch_size: [64, 16, 1000]\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"
                       "global_batch_size: 64\n"
                       "rampup_batch_size: [16, 16, 1000]\n"}},
     ramp_without_steps},
    {{.id = "MG213",
      .name = "ramp-with-iterations",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "A batch ramp needs training counted in samples.",
      .explanation = "rampup_batch_size works only with train_samples. Primus's pre_trainer preset sets train_iters: "
                     "1000 and lr_warmup_iters, so both have to be taken back.",
      .bad = {.world_size = 8,
              .yaml = "global_batch_size: 64\n"
                      "rampup_batch_size: [16, 16, 1000]\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"
                       "global_batch_size: 64\n"
                       "rampup_batch_size: [16, 16, 1000]\n"}},
     ramp_with_iterations},
    {{.id = "MG214",
      .name = "ramp-with-phases",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Phase transitions and a batch ramp exclude each other.",
      .explanation =
          "phase_transition_iterations counts iterations, a ramp counts samples: Megatron takes one of them.",
      .bad = {.world_size = 8,
              .yaml = "train_samples: 100000\n"
                      "train_iters: null\n"
                      "lr_warmup_iters: 0\n"
                      "lr_decay_iters: null\n"
                      "global_batch_size: 64\n"
                      "rampup_batch_size: [16, 16, 1000]\n"
                      "phase_transition_iterations: \"100\"\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"
                       "global_batch_size: 64\n"
                       "rampup_batch_size: [16, 16, 1000]\n"}},
     ramp_with_phases},
    {{.id = "MG215",
      .name = "ramp-size-not-divisible",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/num_microbatches_calculator.py:update",
      .outcome = "Megatron stops in the step where that size comes, possibly hours into the run (AssertionError)",
      .summary = "Every batch size of a ramp splits into micro-batches.",
      .explanation =
          "At start-up nothing is checked: the run stops when the ramp reaches a size that micro_batch_size x DP does "
          "not divide. Multiples of micro_batch_size x DP for start and increment are always right.",
      .bad = {.world_size = 8,
              .yaml = "train_samples: 100000\n"
                      "train_iters: null\n"
                      "lr_warmup_iters: 0\n"
                      "lr_decay_iters: null\n"
                      "global_batch_size: 64\n"
                      "micro_batch_size: 2\n"
                      "rampup_batch_size: [16, 8, 1000]\n"},
      .good = {.world_size = 8,
               .yaml = "train_samples: 100000\n"
                       "train_iters: null\n"
                       "lr_warmup_iters: 0\n"
                       "lr_decay_iters: null\n"
                       "global_batch_size: 64\n"
                       "micro_batch_size: 2\n"
                       "rampup_batch_size: [16, 16, 1000]\n"}},
     ramp_size_not_divisible},
};

}  // namespace

RuleList ramp_up_rules() { return rules; }

}  // namespace primus_plan::megatron
