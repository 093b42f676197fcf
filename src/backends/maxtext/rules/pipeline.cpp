#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

const Count& stage_degree(const MaxTextRun& run) {
  return largest_of({&run.config.ici_pipeline_parallelism, &run.config.dcn_pipeline_parallelism});
}

Int layers_per_round(const MaxTextRun& run) {
  return saturating_multiply(run.pipeline_stages, *run.config.num_layers_per_pipeline_stage);
}

bool repeats_unknown(const MaxTextRun& run) {
  const Int round = layers_per_round(run);
  return *run.given.num_pipeline_repeats == -1 &&
         (round == 0 || floor_remainder(*run.config.pipeline_parallel_layers, round) != 0);
}

void because_of_stages(Message& m, const MaxTextRun& run) {
  m.because("{} stages = ici_pipeline_parallelism {} x dcn_pipeline_parallelism {}", run.pipeline_stages,
            *run.config.ici_pipeline_parallelism, *run.config.dcn_pipeline_parallelism);
  if (*run.given.pipeline_parallel_layers == -1) {
    m.because("{} pipelined layers of the decoder's {}", *run.config.pipeline_parallel_layers, run.model.layers);
  }
}

void help_with_layers(Message& m, const MaxTextRun& run) {
  const Int round = layers_per_round(run);
  const Int layers = *run.config.pipeline_parallel_layers;
  if (round > 0 && layers >= round) {
    m.help("pipeline_parallel_layers: {} pipelines whole rounds; the other {} layers run outside the pipeline",
           layers / round * round, run.model.layers - layers / round * round);
  }
  m.help("stages x num_layers_per_pipeline_stage divides the pipelined layers");
}

void layers_not_over_stages(const MaxTextRun& run, Findings& out) {
  if (!run.pipelined() || run.model.layers == 0 || !repeats_unknown(run)) return;
  out.add(stage_degree(run), [&](Message& m) {
    m.say("{} pipelined layers do not split into rounds of {} stages x {} layers = {}",
          *run.config.pipeline_parallel_layers, run.pipeline_stages, *run.config.num_layers_per_pipeline_stage,
          layers_per_round(run));
    because_of_stages(m, run);
    m.also(run.config.num_layers_per_pipeline_stage).also(run.given.pipeline_parallel_layers);
    help_with_layers(m, run);
  });
}

void pipeline_product(const MaxTextRun& run, Findings& out) {
  if (!run.pipelined() || run.model.layers == 0 || repeats_unknown(run)) return;
  const Int product = saturating_multiply(layers_per_round(run), *run.config.num_pipeline_repeats);
  if (product == *run.config.pipeline_parallel_layers) return;
  out.add(run.given.num_pipeline_repeats, [&](Message& m) {
    m.say("{} stages x {} repeats x {} layers = {}, but {} layers are pipelined", run.pipeline_stages,
          *run.config.num_pipeline_repeats, *run.config.num_layers_per_pipeline_stage, product,
          *run.config.pipeline_parallel_layers);
    because_of_stages(m, run);
    m.help("leave num_pipeline_repeats: -1 to have it computed");
    m.fix("set num_pipeline_repeats to -1", run.given.num_pipeline_repeats, "-1");
  });
}

void micro_batches_not_over_stages(const MaxTextRun& run, Findings& out) {
  if (!run.pipelined() || run.pipeline_stages == 0) return;
  const Int count = *run.config.num_pipeline_microbatches;
  if (count > 0 && floor_remainder(count, run.pipeline_stages) == 0) return;
  if (run.pipeline_stages < 0) {
    const Count& open = *run.config.ici_pipeline_parallelism == -1 ? run.config.ici_pipeline_parallelism
                                                                   : run.config.dcn_pipeline_parallelism;
    out.add(open, [&](Message& m) {
      m.say("{}: -1 makes the number of stages {}: pipeline degrees must be written out", open.key,
            run.pipeline_stages);
      m.help("write the number of stages");
    });
    return;
  }
  out.add(run.given.num_pipeline_microbatches, [&](Message& m) {
    m.say("num_pipeline_microbatches {} is not a positive multiple of the {} stages", count, run.pipeline_stages);
    because_of_stages(m, run);
    std::vector<Int> legal = multiples_around(count, run.pipeline_stages);
    if (run.batch_sizes.micro > 0) std::erase_if(legal, [&](Int other) { return run.batch_sizes.micro % other != 0; });
    help_with_nearest(m, legal);
    m.fix("set num_pipeline_microbatches to -1", run.given.num_pipeline_microbatches, "-1");
  });
}

