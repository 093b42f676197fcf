#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* interleaving =
    "megatron/core/pipeline_parallel/schedules.py:forward_backward_pipelining_with_interleaving";
constexpr const char* parallel_config = "megatron/core/model_parallel_config.py:__post_init__";

void because_of_micro_batches(Message& m, const MegatronRun& run) {
  m.because("micro-batches {} = global_batch_size {} / (micro_batch_size {} x DP {})", run.micro_batches(),
            run.batch.global, run.batch.micro, run.dp());
}

void help_with_batches(Message& m, const MegatronRun& run, Int group) {
  const Int step = saturating_multiply(saturating_multiply(run.batch.micro, run.dp()), group);
  const std::vector<Int> legal = multiples_around(run.batch.global, step);
  m.help("global_batch_size that is a multiple of micro_batch_size x DP x {} = {}: {}", group, step,
         numbers_text(legal));
  fix_to_nearest(m, run.config.global_batch_size, run.batch.global, legal);
}

void group_out_of_range(const MegatronRun& run, Findings& out) {
  if (!interleaved_schedule_runs(run) || !virtual_size_is_settled(run)) return;
  if (run.micro_batches() < 1 || run.parsed.ramp_up) return;  // rampup_breaks_schedule looks at every size
  const MaybeCount& key = run.config.microbatch_group_size_per_vp_stage;
  const Int group = key.value.value_or(run.pp());
  const bool asked = run.given.microbatch_group_size_per_vp_stage.value.has_value();
  if (group < run.pp()) {
    out.add(key, [&](Message& m) {
      m.say("microbatch_group_size_per_vp_stage {} is below pipeline_model_parallel_size {}", group, run.pp());
      m.help("null takes PP {}", run.pp());
      m.fix("set microbatch_group_size_per_vp_stage to null", key, "null");
    });
  } else if (group > run.micro_batches()) {
    out.add(run.config.global_batch_size, [&](Message& m) {
      m.say("{} micro-batch{} a step: the interleaved schedule needs {} or more", run.micro_batches(),
            run.micro_batches() == 1 ? "" : "es", group);
      because_of_micro_batches(m, run);
      m.because("{} x {} chunks take micro-batches in groups of {}{}", run.pp(), *run.virtual_pipeline, group,
                asked ? " (microbatch_group_size_per_vp_stage)" : " (PP)");
      help_with_batches(m, run, group);
      m.help("without interleaving any number of micro-batches runs");
    });
  }
}

void group_remainder(const MegatronRun& run, Findings& out) {
  if (!interleaved_schedule_runs(run) || !virtual_size_is_settled(run) || run.parsed.ramp_up) return;
  const Int group = run.config.microbatch_group_size_per_vp_stage.value.value_or(run.pp());
  if (group < run.pp() || group > run.micro_batches()) return;
  const Int rest = run.micro_batches() % group;
  if (rest == 0 || rest >= run.pp()) return;
  out.add(run.config.global_batch_size, [&](Message& m) {
    m.say("{} micro-batches a step leave {} over in groups of {}, fewer than PP {}", run.micro_batches(), rest, group,
          run.pp());
    because_of_micro_batches(m, run);
    m.because(
        "the interleaved schedule takes micro-batches in groups; a last, smaller one must still fill the pipeline");
    help_with_batches(m, run, group);
  });
}

void rampup_breaks_schedule(const MegatronRun& run, Findings& out) {
  if (!run.parsed.ramp_up || run.micro_batches() < 1 || !virtual_size_is_settled(run)) return;
  if (!interleaved_schedule_runs(run) && !primus_pipeline_runs(run)) return;
  if (!run.config.train_samples.value || run.config.train_iters.value) return;
  for (const RampStep& step : ramp_steps(run.micro_batch_input)) {
    const Int count = step.batch.count;
    if (!step.divisible || count < 1 || schedule_takes(run, count)) continue;
    out.add(run.config.rampup_batch_size, [&](Message& m) {
      const Int group = saturating_multiply(saturating_multiply(run.batch.micro, run.dp()), run.pp());
      m.say("the batch of {} samples that the ramp reaches is {} micro-batch{}, which the pipeline schedule cannot run",
            step.batch.running, count, count == 1 ? "" : "es");
      m.because("{} / (micro_batch_size {} x DP {}) = {}, with PP {}", step.batch.running, run.batch.micro, run.dp(),
                count, run.pp());
      m.help("let start and increment be multiples of micro_batch_size x DP x PP = {}", group);
    });
    return;
  }
}

