#include <algorithm>
#include <array>

#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "primus_plan/support/number.h"
#include "primus_plan/support/text.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* launcher_init =
    "primus/backends/megatron/core/pipeline_parallel/primuspipe/pipeline_launcher.py:__init__";
constexpr const char* launcher_run =
    "primus/backends/megatron/core/pipeline_parallel/primuspipe/pipeline_launcher.py:run";

constexpr std::array<std::string_view, 7> algorithms{
    "1f1b", "1f1b-interleaved", "zero-bubble", "zero-bubble-heuristic", "zbv-formatted", "v-half", "v-min"};

bool one_of_ours(std::string_view algorithm) {
  return std::find(algorithms.begin(), algorithms.end(), algorithm) != algorithms.end();
}

/// The schedule and its number of chunks can be judged.
bool judged(const MegatronRun& run) {
  return primus_pipeline_runs(run) && virtual_size_is_settled(run) && one_of_ours(*run.config.pp_algorithm);
}

void both_patches(const MegatronRun& run, Findings& out) {
  if (!*run.config.patch_primus_pipeline || !*run.config.patch_zero_bubble) return;
  out.add(run.config.patch_primus_pipeline, [&](Message& m) {
    m.say("patch_primus_pipeline and patch_zero_bubble are both on: zero bubble wins, pp_algorithm is ignored");
    m.also(run.config.patch_zero_bubble, "patch_zero_bubble set here");
    m.help("keep one of the two patches");
    m.fix("turn patch_primus_pipeline off", run.config.patch_primus_pipeline, "false");
  });
}

void unknown_algorithm(const MegatronRun& run, Findings& out) {
  const Word& algorithm = run.config.pp_algorithm;
  if (!primus_pipeline_runs(run) || one_of_ours(*algorithm)) return;
  out.add(algorithm, [&](Message& m) {
    m.say("pp_algorithm {} is no schedule of Primus", algorithm.value.data() != nullptr ? *algorithm : "null");
    m.help("schedules: {}", join(algorithms, ", "));
    offer_word(m, algorithm, algorithms);
  });
}

void chunks_with_plain_schedule(const MegatronRun& run, Findings& out) {
  if (!judged(run) || !run.interleaved()) return;
  const std::string_view algorithm = *run.config.pp_algorithm;
  if (algorithm != "1f1b" && algorithm != "zero-bubble" && algorithm != "zero-bubble-heuristic") return;
  out.add(run.config.pp_algorithm, [&](Message& m) {
    m.say("pp_algorithm {} runs one model chunk a rank, but there are {}", algorithm, *run.virtual_pipeline);
    also_chunk_keys(m, run);
    m.help("take the chunks out, or take 1f1b-interleaved{}", *run.virtual_pipeline == 2 ? " or zbv-formatted" : "");
  });
}

void folded_without_two_chunks(const MegatronRun& run, Findings& out) {
  const Int chunks = run.virtual_pipeline.value_or(1);
  if (!judged(run) || !algorithm_folds(*run.config.pp_algorithm) || chunks == 2) return;
  out.add(run.config.pp_algorithm, [&](Message& m) {
    m.say("pp_algorithm {} folds the pipeline over 2 model chunks a rank, but there {} {}", *run.config.pp_algorithm,
          chunks == 1 ? "is" : "are", chunks);
    m.also(run.config.num_virtual_stages_per_pipeline_rank, "num_virtual_stages_per_pipeline_rank set here");
    if (run.parsed.layout) {
      m.also(run.config.pipeline_model_parallel_layout, "pipeline_model_parallel_layout set here");
      m.help("write the layout with 2 x PP = {} stages", saturating_multiply(2, run.pp()));
    } else {
      m.help("set num_virtual_stages_per_pipeline_rank: 2");
    }
    m.fix("set num_virtual_stages_per_pipeline_rank to 2", run.config.num_virtual_stages_per_pipeline_rank, "2");
  });
}

