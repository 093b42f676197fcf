#include "backends/maxtext/rules/heads.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

void sequence_not_over_shards(const MaxTextRun& run, Findings& out) {
  const Int shards = run.mesh.shards(run.mesh.logical.length);
  const Count& length = run.config.max_target_length;
  if (shards <= 1 || *length < 1 || *length % shards == 0) return;
  out.add(length, [&](Message& m) {
    m.say("max_target_length {} does not split over {} sequence shards", *length, shards);
    m.because("sequence shards = {}", axes_text(run, run.mesh.logical.length));
    if (!key_heads_split(run)) return;  // the degrees have to change, and the shards with them
    const std::vector<Int> legal = multiples_around(*length, shards);
    help_with_nearest(m, legal);
    fix_to_nearest(m, length, *length, legal);
  });
}

void no_tokens(const MaxTextRun& run, Findings& out) {
  const Count& length = run.config.max_target_length;
  if (*length >= 1) return;
  out.add(length, [&](Message& m) {
    m.say("max_target_length is {}: a sequence has a token at least", *length);
    m.because("MaxText does not check it");
  });
}

/// Every step is taken modulo the period.
void report_zero(const Count& period, const Flag& reader, Findings& out) {
  if (*period != 0 || !*reader) return;
  out.add(period, [&](Message& m) {
    m.say("{} is 0: MaxText divides the step by it while {} is true", period.key, reader.key);
    m.also(reader);
    m.help("{}: false for never, or a number of steps", reader.key);
  });
}

void checkpoint_period(const MaxTextRun& run, Findings& out) {
  report_zero(run.config.checkpoint_period, run.config.enable_checkpointing, out);
}

void log_period(const MaxTextRun& run, Findings& out) {
  const bool to_board = *run.config.enable_tensorboard;
  report_zero(run.config.log_period, to_board ? run.config.enable_tensorboard : run.config.gcs_metrics, out);
}

void no_steps(const MaxTextRun& run, Findings& out) {
  if (*run.config.steps > 0 || *run.config.learning_rate_schedule_steps > 0) return;
  const Count& steps = run.given.steps;
  out.add(steps, [&](Message& m) {
    m.say("steps is {} and learning_rate_schedule_steps {}: nothing says how long to train", *steps,
          *run.given.learning_rate_schedule_steps);
    m.because("-1 makes each of them follow the other");
    m.help("set steps to the number of optimizer steps");
  });
}

void schedule_too_long(const MaxTextRun& run, Findings& out) {
  const double sum = *run.config.warmup_steps_fraction + *run.config.wsd_decay_steps_fraction;
  if (*run.config.lr_schedule_type != "wsd" || sum <= 1.0) return;
  out.add(run.config.wsd_decay_steps_fraction, [&](Message& m) {
    m.say("warmup_steps_fraction {} + wsd_decay_steps_fraction {} is more than the whole training",
          number_text(*run.config.warmup_steps_fraction), number_text(*run.config.wsd_decay_steps_fraction));
    m.also(run.config.warmup_steps_fraction);
    m.help("the two fractions add up to 1 at most");
  });
}

void parameter_scale(const MaxTextRun& run, Findings& out) {
  const Count& scale = run.config.global_parameter_scale;
  const Int value = *scale;
  if (value > 0 && (value & (value - 1)) == 0) return;
  out.add(scale, [&](Message& m) {
    m.say("global_parameter_scale is {}: it is a power of two", value);
    m.help(
        "set base_emb_dim, base_mlp_dim, base_num_query_heads, base_num_kv_heads and base_num_decoder_layers for other "
        "sizes");
    m.fix("set global_parameter_scale to 1", scale, "1");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX207",
      .name = "sequence-not-over-shards",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/utils/sharding.py:get_input_data_sharding",
      .outcome = "JAX refuses to lay out the input (ValueError)",
      .summary = "max_target_length splits over the axes that cut the sequence.",
      .explanation = "Input tokens are laid out over tensor_sequence, context and context_usp_ulysses. The length must "
                     "be a multiple of their product.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_tensor_sequence_parallelism: 4\nmax_target_length: 1001\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_tensor_sequence_parallelism: 4\nmax_target_length: 1000\n"}},
     sequence_not_over_shards},
    {{.id = "MX213",
      .name = "no-steps-to-train",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::train_config,
      .outcome = "MaxText stops before training (AssertionError)",
      .summary = "steps or learning_rate_schedule_steps is positive.",
      .explanation =
          "Each of the two follows the other when it is -1. With neither positive there is nothing to train.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nsteps: 0\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nsteps: 10\n"}},
     no_steps},
    {{.id = "MX214",
      .name = "schedule-fractions-above-one",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "Warm-up and decay of the wsd schedule fit into the training.",
      .explanation = "Both fractions are shares of all steps; what is left between them is the stable phase.",
      .bad = {.world_size = 8,
              .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\nlr_schedule_type: "
                      "wsd\nwarmup_steps_fraction: 0.5\nwsd_decay_steps_fraction: 0.6\n"},
      .good = {.world_size = 8,
               .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\nlr_schedule_type: "
                       "wsd\nwarmup_steps_fraction: 0.1\nwsd_decay_steps_fraction: 0.2\n"}},
     schedule_too_long},
    {{.id = "MX215",
      .name = "parameter-scale-no-power-of-two",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:get_individual_scales",
      .outcome = sites::config_error,
      .summary = "global_parameter_scale is a power of two.",
      .explanation = "The scale is spread over heads, MLP, embedding and layers as powers of two. It also changes the "
                     "number of layers, which the pipeline's rules look at.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nglobal_parameter_scale: 3\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nglobal_parameter_scale: 2\n"}},
     parameter_scale},
    {{.id = "MX216",
      .name = "sequence-without-tokens",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/trainers/pre_train/train.py:loss_fn",
      .outcome = "MaxText accepts it and fails on the empty sequences",
      .summary = "max_target_length is 1 or more.",
      .explanation = "The key is an integer without bounds to MaxText. Arrays of no tokens, or of fewer than none, go "
                     "through no attention kernel.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nmax_target_length: 0\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nmax_target_length: 2048\n"}},
     no_tokens},
    {{.id = "MX217",
      .name = "checkpoint-period-zero",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/common/checkpointing.py:save_checkpoint",
      .outcome = "MaxText stops at the first step (ZeroDivisionError)",
      .summary = "With checkpoints, checkpoint_period is not 0.",
      .explanation = "A checkpoint is due when the step is a multiple of checkpoint_period. 0 is no word for never: "
                     "enable_checkpointing: false is.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nenable_checkpointing: true\ncheckpoint_period: 0\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nenable_checkpointing: true\ncheckpoint_period: 500\n"}},
     checkpoint_period},
    {{.id = "MX218",
      .name = "log-period-zero",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/common/metric_logger.py:write_metrics_to_tensorboard",
      .outcome = "MaxText stops when it writes the first step's metrics (ZeroDivisionError)",
      .summary = "With TensorBoard or metrics in a bucket, log_period is not 0.",
      .explanation = "Metrics are flushed when the step is a multiple of log_period. enable_tensorboard is true unless "
                     "you switch it off; gcs_metrics divides by the same key.",
      .bad = {.world_size = 8, .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\nlog_period: 0\n"},
      .good = {.world_size = 8,
               .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\nlog_period: 0\n"
                       "enable_tensorboard: false\n"}},
     log_period},
};

}  // namespace

RuleList length_rules() { return rules; }

}  // namespace primus_plan::maxtext
