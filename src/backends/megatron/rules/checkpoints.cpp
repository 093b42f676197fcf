#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops (AssertionError)";

void not_fully_parallel(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.ckpt_fully_parallel_save || !*config.use_distributed_optimizer || !has_distributed_checkpoints(run))
    return;
  out.add(config.ckpt_fully_parallel_save, [&](Message& m) {
    m.say(
        "ckpt_fully_parallel_save is off with a distributed optimizer: the checkpoint cannot be resumed with other "
        "parallel degrees");
    m.also(config.use_distributed_optimizer);
    m.help("ckpt_fully_parallel_save: true saves in parallel and lets TP, PP and DP change at a restart");
    m.fix("switch ckpt_fully_parallel_save on", config.ckpt_fully_parallel_save, "true");
  });
}

void async_without_worker(const MegatronRun& run, Findings& out) {
  if (!*run.given.async_save || *run.given.use_persistent_ckpt_worker || !has_distributed_checkpoints(run)) return;
  out.add(run.given.async_save, [&](Message& m) {
    m.say("async_save has no effect without use_persistent_ckpt_worker: training waits for every checkpoint");
    m.also(run.given.use_persistent_ckpt_worker);
    m.help("use_persistent_ckpt_worker: true");
    fix_either(m, run.given.use_persistent_ckpt_worker, "true", run.given.async_save, "false");
  });
}

void async_save_unsupported(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const std::string_view format = *config.ckpt_format;
  const std::optional<Int> step = first_checkpoint(run);
  if (!*config.async_save || (format != "torch" && format != "torch_dcp") || !step) return;
  out.add(config.async_save, [&](Message& m) {
    m.say("async_save is for ckpt_format torch_dist, not {}: the checkpoint after step {} stops the run", format,
          *step);
    m.also(config.ckpt_format).also(config.save_interval);
    m.help("async_save: false; or ckpt_format: torch_dist with use_persistent_ckpt_worker: true");
    m.fix("switch async_save off", config.async_save, "false");
  });
}

void main_params_with_optimizer(const MegatronRun& run, Findings& out) {
  // Checked before skip_train and upcycling switch no_load_optim on.
  if (!*run.config.load_main_params_from_ckpt || *run.given.no_load_optim) return;
  out.add(run.config.load_main_params_from_ckpt, [&](Message& m) {
    m.say(
        "load_main_params_from_ckpt needs no_load_optim: the main parameters come from the model's weights or from the "
        "optimizer's state");
    m.also(run.given.no_load_optim);
    m.help("no_load_optim: true; or load_main_params_from_ckpt: false");
    fix_either(m, run.given.no_load_optim, "true", run.config.load_main_params_from_ckpt, "false");
  });
}

void type_unknown(const MegatronRun& run, Findings& out) {
  const Word& type = run.config.non_persistent_ckpt_type;
  if (type.value.data() == nullptr || *type == "global" || *type == "local") return;
  out.add(type, [&](Message& m) {
    m.say("non_persistent_ckpt_type is {}: it is global, local or null", *type);
    offer_word(m, type, "global|local");
  });
}

void local_incomplete(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool local = *config.non_persistent_ckpt_type == "local";
  if (local && !is_set(config.non_persistent_local_ckpt_dir)) {
    out.add(config.non_persistent_ckpt_type, [&](Message& m) {
      m.say("non_persistent_ckpt_type local needs non_persistent_local_ckpt_dir, a directory on each node");
      m.also(config.non_persistent_local_ckpt_dir);
    });
  }
  if (!*config.replication) return;
  if (local && config.replication_jump.value) return;
  out.add(config.replication, [&](Message& m) {
    if (!config.replication_jump.value) {
      m.say("replication needs replication_jump, the distance in ranks between the copies of a local checkpoint");
    } else {
      m.say("replication is for non_persistent_ckpt_type local");
    }
    m.also(config.replication_jump).also(config.non_persistent_ckpt_type);
    m.fix("switch replication off", config.replication, "false");
  });
}