void warmup_flush_without_overlap(const MegatronRun& run, Findings& out) {
  const Flag& flush = run.config.overlap_p2p_comm_warmup_flush;
  if (!*flush || *run.config.overlap_p2p_comm || !virtual_size_is_settled(run)) return;
  out.add(flush, [&](Message& m) {
    m.say("overlap_p2p_comm_warmup_flush is on, but p2p communication does not overlap");
    if (!run.interleaved()) m.because("without interleaving Megatron turns overlap_p2p_comm off");
    m.help("num_virtual_stages_per_pipeline_rank and overlap_p2p_comm: true switch both on");
    m.fix("turn overlap_p2p_comm_warmup_flush off", flush, "false");
  });
}

void partial_checkpoints(const MegatronRun& run, Findings& out) {
  const MaybeCount& count = run.config.num_microbatches_with_partial_activation_checkpoints;
  const bool combined = *run.config.overlap_moe_expert_parallel_comm && interleaved_schedule_runs(run);
  const bool zero_bubble = zero_bubble_runs(run) && run.pp() > 1;
  if (!count.value || (!combined && !zero_bubble)) return;
  out.add(count, [&](Message& m) {
    m.say("num_microbatches_with_partial_activation_checkpoints {} with {}: the schedule asserts null", *count.value,
          zero_bubble ? "patch_zero_bubble" : "overlap_moe_expert_parallel_comm");
    m.also(zero_bubble ? run.config.patch_zero_bubble : run.config.overlap_moe_expert_parallel_comm);
    m.fix("set it to null", count, "null");
  });
}

void deferred_embedding_gradient(const MegatronRun& run, Findings& out) {
  const Flag& defer = run.config.defer_embedding_wgrad_compute;
  if (!*defer || run.pp() < 1) return;
  const bool single = run.pp() == 1;
  const bool unfused = !*run.config.gradient_accumulation_fusion;
  const bool negative = *run.config.wgrad_deferral_limit < 0;
  if (!single && !unfused && !negative) return;
  out.add(defer, [&](Message& m) {
    if (single) {
      m.say("defer_embedding_wgrad_compute needs pipeline stages, but pipeline_model_parallel_size is 1");
    } else if (unfused) {
      m.say("defer_embedding_wgrad_compute needs gradient_accumulation_fusion, which is off");
      m.also(run.config.gradient_accumulation_fusion, "gradient_accumulation_fusion set here");
    } else {
      m.say("wgrad_deferral_limit is {}: 0 defers all micro-batches, a positive number that many",
            *run.config.wgrad_deferral_limit);
      m.also(run.config.wgrad_deferral_limit, "wgrad_deferral_limit set here");
    }
    m.fix("turn defer_embedding_wgrad_compute off", defer, "false");
  });
}

