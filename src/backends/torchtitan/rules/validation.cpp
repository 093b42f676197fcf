#include <algorithm>

#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/text.h"

namespace primus_plan::torchtitan {
namespace {

void validation_steps_illegal(const TorchTitanRun& run, Findings& out) {
  const Count& steps = run.config.validation_steps;
  if (*steps > 0 || *steps == -1 || run.is_unreadable(steps.key)) return;
  out.add(steps, [&](Message& m) {
    m.say("validation.steps is {}: it is -1 (the whole set) or 1 or more, even with validation off", *steps);
    m.help("to switch validation off, set validation.enable to false");
    m.fix("set validation.steps to -1", steps, "-1");
  });
}

void model_without_validator(const TorchTitanRun& run, Findings& out) {
  if (!*run.config.validation_enable || run.parsed.model == nullptr || run.parsed.model->validates) return;
  out.add(run.config.validation_enable, [&](Message& m) {
    m.say("{} has no validator: validation.enable stops the run", *run.config.model_name);
    m.help("llama3, llama4, qwen3 and flux can validate");
    m.fix("set validation.enable to false", run.config.validation_enable, "false");
  });
}

void validation_sequence_uneven(const TorchTitanRun& run, Findings& out) {
  const Count& length = run.config.validation_seq_len;
  if (!*run.config.validation_enable || run.sequence_divisor <= 0 || run.family() == Family::flux) return;
  if (*length <= 0 || *length % run.sequence_divisor == 0) return;
  out.add(length, [&](Message& m) {
    m.say("validation.seq_len {} is not a multiple of 2 x CP {} x TP {} = {}", *length, run.cp(), run.tp(),
          run.sequence_divisor);
    m.because("training.seq_len is checked, validation.seq_len is not: the first validation meets it");
    const std::vector<Int> legal = multiples_around(*length, run.sequence_divisor);
    help_with_nearest(m, legal);
    fix_to_nearest(m, length, *length, legal);
  });
}

void validation_shape_under_pipeline(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& config = run.config;
  if (!*config.validation_enable || !run.pipelines()) return;
  const bool same_batch = *config.validation_local_batch_size == *config.local_batch_size;
  const bool same_length = *config.validation_seq_len == *config.seq_len;
  if (same_batch && same_length) return;
  out.add(same_batch ? config.validation_seq_len : config.validation_local_batch_size, [&](Message& m) {
    m.say("validation takes {} x {} tokens where training takes {} x {}: pipeline stages are built for one shape",
          *config.validation_local_batch_size, *config.validation_seq_len, *config.local_batch_size, *config.seq_len);
    m.help("give validation.local_batch_size and validation.seq_len the values of training");
  });
}

void validation_needs_freqs(const TorchTitanRun& run, Findings& out) {
  if (!*run.config.validation_enable || run.cp() <= 1 || run.family() != Family::qwen3) return;
  out.add(run.config.validation_enable, [&](Message& m) {
    m.say(
        "qwen3 cannot validate with CP {}: the validator asks each model part for freqs_cis, which qwen3 calls "
        "rope_cache",
        run.cp());
    m.also(run.config.context_parallel_degree);
    m.help("set validation.enable to false, or context_parallel_degree to 1");
  });
}

/// Only the text models load by these names, lower case.
bool loads_text(const TorchTitanRun& run) { return run.parsed.model != nullptr && run.family() != Family::flux; }

void dataset_unknown(const TorchTitanRun& run, Findings& out) {
  constexpr std::string_view names[] = {"c4", "c4_test", "c4_validation"};
  if (!loads_text(run)) return;
  const bool validates = *run.config.validation_enable && run.parsed.model->validates;
  for (const Word* dataset : {&run.config.dataset, &run.config.validation_dataset}) {
    if (run.is_unreadable(dataset->key) || (dataset == &run.config.validation_dataset && !validates)) continue;
    const std::string_view name = **dataset;
    if (std::ranges::any_of(names, [&](std::string_view one) { return equal_ignoring_case(one, name); })) continue;
    out.add(*dataset, [&](Message& m) {
      m.say("{} {} is none of {}", dataset->key, quoted(name), join(names, ", "));
      m.because("the name is looked up with mock data too, and a path does not take its place");
      m.help("to read text of your own, name c4 and give its place as {}_path", dataset->key);
      offer_word(m, *dataset, names);
    });
  }
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT251",
      .name = "validation-steps-illegal",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "torchtitan/config/job_config.py:__post_init__",
      .outcome = "TorchTitan stops when it builds its configuration (AssertionError)",
      .summary = "validation.steps is -1 or 1 or more.",
      .explanation = "The number is checked when the configuration is built, whether validation is on or off.",
      .bad = {.world_size = 8, .yaml = "validation:\n  steps: 0\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "validation:\n  steps: -1\ntraining:\n  seq_len: 2048\n"}},
     validation_steps_illegal},
    {{.id = "TT252",
      .name = "model-without-validator",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/train.py:__init__",
      .outcome = "TorchTitan stops (AssertionError without text)",
      .summary = "validation.enable needs a model that has a validator.",
      .explanation = "deepseek_v3 and gpt_oss register none.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nvalidation:\n  enable: true\ntraining:\n"
                      "  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: deepseek_v3\n  flavor: 16B\nvalidation:\n  enable: false\n"
                       "training:\n  seq_len: 2048\n"}},
     model_without_validator},
    {{.id = "TT253",
      .name = "validation-sequence-uneven",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/validate.py:validate",
      .outcome = "the first validation is likely to stop",
      .summary = "validation.seq_len is a multiple of 2 x CP x TP.",
      .explanation = "TP and CP split the sequence of validation as they split that of training, but only "
                     "training.seq_len is checked at the start.",
      .bad = {.world_size = 8,
              .yaml = "validation:\n  enable: true\n  seq_len: 1001\nparallelism:\n"
                      "  tensor_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "validation:\n  enable: true\n  seq_len: 1000\nparallelism:\n"
                       "  tensor_parallel_degree: 2\n"}},
     validation_sequence_uneven},
    {{.id = "TT254",
      .name = "validation-shape-under-pipeline",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/validate.py:validate",
      .outcome = "the first validation is likely to stop",
      .summary = "Under PP validation has the shape of training.",
      .explanation = "Validation runs through the pipeline schedule of training, whose stages are built for one "
                     "batch and one sequence length.",
      .bad = {.world_size = 8,
              .yaml = "validation:\n  enable: true\n  local_batch_size: 4\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "validation:\n  enable: true\n  local_batch_size: 8\nparallelism:\n"
                       "  pipeline_parallel_degree: 2\n"}},
     validation_shape_under_pipeline},
    {{.id = "TT255",
      .name = "validation-with-context-parallel-qwen3",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/validate.py:validate",
      .outcome = "the first validation stops (AttributeError)",
      .summary = "qwen3 cannot validate under context parallel.",
      .explanation = "With CP the validator shards the buffer freqs_cis of every model part. qwen3 keeps its "
                     "rotary table in rope_cache.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: qwen3\n  flavor: 8B\n  converters: []\nvalidation:\n  enable: true\n"
                      "parallelism:\n  context_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: qwen3\n  flavor: 8B\n  converters: []\nvalidation:\n"
                       "  enable: false\nparallelism:\n  context_parallel_degree: 2\n"}},
     validation_needs_freqs},
    {{.id = "TT256",
      .name = "dataset-unknown",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/hf_datasets/text_datasets.py:_validate_dataset",
      .outcome = "TorchTitan stops when it builds the data loader (ValueError)",
      .summary = "training.dataset, and validation.dataset where validation is on, are c4, c4_test or c4_validation.",
      .explanation = "The name picks the loader and the field of a sample that holds the text; dataset_path says where "
                     "the files are. Mock data (training.mock_data) replaces the download alone, so the name is "
                     "looked up all the same. flux has data of its own, which is not judged.",
      .bad = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 8B\ntraining:\n  dataset: fineweb\n"},
      .good = {.world_size = 8, .yaml = "model:\n  name: llama3\n  flavor: 8B\ntraining:\n  dataset: c4\n"}},
     dataset_unknown},
};

}  // namespace

RuleList validation_rules() { return rules; }

}  // namespace primus_plan::torchtitan