void interleaved_without_chunks(const MegatronRun& run, Findings& out) {
  if (!judged(run) || run.interleaved() || *run.config.pp_algorithm != "1f1b-interleaved") return;
  const Word& algorithm = run.config.pp_algorithm;
  const bool asked = is_written(algorithm.origin);
  out.add(asked ? algorithm.origin : run.config.patch_primus_pipeline.origin, [&](Message& m) {
    m.say("pp_algorithm 1f1b-interleaved needs 2 or more model chunks a rank, but there is 1");
    if (!asked) m.because("1f1b-interleaved is what the preset takes unless pp_algorithm is set");
    m.help("set pp_algorithm: 1f1b, or num_virtual_stages_per_pipeline_rank: 2");
    m.fix("set pp_algorithm to 1f1b", algorithm, "1f1b");
  });
}

void too_few_micro_batches(const MegatronRun& run, Findings& out) {
  if (!judged(run) || run.micro_batches() < 1 || run.parsed.ramp_up) return;
  const std::string_view algorithm = *run.config.pp_algorithm;
  if (algorithm == "1f1b-interleaved" && !run.interleaved()) return;
  if (algorithm_folds(algorithm) && run.virtual_pipeline.value_or(1) != 2) return;
  if (schedule_takes(run, run.micro_batches())) return;
  out.add(run.config.global_batch_size, [&](Message& m) {
    const Int pp = run.pp();
    const Int parts = saturating_multiply(run.micro_batches(), sequence_splits(run));
    Int least = pp - 1;
    if (algorithm == "zbv-formatted") least = 2 * pp - 1;
    if (algorithm == "1f1b-interleaved") {
      least = pp == 2 ? pp : 2 * pp;
      m.say("{} micro-batches a step: pp_algorithm 1f1b-interleaved with PP {} needs a multiple of {}, at least {}",
            parts, pp, pp, least);
    } else {
      m.say("{} micro-batches a step: pp_algorithm {} with PP {} needs {} or more", parts, algorithm, pp, least);
    }
    m.because("micro-batches {} = global_batch_size {} / (micro_batch_size {} x DP {})", run.micro_batches(),
              run.batch.global, run.batch.micro, run.dp());
    m.because("nothing checks this: the schedule table names micro-batches that do not exist");
    Int micro_batches = 1;
    // `least` micro-batches do, or fewer where each is cut into several parts.
    while (micro_batches < least && !schedule_takes(run, micro_batches)) ++micro_batches;
    m.help("smallest global_batch_size that runs: {}",
           saturating_multiply(saturating_multiply(run.batch.micro, run.dp()), micro_batches));
  });
}

void evaluation_unsupported(const MegatronRun& run, Findings& out) {
  if (!primus_pipeline_runs(run) || run.config.eval_iters.value.value_or(0) < 1) return;
  out.add(run.config.eval_iters, [&](Message& m) {
    m.say("eval_iters {} with patch_primus_pipeline: its schedules cannot run forward only",
          *run.config.eval_iters.value);
    m.also(run.config.patch_primus_pipeline, "patch_primus_pipeline set here");
    m.help("evaluate the checkpoints in a run without the patch");
    m.fix("set eval_iters to 0", run.config.eval_iters, "0");
  });
}

void offload_unsupported(const MegatronRun& run, Findings& out) {
  if (!judged(run) || !*run.config.offload) return;
  const std::string_view algorithm = *run.config.pp_algorithm;
  const bool combined = algorithm == "zbv-formatted" && *run.config.overlap_moe_expert_parallel_comm;
  if (algorithm_folds(algorithm) && !combined) return;
  out.add(run.config.offload, [&](Message& m) {
    if (combined) {
      m.say("offload does not go with overlap_moe_expert_parallel_comm in pp_algorithm zbv-formatted");
      m.also(run.config.overlap_moe_expert_parallel_comm, "overlap_moe_expert_parallel_comm set here");
    } else {
      m.say("pp_algorithm {} cannot offload activations", algorithm);
      m.also(run.config.pp_algorithm, "pp_algorithm set here");
      m.help("zbv-formatted, v-half and v-min can");
    }
    m.fix("turn offload off", run.config.offload, "false");
  });
}