void tied_embeddings(const MegatronRun& run, Findings& out) {
  const Flag& untie = run.config.untie_embeddings_and_output_weights;
  if (*untie || run.pp() < 2 || run.v_schedule) return;
  out.add(untie, [&](Message& m) {
    m.say("tied embeddings over {} pipeline stages: the first and the last stage each keep a copy of the table",
          run.pp());
    m.because("every step ends with an all-reduce of its gradient between the two");
    m.also(run.config.pipeline_model_parallel_size, "pipeline_model_parallel_size set here");
    m.help("untie_embeddings_and_output_weights: true removes the exchange, where the model allows it");
    m.help("pipeline_model_parallel_size: 1 keeps one copy");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG328",
      .name = "deferred-embedding-gradient",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = parallel_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "defer_embedding_wgrad_compute needs PP > 1, gradient_accumulation_fusion and a limit of 0 or more.",
      .explanation = "The embedding's weight gradients are put off into the pipeline's flush; there must be one.",
      .bad = {.world_size = 8, .yaml = "defer_embedding_wgrad_compute: true\n"},
      .good = {.world_size = 8, .yaml = "defer_embedding_wgrad_compute: true\npipeline_model_parallel_size: 2\n"}},
     deferred_embedding_gradient},
    {{.id = "MG330",
      .name = "interleaving-needs-more-micro-batches",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = interleaving,
      .outcome = "the first step stops (ValueError)",
      .summary = "PP <= microbatch_group_size_per_vp_stage <= number of micro-batches.",
      .explanation =
          "The interleaved schedule works through micro-batches in groups of microbatch_group_size_per_vp_stage, PP by "
          "default: a step needs at least one full group. Raise global_batch_size, or lower micro_batch_size or PP.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 2\n"
                      "micro_batch_size: 2\nglobal_batch_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 2\n"
                       "micro_batch_size: 2\nglobal_batch_size: 16\n"}},
     group_out_of_range},
    {{.id = "MG331",
      .name = "interleaving-micro-batch-remainder",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = interleaving,
      .outcome = "the first step stops (RuntimeError)",
      .summary = "With interleaving, micro-batches come in whole groups of PP.",
      .explanation = "What remains of the micro-batches after full groups must be nothing, or at least PP. With the "
                     "default group size the number of micro-batches is a multiple of PP.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 2\n"
                      "micro_batch_size: 2\nglobal_batch_size: 24\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 2\n"
                       "micro_batch_size: 2\nglobal_batch_size: 32\n"}},
     group_remainder},
    {{.id = "MG332",
      .name = "rampup-breaks-schedule",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = interleaving,
      .outcome = "the step that reaches this batch size stops",
      .summary = "Every batch size of the ramp-up suits the pipeline schedule.",
      .explanation = "The ramp starts with few micro-batches, and the interleaved schedules need whole groups of PP at "
                     "every step.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 2\n"
                      "micro_batch_size: 2\nrampup_batch_size: [8, 8, 1000]\nglobal_batch_size: 64\n"
                      "train_samples: 100000\ntrain_iters: null\nlr_warmup_iters: 0\nlr_decay_iters: null\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_virtual_stages_per_pipeline_rank: 2\n"
                       "micro_batch_size: 2\nrampup_batch_size: [16, 16, 1000]\nglobal_batch_size: 64\n"
                       "train_samples: 100000\ntrain_iters: null\nlr_warmup_iters: 0\nlr_decay_iters: null\n"}},
     rampup_breaks_schedule},
    {{.id = "MG333",
      .name = "warmup-flush-without-overlap",
      .severity = Severity::error,
      .stage = Stage::transformer_config,
      .runtime_site = parallel_config,
      .outcome = "Megatron stops when it builds TransformerConfig (ValueError)",
      .summary = "overlap_p2p_comm_warmup_flush needs overlap_p2p_comm, so interleaving.",
      .explanation = "Megatron turns overlap_p2p_comm off in a run without model chunks, whatever the file says.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\noverlap_p2p_comm_warmup_flush: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"
                       "overlap_p2p_comm_warmup_flush: true\n"}},
     warmup_flush_without_overlap},
    {{.id = "MG334",
      .name = "partial-checkpoints-unsupported",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = "primus/backends/megatron/core/pipeline_parallel/zerobubble/runtime.py:prepare",
      .outcome = "the first step stops (AssertionError)",
      .summary = "Zero bubble and expert-parallel overlap take no partial activation checkpoints.",
      .explanation = "num_microbatches_with_partial_activation_checkpoints is a feature of Megatron's plain schedules.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\npatch_zero_bubble: true\n"
                      "create_attention_mask_in_dataloader: false\n"
                      "num_microbatches_with_partial_activation_checkpoints: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\npatch_zero_bubble: true\n"
                       "create_attention_mask_in_dataloader: false\n"}},
     partial_checkpoints},
    {{.id = "MG336",
      .name = "tied-embeddings-across-stages",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "megatron/core/distributed/finalize_model_grads.py:_allreduce_word_embedding_grads",
      .outcome = "an all-reduce of vocabulary x hidden gradients between first and last stage at the end of every step",
      .summary = "Tied embeddings cost memory and traffic on two pipeline stages.",
      .explanation = "With untie_embeddings_and_output_weights off, the embedding of the first stage and the output "
                     "layer of the last share one weight. Each stage holds a copy, and their gradients are added up "
                     "after the pipeline has drained, when nothing hides it.",
      .bad = {.world_size = 8, .yaml = "pipeline_model_parallel_size: 2\nuntie_embeddings_and_output_weights: false\n"},
      .good = {.world_size = 8,
               .yaml = "pipeline_model_parallel_size: 2\nuntie_embeddings_and_output_weights: true\n"}},
     tied_embeddings},
};

}  // namespace

RuleList schedule_rules() { return rules; }

}  // namespace primus_plan::megatron
