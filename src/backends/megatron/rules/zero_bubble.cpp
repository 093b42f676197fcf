#include "backends/megatron/rules/legal_values.h"
#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* choose_schedule =
    "primus/backends/megatron/core/pipeline_parallel/zerobubble/runtime.py:get_zero_bubble_forward_backward_func";
constexpr const char* prepare = "primus/backends/megatron/core/pipeline_parallel/zerobubble/runtime.py:prepare";
constexpr const char* get_batch = "primus/backends/megatron/data_loader_store.py:get_batch_func";

void also_patch(Message& m, const MegatronRun& run) {
  m.also(run.config.patch_zero_bubble, "patch_zero_bubble set here");
}

void no_pipeline(const MegatronRun& run, Findings& out) {
  if (!zero_bubble_runs(run) || run.pp() != 1) return;
  out.add(run.config.patch_zero_bubble, [&](Message& m) {
    m.say("patch_zero_bubble needs pipeline stages, but pipeline_model_parallel_size is 1");
    m.also(run.config.pipeline_model_parallel_size, "pipeline_model_parallel_size set here");
    m.fix("turn patch_zero_bubble off", run.config.patch_zero_bubble, "false");
  });
}

void folded_without_two_chunks(const MegatronRun& run, Findings& out) {
  if (!zero_bubble_runs(run) || !run.v_schedule || !virtual_size_is_settled(run)) return;
  const Int chunks = run.virtual_pipeline.value_or(1);
  if (chunks == 2) return;
  const MegatronConfig& config = run.config;
  const Flag& flag = *config.zero_bubble_v_schedule ? config.zero_bubble_v_schedule : config.enable_1f1b_v;
  out.add(flag, [&](Message& m) {
    m.say("{} folds the pipeline over 2 model chunks a rank, but there {} {}", flag.key, chunks == 1 ? "is" : "are",
          chunks);
    if (chunks == 1) m.because("nothing sets the number of chunks for it: model and schedule would disagree");
    m.also(config.num_virtual_stages_per_pipeline_rank, "num_virtual_stages_per_pipeline_rank set here");
    m.help("set num_virtual_stages_per_pipeline_rank: 2");
    m.fix("set num_virtual_stages_per_pipeline_rank to 2", config.num_virtual_stages_per_pipeline_rank, "2");
  });
}

void chunks_without_fold(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!zero_bubble_runs(run) || run.pp() < 2 || !run.interleaved() || !virtual_size_is_settled(run)) return;
  if (!*config.enable_zero_bubble || *config.zero_bubble_v_schedule || *config.enable_1f1b_v) return;
  if (sequence_splits(run) > 1 || integer_or(config.interleave_group_size, 0) > 0) return;
  out.add(config.patch_zero_bubble, [&](Message& m) {
    m.say("zero bubble with {} model chunks a rank runs only as a V schedule, which is off", *run.virtual_pipeline);
    also_chunk_keys(m, run);
    m.help("set zero_bubble_v_schedule: true with 2 chunks, or take the chunks out");
    m.fix("turn zero_bubble_v_schedule on", config.zero_bubble_v_schedule, "true");
  });
}

void overlapped_gradients(const MegatronRun& run, Findings& out) {
  const Flag& overlap = run.config.overlap_grad_reduce;
  if (!zero_bubble_runs(run) || run.pp() < 2 || !*overlap) return;
  out.add(overlap, [&](Message& m) {
    m.say("overlap_grad_reduce with patch_zero_bubble: the schedule cannot hold gradients back");
    also_patch(m, run);
    if (*run.config.overlap_param_gather) {
      m.also(run.config.overlap_param_gather, "overlap_param_gather has to go as well");
    }
    m.fix("turn overlap_grad_reduce off", overlap, "false");
  });
}

void context_parallel(const MegatronRun& run, Findings& out) {
  if (!zero_bubble_runs(run) || run.pp() < 2 || run.cp() < 2) return;
  out.add(run.config.context_parallel_size, [&](Message& m) {
    m.say("context_parallel_size {} with patch_zero_bubble: the schedule expects whole sequences", run.cp());
    also_patch(m, run);
    m.because("it compares the shape it sends, sequence / CP, with the whole sequence");
    m.fix("set context_parallel_size to 1", run.config.context_parallel_size, "1");
  });
}