void legacy_models(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.use_legacy_models) return;
  const char* fault = nullptr;
  if (config.decoupled_lr.value) fault = "decoupled_lr";
  if (config.moe_latent_size.value) fault = "moe_latent_size";
  if (config.mtp_num_layers.value) fault = "mtp_num_layers";
  if (run.cp() > 1) fault = "context parallelism";
  if (*config.overlap_param_gather) fault = "overlap_param_gather";
  if (has_distributed_checkpoints(run)) fault = "a ckpt_format other than torch";
  if (fault == nullptr) return;
  out.add(config.use_legacy_models, [&](Message& m) {
    m.say("use_legacy_models does not go with {}", fault);
    m.also(config.ckpt_format);
    m.help("use_legacy_models: false: the Megatron core models replace them");
    m.fix("switch use_legacy_models off", config.use_legacy_models, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG756",
      .name = "checkpoint-not-fully-parallel",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron warns and goes on",
      .summary = "A distributed optimizer wants ckpt_fully_parallel_save.",
      .explanation = "Without ckpt_fully_parallel_save the optimizer's shards are saved as this run cut them. A "
                     "restart with another TP, PP or number of GPUs cannot read them.",
      .bad = {.world_size = 8, .yaml = "ckpt_fully_parallel_save: false\n"},
      .good = {.world_size = 8, .yaml = "ckpt_fully_parallel_save: true\n"}},
     not_fully_parallel},
    {{.id = "MG757",
      .name = "async-save-without-worker",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron warns and switches async_save off",
      .summary = "async_save needs use_persistent_ckpt_worker.",
      .explanation = "Asynchronous saving runs in a worker process that lives as long as training. Without "
                     "use_persistent_ckpt_worker Megatron switches async_save off and saves while training waits.",
      .bad = {.world_size = 8, .yaml = "async_save: true\n"},
      .good = {.world_size = 8, .yaml = "async_save: true\nuse_persistent_ckpt_worker: true\n"}},
     async_without_worker},
    {{.id = "MG769",
      .name = "async-save-unsupported",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "megatron/training/checkpointing.py:save_checkpoint",
      .outcome = "Megatron stops at the first checkpoint (NotImplementedError)",
      .summary = "async_save needs ckpt_format torch_dist.",
      .explanation = "The formats torch and torch_dcp are written while training waits. The argument checks do not "
                     "compare the two keys, so the steps up to the first save_interval are lost.",
      .bad = {.world_size = 8,
              .yaml = "save: /checkpoints\nsave_interval: 100\nckpt_format: torch\nasync_save: true\n"},
      .good = {.world_size = 8,
               .yaml = "save: /checkpoints\nsave_interval: 100\nckpt_format: torch_dist\nasync_save: true\n"
                       "use_persistent_ckpt_worker: true\n"}},
     async_save_unsupported},
    {{.id = "MG758",
      .name = "main-params-with-optimizer",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "load_main_params_from_ckpt needs no_load_optim.",
      .explanation = "load_main_params_from_ckpt fills the optimizer's main parameters from the model's weights in the "
                     "checkpoint, which only makes sense when the optimizer's own state is not loaded.",
      .bad = {.world_size = 8, .yaml = "load_main_params_from_ckpt: true\n"},
      .good = {.world_size = 8, .yaml = "load_main_params_from_ckpt: true\nno_load_optim: true\n"}},
     main_params_with_optimizer},
    {{.id = "MG759",
      .name = "non-persistent-checkpoint-type-unknown",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "non_persistent_ckpt_type is global, local or null.",
      .explanation = "Non-persistent checkpoints are overwritten by the next one: global ones lie where save points, "
                     "local ones on each node.",
      .bad = {.world_size = 8, .yaml = "non_persistent_ckpt_type: disk\n"},
      .good = {.world_size = 8, .yaml = "non_persistent_ckpt_type: global\n"}},
     type_unknown},
    {{.id = "MG760",
      .name = "local-checkpoint-incomplete",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "Local checkpoints need a directory; replication needs local checkpoints and replication_jump.",
      .explanation =
          "non_persistent_ckpt_type: local writes to non_persistent_local_ckpt_dir on each node. replication keeps "
          "copies on other nodes, replication_jump ranks away, so that a lost node does not lose the checkpoint.",
      .bad = {.world_size = 8, .yaml = "non_persistent_ckpt_type: local\n"},
      .good = {.world_size = 8,
               .yaml = "non_persistent_ckpt_type: local\nnon_persistent_local_ckpt_dir: /local/checkpoints\n"}},
     local_incomplete},
    {{.id = "MG761",
      .name = "legacy-models-unsupported",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "use_legacy_models goes only with ckpt_format torch and without newer features.",
      .explanation = "The models from before Megatron core know no distributed checkpoints, no context parallelism, no "
                     "overlap_param_gather, no multi-token prediction, no decoupled learning rate and no latent "
                     "experts. The Primus presets save as torch_dist.",
      .bad = {.world_size = 8, .yaml = "use_legacy_models: true\n"},
      .good = {.world_size = 8, .yaml = "use_legacy_models: false\n"}},
     legacy_models},
};

}  // namespace

RuleList checkpoint_rules() { return rules; }

}  // namespace primus_plan::megatron
