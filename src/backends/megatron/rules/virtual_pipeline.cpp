#include "backends/megatron/rules/legal_values.h"
#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

void two_selectors(const MegatronRun& run, Findings& out) {
  if (virtual_selectors(run) < 2 || has_hybrid_pattern(run)) return;
  const MaybeCount& layers = run.config.num_layers_per_virtual_pipeline_stage;
  const Raw& layout = run.config.pipeline_model_parallel_layout;
  const auto describe = [&](Message& m) {
    m.say("{} keys say how many model chunks a pipeline rank holds; Megatron takes one", virtual_selectors(run));
    also_chunk_keys(m, run);
    m.help(
        "keep one of num_virtual_stages_per_pipeline_rank, num_layers_per_virtual_pipeline_stage and "
        "pipeline_model_parallel_layout; set the others to null");
    if (layers.value) m.fix("set num_layers_per_virtual_pipeline_stage to null", layers, "null");
  };
  if (layout.value != nullptr) {
    out.add(layout, describe);
  } else {
    out.add(layers, describe);
  }
}

void bare_virtual_size(const MegatronRun& run, Findings& out) {
  const MaybeCount& size = run.given.virtual_pipeline_model_parallel_size;
  if (!size.value || !virtual_size_is_settled(run)) return;
  const Int derived = run.virtual_pipeline.value_or(1);
  if (*size.value == derived) return;
  out.add(size, [&](Message& m) {
    m.say("virtual_pipeline_model_parallel_size {} has no effect: each pipeline rank holds {}", *size.value,
          counted(derived, "model chunk"));
    m.because(
        "validate_args overwrites it from the layout, num_virtual_stages_per_pipeline_rank or "
        "num_layers_per_virtual_pipeline_stage, else with None");
    if (derived == 1 && *size.value > 1 && run.pp() > 1) {
      m.help("num_virtual_stages_per_pipeline_rank: {} asks for that many chunks", *size.value);
    }
    m.fix("set virtual_pipeline_model_parallel_size to null", size, "null");
  });
}

void layers_per_chunk_with_ends(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.given.num_layers_per_virtual_pipeline_stage;
  if (!layers.value || !has_uneven_ends(run) || virtual_selectors(run) != 1 || has_hybrid_pattern(run)) return;
  out.add(layers, [&](Message& m) {
    m.say("num_layers_per_virtual_pipeline_stage {} with an uneven first or last stage: the chunks differ in size",
          *layers.value);
    also_uneven_ends(m, run);
    m.help("num_virtual_stages_per_pipeline_rank says the number of chunks instead of their size");
  });
}

void layers_per_chunk_not_divisible(const MegatronRun& run, Findings& out) {
  const MaybeCount& layers = run.given.num_layers_per_virtual_pipeline_stage;
  if (!layers.value || has_uneven_ends(run) || virtual_selectors(run) != 1 || has_hybrid_pattern(run)) return;
  const Int total = layers_with_slots(run);
  if (total < 1 || run.pp() < 1 || total % run.pp() != 0 || !run.given.num_layers.value) return;
  const Int on_rank = total / run.pp();
  if (*layers.value > 0 && on_rank % *layers.value == 0) return;
  out.add(layers, [&](Message& m) {
    m.say("num_layers_per_virtual_pipeline_stage {} does not divide the {} layers of a pipeline rank", *layers.value,
          on_rank);
    m.because("({}) / PP {} = {}", layers_text(run), run.pp(), on_rank);
    m.help("legal values: {}",
           numbers_text(legal_among(run, &MegatronConfig::num_layers_per_virtual_pipeline_stage, divisors(on_rank))));
  });
}

void too_few_stages(const MegatronRun& run, Findings& out) {
  if (!run.interleaved() || *run.virtual_pipeline < 1 || !virtual_size_is_settled(run)) return;
  const bool overlap = *run.given.overlap_p2p_comm;
  if (run.pp() >= (overlap ? 2 : 3)) return;
  out.add(run.config.pipeline_model_parallel_size, [&](Message& m) {
    m.say("{} model chunks a rank need pipeline_model_parallel_size {} or more, it is {}", *run.virtual_pipeline,
          overlap ? 2 : 3, run.pp());
    also_chunk_keys(m, run);
    if (run.pp() == 2) {
      m.because("overlap_p2p_comm is off: two ranks would send and receive several times at once");
      m.help("overlap_p2p_comm: true makes PP 2 enough");
      m.fix("turn overlap_p2p_comm on", run.config.overlap_p2p_comm, "true");
    } else {
      m.help("take the key that asks for chunks out, or raise pipeline_model_parallel_size");
    }
  });
}