bool micro_batches_sound(const MaxTextRun& run) {
  return run.pipelined() && run.pipeline_stages > 0 && *run.config.num_pipeline_microbatches > 0;
}

void batch_not_over_micro_batches(const MaxTextRun& run, Findings& out) {
  if (!micro_batches_sound(run) || run.batch_sizes.micro <= 0) return;
  const Int count = *run.config.num_pipeline_microbatches;
  if (run.batch_sizes.micro % count == 0) return;
  out.add(run.given.num_pipeline_microbatches.is_explicit ? run.given.num_pipeline_microbatches : stage_degree(run),
          [&](Message& m) {
            m.say("a batch of {} samples does not split into {} pipeline micro-batches", run.batch_sizes.micro, count);
            m.because("batch = int({} devices x per_device_batch_size {})", run.devices(),
                      number_text(*run.config.per_device_batch_size));
            m.also(run.config.per_device_batch_size);
            m.help(
                "choose a multiple of {} stages that divides the batch, or per_device_batch_size so that the batch is "
                "a multiple of {}",
                run.pipeline_stages, count);
          });
}

void too_few_for_delay(const MaxTextRun& run, Findings& out) {
  if (!micro_batches_sound(run) || !*run.config.pipeline_delay_activation_forwarding) return;
  const Int least = saturating_multiply(2, run.pipeline_stages);
  const Int count = *run.config.num_pipeline_microbatches;
  if (count >= least || floor_remainder(count, run.pipeline_stages) != 0) return;
  out.add(run.given.num_pipeline_microbatches, [&](Message& m) {
    m.say("delayed activation forwarding needs {} micro-batches for {} stages, num_pipeline_microbatches is {}", least,
          run.pipeline_stages, count);
    m.also(run.config.pipeline_delay_activation_forwarding);
    m.help("leave num_pipeline_microbatches: -1 for two a stage");
    m.fix(fmt::format("set num_pipeline_microbatches to {}", least), run.given.num_pipeline_microbatches,
          fmt::format("{}", least));
  });
}

void layers_out_of_range(const MaxTextRun& run, Findings& out) {
  const Count& layers = run.given.pipeline_parallel_layers;
  if (!run.pipelined() || run.model.layers == 0 || *layers == -1) return;
  if (*layers >= 1 && *layers <= run.model.layers) return;
  out.add(layers, [&](Message& m) {
    m.say("pipeline_parallel_layers is {}, the decoder has {} layers", *layers, run.model.layers);
    m.because("MaxText does not check it");
    m.help("leave it -1 to pipeline them all");
    m.fix("set pipeline_parallel_layers to -1", layers, "-1");
  });
}

void degree_left_open(const MaxTextRun& run, Findings& out) {
  if (run.pipelined() || !contains(run.mesh.axes, MeshAxis::stage)) return;
  const bool across = *run.config.dcn_pipeline_parallelism == -1;
  if (*run.config.ici_pipeline_parallelism != -1 && !across) return;
  const Count& open = across ? run.config.dcn_pipeline_parallelism : run.config.ici_pipeline_parallelism;
  if (run.mesh.resolved && run.mesh.size_of(MeshAxis::stage) == 1) return;
  out.add(open, [&](Message& m) {
    m.say("{}: -1 gives the mesh a stage axis, but does not switch pipelining on", open.key);
    if (run.mesh.resolved)
      m.because("the stage axis has {} devices, which all do the same layers", run.mesh.size_of(MeshAxis::stage));
    m.help("write the number of stages, or -1 on another axis");
  });
}

