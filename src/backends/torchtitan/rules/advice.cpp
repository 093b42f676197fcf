#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

namespace primus_plan::torchtitan {
namespace {

void resume_keeps_data_parallel(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& config = run.config;
  if (!*config.checkpoint_enable || !run.meshes_exist()) return;
  const bool resumes = *config.checkpoint_load_step >= 0 || !(*config.checkpoint_initial_load_path).empty();
  if (!resumes) return;
  out.add(*config.checkpoint_load_step >= 0 ? config.checkpoint_load_step.origin
                                            : config.checkpoint_initial_load_path.origin,
          [&](Message& m) {
            m.say("a full checkpoint loads only with the data-parallel degree it was written with: here {}",
                  run.meshes.batch);
            because_of_data_parallel(m, run);
          });
}

void reshard_with_pipeline(const TorchTitanRun& run, Findings& out) {
  if (!run.pipelines() || !run.shards() || *run.config.fsdp_reshard_after_forward != "always") return;
  out.add(run.config.fsdp_reshard_after_forward, [&](Message& m) {
    m.say("fsdp_reshard_after_forward always gathers the parameters again for each of {} micro-batches",
          run.pipeline.micro_batches);
    m.help("default keeps them gathered under PP: more memory, less communication");
  });
}

void sections_without_effect(const TorchTitanRun& run, Findings& out) {
  for (const Flag* flag : {&run.config.fault_tolerance_enable, &run.config.memory_estimation_enable,
                           &run.config.checkpoint_create_seed_checkpoint}) {
    if (!**flag) continue;
    out.add(*flag, [&](Message& m) { m.say("{} has no effect when Primus drives TorchTitan v0.2.2", flag->key); });
  }
}

void tensor_keys_without_tensor_parallel(const TorchTitanRun& run, Findings& out) {
  if (run.tp() != 1) return;
  for (const Flag* flag : {&run.config.disable_loss_parallel, &run.config.enable_async_tensor_parallel}) {
    if (!**flag) continue;
    out.add(*flag, [&](Message& m) { m.say("{} has no effect: tensor_parallel_degree is 1", flag->key); });
  }
}

void rotate_method_unread(const TorchTitanRun& run, Findings& out) {
  if (*run.config.context_parallel_rotate_method != "alltoall" || *run.config.validation_enable) return;
  out.add(run.config.context_parallel_rotate_method, [&](Message& m) {
    m.say("context_parallel_rotate_method is read by validation only, and validation is off");
  });
}

void float8_is_not_turbo(const TorchTitanRun& run, Findings& out) {
  const TorchTitanConfig& config = run.config;
  if (!run.parsed.converters.float8_linear || !*config.enable_primus_turbo || !*config.use_turbo_float8_linear) return;
  out.add(config.use_turbo_float8_linear, [&](Message& m) {
    m.say("the converter quantize.linear.float8 is torchao's, also with primus_turbo.use_turbo_float8_linear");
    m.because("the name was bound before Primus replaces the class");
    m.help("the converter primus_turbo_fp8 is Primus-Turbo's");
  });
}

constexpr const char* no_reader = "torchtitan/train.py:__init__";

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT901",
      .name = "resume-with-the-same-data-parallel",
      .severity = Severity::note,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/dataloader.py:load_state_dict",
      .outcome = "TorchTitan stops when it loads the state of the data loader (AssertionError)",
      .summary = "A full checkpoint is tied to the data-parallel degree.",
      .explanation = "The data loader keeps one state for each data-parallel rank. Loading only the model "
                     "(initial_load_model_only) is free.",
      .bad = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\n  load_step: 100\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "checkpoint:\n  enable: true\ntraining:\n  seq_len: 2048\n"}},
     resume_keeps_data_parallel},
    {{.id = "TT902",
      .name = "reshard-under-pipeline",
      .severity = Severity::note,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/models/llama3/infra/parallelize.py:apply_fsdp",
      .outcome = {},
      .summary = "Under PP, resharding after forward costs a gather for each micro-batch.",
      .explanation = "The policy default reshards only without PP, for this reason.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n  fsdp_reshard_after_forward: always\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n  fsdp_reshard_after_forward: default\n"}},
     reshard_with_pipeline},
    {{.id = "TT903",
      .name = "section-without-effect",
      .severity = Severity::note,
      .stage = Stage::model_build,
      .runtime_site = no_reader,
      .outcome = "nobody acts on the key",
      .summary = "fault_tolerance, memory_estimation and seed checkpoints do nothing here.",
      .explanation = "Fault tolerance has moved to an experiment of TorchTitan; memory estimation and seed "
                     "checkpoints belong to TorchTitan's own main program, which Primus does not call.",
      .bad = {.world_size = 8, .yaml = "memory_estimation:\n  enable: true\ntraining:\n  seq_len: 2048\n"},
      .good = {.world_size = 8, .yaml = "memory_estimation:\n  enable: false\ntraining:\n  seq_len: 2048\n"}},
     sections_without_effect},
    {{.id = "TT904",
      .name = "tensor-keys-without-tensor-parallel",
      .severity = Severity::note,
      .stage = Stage::model_build,
      .runtime_site = no_reader,
      .outcome = "nobody reads the key",
      .summary = "disable_loss_parallel and enable_async_tensor_parallel need TP above 1.",
      .explanation = "Both change how tensor parallelism works.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  disable_loss_parallel: true\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  disable_loss_parallel: true\n  tensor_parallel_degree: 2\n"}},
     tensor_keys_without_tensor_parallel},
    {{.id = "TT905",
      .name = "rotate-method-unread",
      .severity = Severity::note,
      .stage = Stage::runtime,
      .runtime_site = "torchtitan/components/validate.py:validate",
      .outcome = "nobody reads the key",
      .summary = "context_parallel_rotate_method waits for validation.",
      .explanation = "The training loop never reads it. The first validation sets it for the whole process.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  context_parallel_rotate_method: alltoall\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  context_parallel_rotate_method: allgather\n"}},
     rotate_method_unread},
    {{.id = "TT906",
      .name = "float8-converter-is-not-turbo",
      .severity = Severity::note,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/torchtitan/patches/turbo/fp8_linear_patches.py:patch_turbo_fp8_linear",
      .outcome = {},
      .summary = "quantize.linear.float8 is torchao's converter.",
      .explanation = "Primus's patch replaces the attribute of the module, not the entry of the registry that "
                     "model.converters looks up.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
                      "training:\n  seq_len: 2048\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: []\ntraining:\n  seq_len: 2048\n"}},
     float8_is_not_turbo},
};

}  // namespace

RuleList advice_rules() { return rules; }

}  // namespace primus_plan::torchtitan