void attention_mask(const MegatronRun& run, Findings& out) {
  const Flag& mask = run.config.create_attention_mask_in_dataloader;
  if (!zero_bubble_runs(run) || run.pp() < 2 || !*mask) return;
  const bool asked = is_written(mask.origin);
  out.add(asked ? mask.origin : run.config.patch_zero_bubble.origin, [&](Message& m) {
    m.say("patch_zero_bubble needs create_attention_mask_in_dataloader: false, it is true");
    if (!asked) m.because("true is what the preset sets");
    m.help("set create_attention_mask_in_dataloader: false");
    m.fix("turn create_attention_mask_in_dataloader off", mask, "false");
  });
}

void sequence_parts(const MegatronRun& run, Findings& out) {
  const Int splits = sequence_splits(run);
  if (splits < 2 || run.batch.sequence_length < 1 || run.batch.sequence_length % splits == 0) return;
  out.add(run.config.num_seq_splits, [&](Message& m) {
    m.say("seq_length {} is not a multiple of num_seq_splits {}", run.batch.sequence_length, splits);
    m.also(run.config.seq_length, "seq_length set here");
    m.help("nearest seq_length: {}",
           numbers_text(nearest_legal(run, &MegatronConfig::seq_length, run.batch.sequence_length, splits)));
  });
}

void split_falls_back(const MegatronRun& run, Findings& out) {
  const Flag& fusion = run.config.gradient_accumulation_fusion;
  if (!splits_weight_gradients(run) || run.pp() < 2 || *fusion) return;
  out.add(fusion, [&](Message& m) {
    m.say("the backward pass is not split, so the bubble stays: gradient_accumulation_fusion is off");
    m.also(run.config.pp_algorithm, "pp_algorithm set here");
    also_patch(m, run);
    m.fix("turn gradient_accumulation_fusion on", fusion, "true");
  });
}