void keys_without_pipeline(const MaxTextRun& run, Findings& out) {
  // A degree of -1 is degree_left_open's.
  if (run.pipelined() || *run.config.ici_pipeline_parallelism == -1 || *run.config.dcn_pipeline_parallelism == -1)
    return;
  const MaxTextConfig& given = run.given;
  const std::pair<const Count*, Int> keys[] = {{&given.num_pipeline_microbatches, -1},
                                               {&given.num_layers_per_pipeline_stage, 1},
                                               {&given.num_pipeline_repeats, -1},
                                               {&given.pipeline_parallel_layers, -1}};
  for (const auto& entry : keys) {
    const Count& key = *entry.first;
    if (!is_asked_for(key) || *key == entry.second) continue;
    out.add(key, [&](Message& m) {
      m.say("{}: {} has no effect: there is no pipeline", key.key, *key);
      m.because("ici_pipeline_parallelism {} x dcn_pipeline_parallelism {} is one stage",
                *run.config.ici_pipeline_parallelism, *run.config.dcn_pipeline_parallelism);
      m.help("remove it, or write the number of stages as a pipeline degree");
    });
  }
}

void model_without_pipeline(const MaxTextRun& run, Findings& out) {
  if (!run.pipelined() || !run.parsed.engram || *run.config.decoder_block != "deepseek") return;
  out.add(stage_degree(run), [&](Message& m) {
    m.say("engram layers of a deepseek decoder do not go with {} pipeline stages", run.pipeline_stages);
    m.also(run.config.engram_layers);
  });
}