void recompute_with_split_gradients(const MegatronRun& run, Findings& out) {
  const bool recomputes =
      *run.config.recompute_granularity == "full" || run.config.recompute_layer_ids.value != nullptr;
  if (!splits_weight_gradients(run) || !recomputes || run.pp() < 2) return;
  const bool ids = run.config.recompute_layer_ids.value != nullptr;
  out.add(ids ? run.config.recompute_layer_ids.origin : run.config.recompute_granularity.origin, [&](Message& m) {
    m.say("recompute saves no memory here: the schedule keeps recomputed inputs for the weight gradients");
    m.also(run.config.pp_algorithm, "pp_algorithm set here");
    m.also(run.config.patch_zero_bubble, "patch_zero_bubble set here");
    m.help("take recompute out, or pp_algorithm 1f1b or 1f1b-interleaved");
  });
}

void keys_without_patch(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const auto asked = [](const auto& field) { return is_written(field.origin); };
  const auto report = [&](const auto& field, const char* patch) {
    out.add(field, [&](Message& m) {
      m.say("{} has no effect without {}", field.key, patch);
      m.help("set {}: true, or take {} out", patch, field.key);
    });
  };
  if (!*config.patch_primus_pipeline && !*config.patch_zero_bubble) {
    const std::string_view runs_anyway = run.interleaved() ? "1f1b-interleaved" : "1f1b";
    if (asked(config.pp_algorithm) && config.pp_algorithm.value.data() != nullptr &&
        *config.pp_algorithm != runs_anyway)
      report(config.pp_algorithm, "patch_primus_pipeline");
    if (asked(config.num_seq_splits) && integer_or(config.num_seq_splits, 1) > 1)
      report(config.num_seq_splits, "patch_zero_bubble");
  }
  if (*config.patch_zero_bubble) return;
  for (const Flag* flag :
       {&config.enable_zero_bubble, &config.enable_zb_runtime, &config.zero_bubble_v_schedule, &config.enable_1f1b_v}) {
    if (**flag && asked(*flag)) report(*flag, "patch_zero_bubble");
  }
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG350",
      .name = "both-pipeline-patches",
      .severity = Severity::warning,
      .stage = Stage::schedule,
      .runtime_site = "primus/backends/megatron/patches/parallelism/schedule_patches.py:patch_pipeline_schedule",
      .outcome = "Primus skips the Primus pipeline patch",
      .summary = "patch_primus_pipeline and patch_zero_bubble exclude each other.",
      .explanation =
          "Each replaces Megatron's schedule. With both, zero bubble is installed, and the part that hands over "
          "weight gradients asserts that the other is off.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\npatch_primus_pipeline: true\n"
                      "patch_zero_bubble: true\ncreate_attention_mask_in_dataloader: false\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\npatch_zero_bubble: true\n"
                       "create_attention_mask_in_dataloader: false\n"}},
     both_patches},
    {{.id = "MG351",
      .name = "pp-algorithm-unknown",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = launcher_init,
      .outcome = "the first step stops (AssertionError)",
      .summary = "pp_algorithm names a schedule of Primus.",
      .explanation = "1f1b, 1f1b-interleaved, zero-bubble, zero-bubble-heuristic, zbv-formatted, v-half, v-min.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                      "pp_algorithm: zb-h1\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                       "pp_algorithm: zero-bubble\n"}},
     unknown_algorithm},
    {{.id = "MG352",
      .name = "pp-algorithm-takes-one-chunk",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = launcher_init,
      .outcome = "the first step stops (AssertionError)",
      .summary = "1f1b and zero-bubble run one model chunk a rank.",
      .explanation = "The interleaved and the folded schedules are the ones for several chunks.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                      "pp_algorithm: zero-bubble\nnum_virtual_stages_per_pipeline_rank: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                       "pp_algorithm: zero-bubble\n"}},
     chunks_with_plain_schedule},
    {{.id = "MG353",
      .name = "pp-algorithm-takes-two-chunks",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = launcher_init,
      .outcome = "the first step stops (AssertionError)",
      .summary = "zbv-formatted, v-half and v-min run two model chunks a rank.",
      .explanation = "They fold the pipeline: rank r holds stages r and 2 PP - 1 - r. A layout needs 2 x PP stages.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                      "pp_algorithm: v-half\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                       "pp_algorithm: v-half\nnum_virtual_stages_per_pipeline_rank: 2\n"}},
     folded_without_two_chunks},
    {{.id = "MG354",
      .name = "pp-algorithm-takes-many-chunks",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = "primus/core/pipeline_parallel/scheduler/algorithms/interleaved_1f1b.py:__init__",
      .outcome = "the first step stops (AssertionError)",
      .summary = "1f1b-interleaved, which is the default, needs model chunks.",
      .explanation = "patch_primus_pipeline: true alone takes this schedule and always stops.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\npatch_primus_pipeline: true\n"
                       "num_virtual_stages_per_pipeline_rank: 2\n"}},
     interleaved_without_chunks},
    {{.id = "MG355",
      .name = "pp-algorithm-micro-batches",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = launcher_run,
      .outcome = "the schedule asks for micro-batches that do not exist: the step hangs or fails deep inside",
      .summary = "The Primus schedules need enough micro-batches, 1f1b-interleaved whole rounds.",
      .explanation =
          "1f1b needs PP - 1 micro-batches, zbv-formatted 2 PP - 1, 1f1b-interleaved a multiple of PP and, above PP 2, "
          "at least 2 PP. These are stricter than Megatron's own schedules, and nothing checks them.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                      "num_virtual_stages_per_pipeline_rank: 2\nmicro_batch_size: 1\nglobal_batch_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                       "num_virtual_stages_per_pipeline_rank: 2\nmicro_batch_size: 1\nglobal_batch_size: 16\n"}},
     too_few_micro_batches},
    {{.id = "MG358",
      .name = "primus-pipeline-cannot-evaluate",
      .severity = Severity::error,
      .stage = Stage::runtime,
      .runtime_site = launcher_run,
      .outcome = "the first evaluation stops the run (AssertionError)",
      .summary = "patch_primus_pipeline needs eval_iters 0.",
      .explanation =
          "The first evaluation comes after eval_interval steps, or at the very end of training: hours may be "
          "lost.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                      "pp_algorithm: 1f1b\neval_iters: 10\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                       "pp_algorithm: 1f1b\neval_iters: 0\n"}},
     evaluation_unsupported},
    {{.id = "MG359",
      .name = "pp-algorithm-cannot-offload",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = launcher_run,
      .outcome = "the first step stops (AssertionError)",
      .summary = "offload works with the folded schedules alone.",
      .explanation =
          "zbv-formatted, v-half and v-min can offload activations; zbv-formatted not while it combines passes "
          "for overlap_moe_expert_parallel_comm.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                      "pp_algorithm: zero-bubble\noffload: true\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                       "pp_algorithm: v-half\nnum_virtual_stages_per_pipeline_rank: 2\noffload: true\n"}},
     offload_unsupported},
    {{.id = "MG360",
      .name = "recompute-with-split-gradients",
      .severity = Severity::warning,
      .stage = Stage::advice,
      .runtime_site = "",
      .outcome = "the run pays for recompute and saves nothing",
      .summary = "Schedules that split off weight gradients do not go with recompute.",
      .explanation =
          "Zero-bubble schedules compute weight gradients later, from inputs they keep: recomputing a layer frees "
          "nothing.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npatch_primus_pipeline: true\n"
                      "pp_algorithm: v-half\nnum_virtual_stages_per_pipeline_rank: 2\nrecompute_granularity: full\n"
                      "recompute_method: uniform\nrecompute_num_layers: 1\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\npatch_primus_pipeline: true\n"
                       "num_virtual_stages_per_pipeline_rank: 2\nrecompute_granularity: full\n"
                       "recompute_method: uniform\nrecompute_num_layers: 1\n"}},
     recompute_with_split_gradients},
    {{.id = "MG361",
      .name = "pipeline-key-without-patch",
      .severity = Severity::warning,
      .stage = Stage::schedule,
      .runtime_site = "primus/backends/megatron/patches/parallelism/schedule_patches.py:patch_pipeline_schedule",
      .outcome = "Megatron's own schedule runs",
      .summary = "Keys of the Primus schedules need their patch.",
      .explanation = "pp_algorithm is read only with patch_primus_pipeline, the zero-bubble keys only with "
                     "patch_zero_bubble.",
      .bad = {.world_size = 8, .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npp_algorithm: zero-bubble\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\npp_algorithm: zero-bubble\n"
                       "patch_primus_pipeline: true\n"}},
     keys_without_patch},
};

}  // namespace

RuleList primus_pipeline_rules() { return rules; }

}  // namespace primus_plan::megatron
