#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/number.h"

namespace primus_plan::torchtitan {
namespace {

constexpr const char* pipeline_llm = "torchtitan/distributed/pipeline_parallel.py:pipeline_llm";
constexpr const char* stage_indices = "torchtitan/distributed/pipeline_parallel.py:_get_stage_indices";
constexpr const char* deal_modules = "torchtitan/distributed/pipeline_parallel.py:generate_llm_fqn_per_model_part";

/// Whether the split of this run can be judged: PP is on, the model has layers and can pipeline, the schedule is known.
bool splits(const TorchTitanRun& run) {
  return run.pipelines() && run.parsed.schedule != nullptr && run.model().layers > 0 && run.parsed.model->pipelines;
}

void because_of_stages(Message& m, const TorchTitanRun& run) {
  const MaybeCount& wanted = run.config.pipeline_parallel_layers_per_stage;
  if (wanted.value) {
    m.because(
        "virtual stages {} = ceil((layers {} + first_stage_less_layers {} + last_stage_less_layers {}) / "
        "layers_per_stage {})",
        run.pipeline.stages, run.model().layers, *run.config.pipeline_parallel_first_stage_less_layers,
        *run.config.pipeline_parallel_last_stage_less_layers, *wanted.value);
  } else {
    m.because("virtual stages {} = PP {} x {} for {}", run.pipeline.stages, run.pp(),
              run.parsed.schedule->multi_stage ? 2 : 1, run.parsed.schedule->name);
  }
}

/// The values of layers_per_stage that give `per_rank` stages on each rank: [low, high], empty when there are none.
void help_with_layers_per_stage(Message& m, const TorchTitanRun& run, Int per_rank) {
  const Int units = run.pipeline.units;
  const Int stages = per_rank * run.pp();
  const Int low = (units + stages - 1) / stages;
  const Int high = (units + stages - 2) / (stages - 1) - 1;
  const char* each = per_rank == 1 ? "one stage" : "two stages";
  if (low > high) {
    m.help("no value gives {} a rank here: leave pipeline_parallel_layers_per_stage null", each);
  } else if (low == high) {
    m.help("pipeline_parallel_layers_per_stage: {} gives {} a rank", low, each);
  } else {
    m.help("pipeline_parallel_layers_per_stage from {} to {} gives {} a rank", low, high, each);
  }
}

void layers_per_stage_below_one(const TorchTitanRun& run, Findings& out) {
  const MaybeCount& wanted = run.config.pipeline_parallel_layers_per_stage;
  if (!splits(run) || !wanted.value || *wanted.value >= 1) return;
  out.add(wanted, [&](Message& m) {
    m.say("pipeline_parallel_layers_per_stage is {}: a stage has 1 layer or more", *wanted.value);
    m.help("null splits the model into {} a rank", run.parsed.schedule->multi_stage ? "two stages" : "one stage");
    m.fix("set pipeline_parallel_layers_per_stage to null", wanted, "null");
  });
}

void stages_uneven(const TorchTitanRun& run, Findings& out) {
  if (!splits(run) || run.pipeline.stages <= 0 || run.pipeline.stages % run.pp() == 0) return;
  out.add(run.config.pipeline_parallel_layers_per_stage, [&](Message& m) {
    m.say("{} virtual stages do not spread over PP {}", run.pipeline.stages, run.pp());
    because_of_stages(m, run);
    help_with_layers_per_stage(m, run, run.parsed.schedule->multi_stage ? 2 : 1);
  });
}

void single_stage_schedule_split(const TorchTitanRun& run, Findings& out) {
  if (!splits(run) || run.parsed.schedule->multi_stage || run.pipeline.stages <= 0) return;
  if (run.pipeline.stages % run.pp() != 0 || run.pipeline.stages == run.pp()) return;
  out.add(run.config.pipeline_parallel_layers_per_stage, [&](Message& m) {
    m.say("{} takes one stage a rank, and here are {} stages on PP {}", run.parsed.schedule->name, run.pipeline.stages,
          run.pp());
    because_of_stages(m, run);
    help_with_layers_per_stage(m, run, 1);
    m.help("or take a schedule of several stages a rank: Interleaved1F1B, LoopedBFS");
  });
}

void multi_stage_schedule_unsplit(const TorchTitanRun& run, Findings& out) {
  if (!splits(run) || !run.parsed.schedule->multi_stage || run.pipeline.stages <= 0) return;
  if (run.pipeline.stages % run.pp() != 0 || run.pipeline.stages / run.pp() >= 2) return;
  out.add(run.config.pipeline_parallel_layers_per_stage, [&](Message& m) {
    m.say("{} takes two stages a rank or more, and here are {} stages on PP {}", run.parsed.schedule->name,
          run.pipeline.stages, run.pp());
    because_of_stages(m, run);
    help_with_layers_per_stage(m, run, 2);
    m.help("or take 1F1B");
  });
}

void v_schedule_stages(const TorchTitanRun& run, Findings& out) {
  if (!splits(run) || !run.parsed.schedule->v_shaped) return;
  const ModelParts& parts = run.parsed.parts;
  const Int stages = parts.given ? static_cast<Int>(parts.stages.size()) : run.pipeline.stages;
  if (stages <= 0 || stages % run.pp() != 0 || stages / run.pp() < 2 || stages == saturating_multiply(2, run.pp()))
    return;
  const auto describe = [&](Message& m) {
    m.say("{} takes exactly two stages a rank, and here are {} stages on PP {}", run.parsed.schedule->name, stages,
          run.pp());
    if (!parts.given) because_of_stages(m, run);
    if (!parts.given) help_with_layers_per_stage(m, run, 2);
  };
  if (parts.given) {
    out.add(run.config.module_fqns_per_model_part, describe);
  } else {
    out.add(run.config.pipeline_parallel_layers_per_stage, describe);
  }
}

/// Deals out layers by itself, and the number of stages is legal.
bool deals(const TorchTitanRun& run) {
  return splits(run) && !run.parsed.parts.given && run.pipeline.stages_per_rank > 0;
}

void more_stages_than_layers(const TorchTitanRun& run, Findings& out) {
  if (!deals(run) || run.pipeline.stages <= run.pipeline.units) return;
  out.add(run.config.pipeline_parallel_degree, [&](Message& m) {
    m.say("{} virtual stages for {} layers (with the weights of embedding and output: {})", run.pipeline.stages,
          run.model().layers, run.pipeline.units);
    because_of_stages(m, run);
    m.help("lower pipeline_parallel_degree, or take a schedule with one stage a rank");
  });
}

void end_weight_too_large(const TorchTitanRun& run, Findings& out) {
  if (!deals(run) || run.pipeline.stages > run.pipeline.units) return;
  for (const Count* weight :
       {&run.config.pipeline_parallel_first_stage_less_layers, &run.config.pipeline_parallel_last_stage_less_layers}) {
    if (**weight <= run.pipeline.least_units) continue;
    out.add(*weight, [&](Message& m) {
      m.say("{} is {}, and a stage has only {} layers", weight->key, **weight, run.pipeline.least_units);
      m.because("layers of a stage {} = (layers {} + {} + {}) / {} virtual stages", run.pipeline.least_units,
                run.model().layers, *run.config.pipeline_parallel_first_stage_less_layers,
                *run.config.pipeline_parallel_last_stage_less_layers, run.pipeline.stages);
      // A lighter weight leaves fewer layers to a stage.
      Int legal = run.pipeline.least_units;
      while (legal > 0 && legal > (run.pipeline.units - **weight + legal) / run.pipeline.stages) --legal;
      m.help("{} is legal up to {}", weight->key, legal);
      m.fix(fmt::format("set {} to {}", weight->key, legal), *weight, fmt::format("{}", legal));
    });
  }
}

void stage_without_layers(const TorchTitanRun& run, Findings& out) {
  if (!deals(run)) return;
  Int empty = 0;
  for (const auto& rank : run.stages) {
    for (const StageChunk& chunk : rank) empty += chunk.layers == 0 ? 1 : 0;
  }
  if (empty == 0) return;
  out.add(run.config.pipeline_parallel_degree, [&](Message& m) {
    m.say("{} of {} virtual stages have no layer, only embedding or output", empty, run.pipeline.stages);
    m.because("{} layers, with {} for the embedding and {} for the output, over {} stages", run.model().layers,
              *run.config.pipeline_parallel_first_stage_less_layers,
              *run.config.pipeline_parallel_last_stage_less_layers, run.pipeline.stages);
    m.help(
        "lower pipeline_parallel_degree, or pipeline_parallel_first_stage_less_layers and "
        "pipeline_parallel_last_stage_less_layers");
  });
}

void model_cannot_pipeline(const TorchTitanRun& run, Findings& out) {
  if (!run.pipelines() || run.parsed.model == nullptr || run.parsed.model->pipelines) return;
  out.add(run.config.pipeline_parallel_degree, [&](Message& m) {
    m.say("{} has no pipeline parallelism, and pipeline_parallel_degree is {}", *run.config.model_name, run.pp());
    m.help("llama3, llama4 and deepseek_v3 can pipeline");
    m.fix("set pipeline_parallel_degree to 1", run.config.pipeline_parallel_degree, "1");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT301",
      .name = "model-cannot-pipeline",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/train.py:__init__",
      .outcome = "TorchTitan stops (RuntimeError)",
      .summary = "pipeline_parallel_degree above 1 needs a model with a pipelining function.",
      .explanation = "qwen3, gpt_oss and flux register none. Shard more instead: FSDP over more ranks, TP or CP.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: qwen3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: qwen3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 1\n"}},
     model_cannot_pipeline},
    {{.id = "TT302",
      .name = "layers-per-stage-below-one",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = pipeline_llm,
      .outcome = "TorchTitan stops (ZeroDivisionError for 0, ValueError below)",
      .summary = "pipeline_parallel_layers_per_stage is null or 1 or more.",
      .explanation = "null lets the schedule decide: one stage a rank for 1F1B and GPipe, two for the others.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_layers_per_stage: 0\n"},
      .good = {.world_size = 8,
               .yaml = "parallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_layers_per_stage: null\n"}},
     layers_per_stage_below_one},
    {{.id = "TT303",
      .name = "virtual-stages-uneven",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = pipeline_llm,
      .outcome = "TorchTitan stops before it splits the model (ValueError)",
      .summary = "The number of virtual stages is a multiple of PP.",
      .explanation = "virtual stages = ceil((layers + first_stage_less_layers + last_stage_less_layers) / "
                     "layers_per_stage): embedding and output count as layers, one each by default. So layers / PP "
                     "is one too few to ask for: 32 layers on PP 4 want 9 to 11 layers a stage, not 8, whatever "
                     "the error text of TorchTitan proposes.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 4\n"
                      "  pipeline_parallel_layers_per_stage: 8\ntraining:\n  local_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 4\n"
                       "  pipeline_parallel_layers_per_stage: 9\ntraining:\n  local_batch_size: 16\n"}},
     stages_uneven},
    {{.id = "TT304",
      .name = "single-stage-schedule-split",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = pipeline_llm,
      .outcome = "TorchTitan stops before it splits the model (ValueError)",
      .summary = "1F1B and GPipe take exactly one stage a rank.",
      .explanation = "pipeline_parallel_layers_per_stage cuts the model into more stages than ranks, which only "
                     "the interleaved schedules run.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_layers_per_stage: 9\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_layers_per_stage: 17\n"}},
     single_stage_schedule_split},
    {{.id = "TT305",
      .name = "multi-stage-schedule-unsplit",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = pipeline_llm,
      .outcome = "TorchTitan stops before it splits the model (ValueError)",
      .summary = "Interleaved and V schedules take two stages a rank or more.",
      .explanation = "pipeline_parallel_layers_per_stage leaves one stage a rank. Lower it, leave it null, or take "
                     "1F1B.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_schedule: Interleaved1F1B\n"
                      "  pipeline_parallel_layers_per_stage: 17\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_schedule: Interleaved1F1B\n"
                       "  pipeline_parallel_layers_per_stage: 9\n"}},
     multi_stage_schedule_unsplit},
    {{.id = "TT306",
      .name = "v-schedule-stages",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = stage_indices,
      .outcome = "TorchTitan stops when it splits the model (AssertionError)",
      .summary = "ZBVZeroBubble and DualPipeV take exactly two stages a rank.",
      .explanation = "A V schedule runs down the ranks and back: rank p holds stages p and 2 PP - 1 - p.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 2\n"
                      "  pipeline_parallel_schedule: ZBVZeroBubble\n"
                      "  pipeline_parallel_layers_per_stage: 6\ncompile:\n  enable: false\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 2\n"
                       "  pipeline_parallel_schedule: ZBVZeroBubble\n"
                       "  pipeline_parallel_layers_per_stage: 9\ncompile:\n  enable: false\n"}},
     v_schedule_stages},
    {{.id = "TT307",
      .name = "more-stages-than-layers",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = deal_modules,
      .outcome = "TorchTitan stops when it splits the model (ValueError)",
      .summary = "There are no more virtual stages than layers, embedding and output counted.",
      .explanation = "Each stage takes at least one layer, where the embedding counts as first_stage_less_layers "
                     "and the output as last_stage_less_layers.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 1\nparallelism:\n"
                      "  pipeline_parallel_degree: 4\ntraining:\n  local_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 8\nparallelism:\n"
                       "  pipeline_parallel_degree: 4\ntraining:\n  local_batch_size: 16\n"}},
     more_stages_than_layers},
    {{.id = "TT308",
      .name = "end-stage-weight-too-large",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = deal_modules,
      .outcome = "TorchTitan stops when it splits the model (ValueError)",
      .summary = "first_stage_less_layers and last_stage_less_layers do not exceed the layers of a stage.",
      .explanation = "Both say how many layers embedding and output are worth. A stage cannot give up more layers "
                     "than it has.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 4\n"
                      "  pipeline_parallel_first_stage_less_layers: 20\ntraining:\n  local_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\nparallelism:\n  pipeline_parallel_degree: 4\n"
                       "  pipeline_parallel_first_stage_less_layers: 2\ntraining:\n  local_batch_size: 16\n"}},
     end_weight_too_large},
    {{.id = "TT309",
      .name = "stage-without-layers",
      .severity = Severity::warning,
      .stage = Stage::schedule,
      .runtime_site = deal_modules,
      .outcome = "the run goes on with an unbalanced pipeline",
      .summary = "Every virtual stage has a layer.",
      .explanation = "The weights of embedding and output can eat up the first or last stage. That rank then waits "
                     "for the others.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                      "  pipeline_parallel_degree: 4\ntraining:\n  local_batch_size: 16\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 8\nparallelism:\n"
                       "  pipeline_parallel_degree: 4\ntraining:\n  local_batch_size: 16\n"}},
     stage_without_layers},
};

}  // namespace

RuleList stage_rules() { return rules; }

}  // namespace primus_plan::torchtitan
