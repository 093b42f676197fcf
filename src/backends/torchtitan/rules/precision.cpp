#include "backends/common/choices.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

namespace primus_plan::torchtitan {
namespace {

constexpr std::string_view dtypes = "float32|bfloat16|float16";

bool is_dtype(std::string_view name) { return is_choice(dtypes, name); }

/// A rule about experts or replicas has said it already.
bool is_told_elsewhere(const TorchTitanRun& run) {
  const bool experts = run.ep() > 1 && run.family() != Family::llama3 && run.model().moe;
  return experts || run.replicate() > 1;
}

void mixed_precision_off(const TorchTitanRun& run, Findings& out) {
  if (!run.autocast_is_off() || is_told_elsewhere(run) || run.parsed.model == nullptr) return;
  out.add(largest_of({&run.config.tensor_parallel_degree, &run.config.pipeline_parallel_degree}), [&](Message& m) {
    m.say(
        "mixed precision is off: with TP {} and PP {} no rank is left to shard over, and everything runs in "
        "training.dtype {}",
        run.tp(), run.pp(), *run.config.dtype);
    because_of_shard(m, run);
    m.because("mixed_precision_param {} applies only where FSDP wraps the model (shard x CP of 2 or more)",
              *run.config.mixed_precision_param);
    m.also(run.config.dtype);
    m.help("lower TP or PP, or add ranks, so that shard x CP is 2 or more");
    if (*run.config.dtype == "float32") {
      m.help("or training.dtype: bfloat16, knowingly: parameters and optimizer states are bfloat16 too");
    }
  });
}

/// A type that this launch reads; a wrong one then stops the run. Where the degrees do not make the world, nobody knows
/// whether there is FSDP: then only training.dtype is certain to be read.
struct TypeKey {
  const Word* field;
  bool is_read;
};

void for_each_type(const TorchTitanRun& run, void (*visit)(const TypeKey&, const TorchTitanRun&, Findings&),
                   Findings& out) {
  if (run.parsed.model == nullptr) return;
  const TorchTitanConfig& config = run.config;
  visit({&config.dtype, true}, run, out);
  visit({&config.mixed_precision_param, run.meshes_exist() && !run.autocast_is_off()}, run, out);
  visit({&config.mixed_precision_reduce, run.shards()}, run, out);
}

void dtype_unknown(const TorchTitanRun& run, Findings& out) {
  for_each_type(
      run,
      [](const TypeKey& key, const TorchTitanRun& of, Findings& to) {
        const Word& field = *key.field;
        if (!key.is_read || is_dtype(*field) || of.is_unreadable(field.key)) return;
        to.add(field, [&](Message& m) {
          m.say("{} {} is no type of TorchTitan", field.key, quoted(*field));
          m.help("float32 or bfloat16, spelled out");
          offer_word(m, field, dtypes);
        });
      },
      out);
}

void dtype_unread(const TorchTitanRun& run, Findings& out) {
  for_each_type(
      run,
      [](const TypeKey& key, const TorchTitanRun& of, Findings& to) {
        const Word& field = *key.field;
        if (key.is_read || is_dtype(*field) || of.is_unreadable(field.key)) return;
        to.add(field, [&](Message& m) {
          m.say("{} {} is no type of TorchTitan{}", field.key, quoted(*field),
                of.meshes_exist() ? "; nobody reads it here, since FSDP does not wrap the model"
                                  : ", and a launch that reads it stops");
          offer_word(m, field, dtypes);
        });
      },
      out);
}

void half_precision(const TorchTitanRun& run, Findings& out) {
  for (const Word* field : {&run.config.dtype, &run.config.mixed_precision_param, &run.config.mixed_precision_reduce}) {
    if (**field != "float16") continue;
    out.add(*field, [&](Message& m) {
      m.say("{} float16: TorchTitan scales no loss, and small gradients become 0", field->key);
      m.help("bfloat16 has the range of float32");
    });
  }
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT711",
      .name = "mixed-precision-off",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/distributed/utils.py:maybe_enable_amp",
      .outcome = "TorchTitan logs a warning and trains in training.dtype",
      .summary = "TP or PP without FSDP runs without mixed precision.",
      .explanation = "Mixed precision is FSDP's. When TP x PP x replicate takes all ranks, shard x CP is 1 and "
                     "FSDP is not there: the run goes on in training.dtype, float32 unless the file says "
                     "otherwise, at a fraction of the speed and twice the memory.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  tensor_parallel_degree: 4\n  pipeline_parallel_degree: 2\n"},
      .good = {.world_size = 16, .yaml = "parallelism:\n  tensor_parallel_degree: 4\n  pipeline_parallel_degree: 2\n"}},
     mixed_precision_off},
    {{.id = "TT712",
      .name = "dtype-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/train.py:__init__",
      .outcome = "TorchTitan stops (KeyError)",
      .summary = "Types are float32 or bfloat16, spelled out.",
      .explanation = "training.dtype, mixed_precision_param and mixed_precision_reduce look the word up in a table "
                     "with float32, bfloat16 and float16. bf16, fp32 and BFLOAT16 are not in it.",
      .bad = {.world_size = 8, .yaml = "training:\n  mixed_precision_param: bf16\n"},
      .good = {.world_size = 8, .yaml = "training:\n  mixed_precision_param: bfloat16\n"}},
     dtype_unknown},
    {{.id = "TT713",
      .name = "dtype-unread",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/distributed/utils.py:maybe_enable_amp",
      .outcome = "the run goes on",
      .summary = "A wrong type waits for the first launch that reads it.",
      .explanation = "mixed_precision_reduce is read with FSDP only, mixed_precision_param also in plain DDP and "
                     "on one rank.",
      .bad = {.world_size = 1, .yaml = "training:\n  mixed_precision_reduce: fp32\n"},
      .good = {.world_size = 1, .yaml = "training:\n  mixed_precision_reduce: float32\n"}},
     dtype_unread},
    {{.id = "TT714",
      .name = "float16-without-loss-scale",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/config/job_config.py:Training",
      .outcome = "the run goes on without loss scaling",
      .summary = "float16 trains without loss scaling.",
      .explanation = "The types declare float32 and bfloat16 only; float16 gets through because Primus does not "
                     "check them.",
      .bad = {.world_size = 8, .yaml = "training:\n  mixed_precision_param: float16\n"},
      .good = {.world_size = 8, .yaml = "training:\n  mixed_precision_param: bfloat16\n"}},
     half_precision},
};

}  // namespace

RuleList precision_rules() { return rules; }

}  // namespace primus_plan::torchtitan