void chunks_not_positive(const MegatronRun& run, Findings& out) {
  const MaybeCount& chunks = run.given.num_virtual_stages_per_pipeline_rank;
  if (!chunks.value || *chunks.value > 0 || virtual_selectors(run) != 1 || has_hybrid_pattern(run)) return;
  out.add(chunks, [&](Message& m) {
    m.say("num_virtual_stages_per_pipeline_rank is {}: a rank holds 1 model chunk or more", *chunks.value);
    m.help("null or 1 switches interleaving off");
    m.fix("set num_virtual_stages_per_pipeline_rank to null", chunks, "null");
  });
}

void manual_split_dead(const MegatronRun& run, Findings& out) {
  const Raw& list = run.given.decoder_pipeline_manual_split_list;
  if (list.value == nullptr) return;
  out.add(list, [&](Message& m) {
    m.say("decoder_pipeline_manual_split_list has no effect: nothing reads the list any more");
    m.because("Primus only lifts an argument check for it; the layers are split evenly");
    m.help("write the split as pipeline_model_parallel_layout, e.g. \"Et*5|t*7|t*7|t*5L\"");
    m.fix("set decoder_pipeline_manual_split_list to null", list, "null");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG304",
      .name = "two-virtual-pipeline-keys",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "At most one key says how many model chunks a rank holds.",
      .explanation = "num_virtual_stages_per_pipeline_rank, num_layers_per_virtual_pipeline_stage and "
                     "pipeline_model_parallel_layout each fix the number of chunks.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"
                      "num_layers_per_virtual_pipeline_stage: 6\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"}},
     two_selectors},
    {{.id = "MG305",
      .name = "virtual-size-has-no-effect",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron overwrites the value",
      .summary = "virtual_pipeline_model_parallel_size is derived, never read.",
      .explanation =
          "Setting it alone gives a run without interleaving, with overlap_p2p_comm off. Ask for chunks with "
          "num_virtual_stages_per_pipeline_rank.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nvirtual_pipeline_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"}},
     bare_virtual_size},
    {{.id = "MG306",
      .name = "layers-per-virtual-stage-with-uneven-ends",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "num_layers_per_virtual_pipeline_stage does not go with uneven ends.",
      .explanation = "One size for all chunks contradicts an end with a layer count of its own. "
                     "num_virtual_stages_per_pipeline_rank works with both.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_layers_per_virtual_pipeline_stage: 3\n"
                      "decoder_last_pipeline_num_layers: 6\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_layers_per_virtual_pipeline_stage: 3\n"}},
     layers_per_chunk_with_ends},
    {{.id = "MG307",
      .name = "layers-per-virtual-stage-not-divisible",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError, ZeroDivisionError for 0)",
      .summary = "num_layers_per_virtual_pipeline_stage divides the layers of a rank.",
      .explanation =
          "The number of chunks is (num_layers + slots) / PP / num_layers_per_virtual_pipeline_stage and must "
          "be whole.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_layers_per_virtual_pipeline_stage: 4\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\nnum_layers_per_virtual_pipeline_stage: 2\n"}},
     layers_per_chunk_not_divisible},
    {{.id = "MG308",
      .name = "interleaving-needs-more-stages",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "Interleaving needs PP 2 with overlap_p2p_comm, PP 3 without.",
      .explanation = "Model chunks interleave over pipeline ranks, so there must be several. Without overlap_p2p_comm "
                     "two ranks would exchange several messages in one batch, which Megatron refuses.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"
                      "overlap_p2p_comm: false\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 2\n"
                       "overlap_p2p_comm: true\n"}},
     too_few_stages},
    {{.id = "MG309",
      .name = "virtual-stages-not-positive",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/training/training.py:get_model",
      .outcome = "Megatron builds no model chunk and stops",
      .summary = "num_virtual_stages_per_pipeline_rank is null or positive.",
      .explanation = "It is the number of model chunks of each pipeline rank. 1 is turned into no interleaving.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 0\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 2\nnum_virtual_stages_per_pipeline_rank: 1\n"}},
     chunks_not_positive},
    {{.id = "MG326",
      .name = "manual-split-has-no-effect",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site =
          "primus/backends/megatron/patches/args/validate_args_patches.py:patch_validate_args_pipeline_split",
      .outcome = "the list is ignored",
      .summary = "decoder_pipeline_manual_split_list is a dead key.",
      .explanation = "Nothing splits layers by this list any more. It only keeps Megatron from checking early that PP "
                     "divides num_layers, so that an uneven model stops later, while it is built.",
      .bad = {.world_size = 8,
              .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\n"
                      "decoder_pipeline_manual_split_list: [5, 7, 7, 5]\n"},
      .good = {.world_size = 8,
               .yaml = "num_layers: 24\npipeline_model_parallel_size: 4\n"
                       "pipeline_model_parallel_layout: \"Et*5|t*7|t*7|t*5L\"\n"}},
     manual_split_dead},
};

}  // namespace

RuleList virtual_pipeline_rules() { return rules; }

}  // namespace primus_plan::megatron
