#include <array>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "backends/megatron/worlds.h"
#include "primus_plan/support/number.h"
#include "support/product_text.h"

namespace primus_plan::megatron {
namespace {

bool degrees_are_positive(const MegatronRun& run) {
  return run.tp() >= 1 && run.pp() >= 1 && run.cp() >= 1 && run.ep() >= 1 && run.degrees.expert_tensor >= 1;
}

void degree_not_positive(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const std::array degrees{&config.tensor_model_parallel_size, &config.pipeline_model_parallel_size,
                           &config.context_parallel_size, &config.expert_model_parallel_size};
  for (const Count* degree : degrees) {
    if (**degree >= 1) continue;
    out.add(*degree, [&](Message& m) {
      m.say("{} is {}: a degree is 1 or more", degree->key, **degree);
      m.help("write 1 to switch this kind of parallelism off");
      m.fix(fmt::format("set {} to 1", degree->key), *degree, "1");
    });
  }
  const MaybeCount& expert_tensor = config.expert_tensor_parallel_size;
  if (*run.given.tensor_model_parallel_size >= 1 && expert_tensor.value.value_or(1) < 1) {
    out.add(expert_tensor, [&](Message& m) {
      m.say("{} is {}: a degree is 1 or more", expert_tensor.key, *expert_tensor.value);
      m.help("write 1 to keep experts whole, or null to use TP");
      m.fix("set expert_tensor_parallel_size to 1", expert_tensor, "1");
    });
  }
}

void world_not_divisible(const MegatronRun& run, Findings& out) {
  if (!degrees_are_positive(run) || run.dp() > 0) return;
  const Int model = saturating_multiply(saturating_multiply(run.tp(), run.pp()), run.cp());
  out.add(largest_of({&run.config.tensor_model_parallel_size, &run.config.pipeline_model_parallel_size,
                      &run.config.context_parallel_size}),
          [&](Message& m) {
            m.say("world size {} is not a multiple of TP {} x PP {} x CP {} = {}", run.world(), run.tp(), run.pp(),
                  run.cp(), product_text(model));
            m.because("DP = world / (TP x PP x CP) = {} / {} is not whole", run.world(), product_text(model));
            help_with_worlds(m, run);
          });
}

void expert_world_not_divisible(const MegatronRun& run, Findings& out) {
  if (!degrees_are_positive(run) || run.degrees.expert_data > 0) return;
  const Int etp = run.degrees.expert_tensor;
  const Int experts = saturating_multiply(saturating_multiply(etp, run.ep()), run.pp());
  if (run.dp() == 0 && run.ep() == 1 && etp == run.tp()) return;  // the dense grid's fault alone
  const bool inherited = !run.given.expert_tensor_parallel_size.value;
  out.add(run.config.expert_model_parallel_size, [&](Message& m) {
    m.say("world size {} is not a multiple of ETP {} x EP {} x PP {} = {}", run.world(), etp, run.ep(), run.pp(),
          product_text(experts));
    m.because("expert DP = world / (ETP x EP x PP) = {} / {} is not whole", run.world(), product_text(experts));
    if (inherited && run.tp() > 1) {
      m.because("ETP {} because expert_tensor_parallel_size is unset and follows TP", etp);
      const Int whole = saturating_multiply(run.ep(), run.pp());
      if (run.world() % whole == 0) {
        m.help("expert_tensor_parallel_size: 1 keeps each expert whole and needs only EP x PP = {} GPUs", whole);
      }
    }
    m.also(run.config.expert_tensor_parallel_size).also(run.config.pipeline_model_parallel_size);
    help_with_worlds(m, run);
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG101",
      .name = "degree-not-positive",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron divides the world by the degrees and counts groups with them (ZeroDivisionError for 0)",
      .summary = "Every parallel degree is an integer of 1 or more.",
      .explanation = "A degree of 1 switches a kind of parallelism off; 0 does not. Megatron computes world % (TP x PP "
                     "x CP) first thing and stops with ZeroDivisionError.",
      .bad = {.world_size = 8, .yaml = "context_parallel_size: 0\n"},
      .good = {.world_size = 8, .yaml = "context_parallel_size: 1\n"}},
     degree_not_positive},
    {{.id = "MG102",
      .name = "world-not-divisible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops on every rank (AssertionError)",
      .summary = "The world size must be a multiple of TP x PP x CP.",
      .explanation =
          "Megatron lays all ranks out on a grid of TP x CP x DP x PP. DP = world / (TP x PP x CP) has to be a whole "
          "number. Expert parallelism takes no part in this grid. Change a degree or the number of GPUs.",
      .bad = {.world_size = 6, .yaml = "tensor_model_parallel_size: 4\n"},
      .good = {.world_size = 8, .yaml = "tensor_model_parallel_size: 4\n"}},
     world_not_divisible},
    {{.id = "MG103",
      .name = "expert-world-not-divisible",
      .severity = Severity::error,
      .stage = Stage::model_parallel,
      .runtime_site = sites::parallel_state,
      .outcome = "Megatron stops when it builds the process groups (RuntimeError)",
      .summary = "The world size must be a multiple of ETP x EP x PP.",
      .explanation =
          "Experts have a rank grid of their own over the same GPUs: ETP x EP x expert DP x PP. Expert DP = world / "
          "(ETP x EP x PP) has to be a whole number. expert_tensor_parallel_size follows TP when it is unset, which "
          "multiplies the grid: most mixture-of-experts runs with TP want expert_tensor_parallel_size: 1.",
      .bad = {.world_size = 8,
              .yaml = "tensor_model_parallel_size: 2\nexpert_model_parallel_size: 8\nnum_experts: 8\n"
                      "moe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: true\n"},
      .good = {.world_size = 8,
               .yaml = "tensor_model_parallel_size: 2\nexpert_model_parallel_size: 8\nexpert_tensor_parallel_size: "
                       "1\nnum_experts: 8\n"
                       "moe_token_dispatcher_type: alltoall\nmoe_grouped_gemm: true\n"}},
     expert_world_not_divisible},
};

}  // namespace

RuleList degree_rules() { return rules; }

}  // namespace primus_plan::megatron