void model_doubtful_in_pipeline(const MaxTextRun& run, Findings& out) {
  const std::string_view block = *run.config.decoder_block;
  if (!run.pipelined() || (block != "gemma4" && block != "gemma4_small")) return;
  out.add(stage_degree(run), [&](Message& m) {
    m.say("{} decoders in a pipeline of {} stages are not expected to work", block, run.pipeline_stages);
    m.because("read from upstream's code: the pipeline does not know the mixed layers; not tried on the ROCm fork");
    because_of_model_file(m, run, run.config.decoder_block);
    m.help("use fsdp, tensor or expert parallel for this model");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX301",
      .name = "layers-not-over-stages",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "The pipelined layers split into whole rounds over the stages.",
      .explanation = "A round is stages x num_layers_per_pipeline_stage layers; num_pipeline_repeats: -1 becomes "
                     "layers / round. Deepseek models pipeline their mixture-of-experts layers only. "
                     "pipeline_parallel_layers keeps a rest of the layers outside.",
      .bad = {.world_size = 6, .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 3\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\n"}},
     layers_not_over_stages},
    {{.id = "MX302",
      .name = "pipeline-product-mismatch",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "stages x repeats x layers per stage is the number of pipelined layers.",
      .explanation = "With num_pipeline_repeats written out, the three numbers must multiply up to "
                     "pipeline_parallel_layers, which is all decoder layers unless set.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\nnum_pipeline_repeats: 1\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\nnum_pipeline_repeats: 8\n"}},
     pipeline_product},
    {{.id = "MX303",
      .name = "pipeline-micro-batches-not-over-stages",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "num_pipeline_microbatches is a positive multiple of the stages.",
      .explanation = "-1 takes one micro-batch for each stage, two with delayed forwarding. A pipeline degree of -1 "
                     "next to one above 1 makes the number of stages negative.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 3\nici_pipeline_parallelism: 4\nnum_pipeline_microbatches: 6\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 3\nici_pipeline_parallelism: 4\nnum_pipeline_microbatches: 8\n"}},
     micro_batches_not_over_stages},
    {{.id = "MX304",
      .name = "batch-not-over-micro-batches",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "The batch of a forward pass splits into the pipeline's micro-batches.",
      .explanation = "The pipeline cuts int(devices x per_device_batch_size) samples into num_pipeline_microbatches. "
                     "Gradient accumulation does not change that number.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\nnum_pipeline_microbatches: 12\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\nnum_pipeline_microbatches: 8\n"}},
     batch_not_over_micro_batches},
    {{.id = "MX305",
      .name = "delayed-forwarding-needs-micro-batches",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "pipeline_delay_activation_forwarding needs two micro-batches for each stage.",
      .explanation = "Activations are handed on one iteration later, so twice as many micro-batches are in flight.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\nnum_pipeline_microbatches: 4\n"
                      "pipeline_delay_activation_forwarding: true\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\nnum_pipeline_microbatches: 8\n"
                       "pipeline_delay_activation_forwarding: true\n"}},
     too_few_for_delay},
    {{.id = "MX307",
      .name = "pipelined-layers-out-of-range",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = sites::validate,
      .outcome = "MaxText goes on with a number of layers that the model does not have",
      .summary = "pipeline_parallel_layers lies within the decoder's layers.",
      .explanation = "MaxText only demands that stages x repeats x layers per stage is this number. 0, or more than "
                     "the model has, passes and builds something else than the model.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\npipeline_parallel_layers: 64\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\npipeline_parallel_layers: 28\n"}},
     layers_out_of_range},
    {{.id = "MX308",
      .name = "pipeline-degree-left-open",
      .severity = Severity::warning,
      .stage = Stage::model_parallel,
      .runtime_site = sites::validate,
      .outcome = "MaxText builds the stage axis and does not pipeline over it",
      .summary = "Pipeline degrees are written out.",
      .explanation = "MaxText switches pipelining on when a pipeline degree is above 1, before it resolves -1. The "
                     "axis then exists without a pipeline: its devices repeat each other's work on the layers.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: -1\nici_fsdp_parallelism: 1\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 8\nici_fsdp_parallelism: 1\n"}},
     degree_left_open},
    {{.id = "MX309",
      .name = "engram-with-pipeline",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "src/maxtext/layers/nnx_decoders.py:__init__",
      .outcome = "MaxText stops when it builds the decoder (AssertionError)",
      .summary = "Engram layers do not go with pipeline parallel.",
      .explanation = "The engram layers of deepseek decoders have no place in the pipeline's scanned stages.",
      .bad = {.world_size = 8,
              .yaml = "model_name: deepseek-custom\nper_device_batch_size: 1\nici_pipeline_parallelism: "
                      "2\npipeline_parallel_layers: 4\n"
                      "engram_layers: [1]\nengram_vocab_bases: [1, 2]\nhf_access_token: token\nsparse_matmul: "
                      "false\nattention: dot_product\n"},
      .good =
          {.world_size = 8,
           .yaml =
               "model_name: deepseek-custom\nper_device_batch_size: 1\nengram_layers: [1]\nengram_vocab_bases: [1, 2]\n"
               "hf_access_token: token\nsparse_matmul: false\nattention: dot_product\n"}},
     model_without_pipeline},
    {{.id = "MX310",
      .name = "decoder-doubtful-in-pipeline",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "src/maxtext/layers/nnx_decoders.py:__init__",
      .outcome = "the decoder is not expected to build",
      .summary = "gemma4 decoders are not made for pipeline parallel.",
      .explanation = "Their layers alternate between local and global attention, which the pipeline's stages do not "
                     "follow. This was read from upstream's code and not tried.",
      .bad = {.world_size = 8,
              .yaml = "model_name: gemma4-31b\nper_device_batch_size: 1\nici_pipeline_parallelism: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: gemma4-31b\nper_device_batch_size: 1\nici_tensor_parallelism: 2\n"}},
     model_doubtful_in_pipeline},
    {{.id = "MX311",
      .name = "pipeline-settings-without-pipeline",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = "MaxText accepts the key and never uses it",
      .summary = "The pipeline's keys have an effect only with a pipeline degree above 1.",
      .explanation = "num_pipeline_microbatches, num_layers_per_pipeline_stage, num_pipeline_repeats and "
                     "pipeline_parallel_layers are read when ici_ or dcn_pipeline_parallelism is above 1.",
      .bad = {.world_size = 8,
              .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\nnum_pipeline_microbatches: 8\n"},
      .good = {.world_size = 8,
               .yaml = "ici_pipeline_parallelism: 2\nper_device_batch_size: 1\nnum_pipeline_microbatches: 8\n"}},
     keys_without_pipeline},
};

}  // namespace

RuleList pipeline_rules() { return rules; }

}  // namespace primus_plan::maxtext