void pending_backward(const MegatronRun& run, Findings& out) {
  const Raw& limit = run.config.zero_bubble_max_pending_backward;
  if (!zero_bubble_runs(run) || run.pp() < 2 || !*run.config.enable_zero_bubble || run.interleaved()) return;
  if (limit.value == nullptr || sequence_splits(run) > 1) return;
  const bool text = limit.value->is_string() && limit.value->text != "auto";
  const bool small = limit.value->kind == Kind::integer && limit.value->integer < 1;
  if (!text && !small) return;
  out.add(limit, [&](Message& m) {
    m.say("zero_bubble_max_pending_backward is {}: auto or a number of micro-batches is wanted", to_text(*limit.value));
    m.help("PP {} gives the schedule of least memory, 2 x PP = {} the one without bubbles", run.pp(),
           saturating_multiply(2, run.pp()));
    m.fix("set zero_bubble_max_pending_backward to auto", limit, "auto");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG362",
      .name = "zero-bubble-without-pipeline",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = choose_schedule,
      .outcome = "the first step stops (AssertionError)",
      .summary = "patch_zero_bubble needs PP > 1.",
      .explanation = "There is no bubble without a pipeline, and the patch asserts one.",
      .bad = {.world_size = 8, .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"},
      .good = {.world_size = 8,
               .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                       "pipeline_model_parallel_size: 2\n"}},
     no_pipeline},
    {{.id = "MG363",
      .name = "zero-bubble-v-needs-two-chunks",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/core/parallel_state.py:is_pipeline_last_stage",
      .outcome = "3 or more chunks: AssertionError; 1 chunk: model and schedule disagree, the run crashes or hangs",
      .summary = "A zero-bubble V schedule runs two model chunks a rank.",
      .explanation = "zero_bubble_v_schedule and enable_1f1b_v put the first and the last stage on rank 0. The "
                     "function that would set the number of chunks to 2 is never called: "
                     "num_virtual_stages_per_pipeline_rank: 2 has to be written.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npatch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                      "pipeline_model_parallel_size: 2\nzero_bubble_v_schedule: true\n"
                      "num_virtual_stages_per_pipeline_rank: 3\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npatch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                       "pipeline_model_parallel_size: 2\nzero_bubble_v_schedule: true\n"
                       "num_virtual_stages_per_pipeline_rank: 2\n"}},
     folded_without_two_chunks},
    {{.id = "MG364",
      .name = "zero-bubble-chunks-without-v",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = choose_schedule,
      .outcome = "the first step stops (ValueError)",
      .summary = "Zero bubble with model chunks needs zero_bubble_v_schedule.",
      .explanation = "Among the zero-bubble schedules only the V schedule knows chunks.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npatch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                      "pipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npatch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                       "pipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"
                       "zero_bubble_v_schedule: true\n"}},
     chunks_without_fold},
    {{.id = "MG365",
      .name = "zero-bubble-with-gradient-overlap",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = prepare,
      .outcome = "the first step stops (AssertionError)",
      .summary = "patch_zero_bubble needs overlap_grad_reduce off.",
      .explanation = "The schedule computes weight gradients late and has no way to hold back a reduction that starts "
                     "by itself. overlap_param_gather needs overlap_grad_reduce, so it goes too.",
      .bad = {.world_size = 8,
              .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                      "pipeline_model_parallel_size: 2\noverlap_grad_reduce: true\n"},
      .good = {.world_size = 8,
               .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                       "pipeline_model_parallel_size: 2\noverlap_grad_reduce: false\n"}},
     overlapped_gradients},
    {{.id = "MG366",
      .name = "zero-bubble-with-context-parallel",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = prepare,
      .outcome = "the first step stops (AssertionError)",
      .summary = "patch_zero_bubble needs context_parallel_size 1.",
      .explanation = "The expected activation shape leaves CP out of account.",
      .bad = {.world_size = 8,
              .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                      "pipeline_model_parallel_size: 2\ncontext_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                       "pipeline_model_parallel_size: 2\ncontext_parallel_size: 1\n"}},
     context_parallel},
    {{.id = "MG367",
      .name = "zero-bubble-attention-mask",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = get_batch,
      .outcome = "the first batch stops the run (AssertionError)",
      .summary = "patch_zero_bubble needs create_attention_mask_in_dataloader: false.",
      .explanation = "The preset of the trainers says true, so the key has to be written.",
      .bad = {.world_size = 8, .yaml = "patch_zero_bubble: true\npipeline_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "patch_zero_bubble: true\npipeline_model_parallel_size: 2\n"
                       "create_attention_mask_in_dataloader: false\n"}},
     attention_mask},
    {{.id = "MG368",
      .name = "sequence-splits-not-divisible",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = get_batch,
      .outcome = "the first batch stops the run (AssertionError)",
      .summary = "num_seq_splits divides seq_length.",
      .explanation = "Each sample goes through the pipeline in num_seq_splits equal parts.",
      .bad = {.world_size = 8,
              .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                      "pipeline_model_parallel_size: 2\nnum_seq_splits: 3\nseq_length: 1024\n"},
      .good = {.world_size = 8,
               .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                       "pipeline_model_parallel_size: 2\nnum_seq_splits: 2\nseq_length: 1024\n"}},
     sequence_parts},
    {{.id = "MG369",
      .name = "weight-gradients-not-split",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "primus/backends/megatron/core/pipeline_parallel/zerobubble/zbpp_utils.py:is_supported",
      .outcome = "the schedule falls back to whole backward passes and says nothing",
      .summary = "Splitting the backward pass needs gradient_accumulation_fusion.",
      .explanation =
          "Zero-bubble schedules fill the bubble with weight gradients. Where these cannot be split off, the run "
          "is an ordinary pipeline.",
      .bad = {.world_size = 8,
              .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                      "pipeline_model_parallel_size: 2\ngradient_accumulation_fusion: false\n"},
      .good = {.world_size = 8,
               .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                       "pipeline_model_parallel_size: 2\ngradient_accumulation_fusion: true\n"}},
     split_falls_back},
    {{.id = "MG370",
      .name = "zero-bubble-pending-backward",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = choose_schedule,
      .outcome = "the scheduler finds nothing that fits (ValueError), or multiplies a text (TypeError)",
      .summary = "zero_bubble_max_pending_backward is auto or a positive number.",
      .explanation =
          "It limits the activations a stage may hold, counted in micro-batches: PP for the schedule of least "
          "memory, 2 PP for no bubble.",
      .bad = {.world_size = 8,
              .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                      "pipeline_model_parallel_size: 2\nzero_bubble_max_pending_backward: 0\n"},
      .good = {.world_size = 8,
               .yaml = "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"
                       "pipeline_model_parallel_size: 2\nzero_bubble_max_pending_backward: auto\n"}},
     pending_backward},
};

}  // namespace

RuleList zero_bubble_rules() { return rules; }

}  // namespace primus_plan::megatron
