#include <vector>

#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/number.h"

// module_fqns_per_model_part: stages that the user lists module by module.

namespace primus_plan::torchtitan {
namespace {

constexpr const char* module_split = "torchtitan/distributed/pipeline_parallel.py:pipeline_module_split";

bool lists_parts(const TorchTitanRun& run) {
  return run.pipelines() && run.parsed.parts.given && run.parsed.parts.readable;
}

void parts_uneven(const TorchTitanRun& run, Findings& out) {
  if (!lists_parts(run)) return;
  const auto count = static_cast<Int>(run.parsed.parts.stages.size());
  if (count > 0 && count % run.pp() == 0) return;
  out.add(run.config.module_fqns_per_model_part, [&](Message& m) {
    m.say("module_fqns_per_model_part lists {} stages, which is not a multiple of PP {}", count, run.pp());
    m.help("list {} stages for a schedule of one stage a rank, {} for two", run.pp(), saturating_multiply(2, run.pp()));
  });
}

void parts_for_single_stage(const TorchTitanRun& run, Findings& out) {
  if (!lists_parts(run) || run.parsed.schedule == nullptr || run.parsed.schedule->multi_stage) return;
  const auto count = static_cast<Int>(run.parsed.parts.stages.size());
  if (count <= run.pp() || count % run.pp() != 0) return;
  out.add(run.config.module_fqns_per_model_part, [&](Message& m) {
    m.say("{} runs one stage a rank, and module_fqns_per_model_part lists {} on PP {}: the others never run",
          run.parsed.schedule->name, count, run.pp());
    m.also(run.config.pipeline_parallel_schedule);
    m.help("list {} stages, or take Interleaved1F1B", run.pp());
  });
}

/// How often each layer is listed.
std::vector<Int> layer_uses(const TorchTitanRun& run) {
  std::vector<Int> uses(static_cast<std::size_t>(run.model().layers), 0);
  for (const StageParts& stage : run.parsed.parts.stages) {
    for (const Int layer : stage.layers) {
      if (layer >= 0 && layer < run.model().layers) ++uses[static_cast<std::size_t>(layer)];
    }
  }
  return uses;
}

void parts_drop_modules(const TorchTitanRun& run, Findings& out) {
  if (!lists_parts(run) || run.model().layers <= 0) return;
  bool embedding = false;
  bool norm = false;
  bool output = false;
  for (const StageParts& stage : run.parsed.parts.stages) {
    embedding = embedding || stage.embedding;
    norm = norm || stage.norm;
    output = output || stage.output;
  }
  Int missing = 0;
  for (const Int uses : layer_uses(run)) missing += uses == 0 ? 1 : 0;
  if (missing == 0 && embedding && norm && output) return;
  out.add(run.config.module_fqns_per_model_part, [&](Message& m) {
    m.say("module_fqns_per_model_part leaves out {} of {} layers{}{}{}: what no stage lists is dropped from the model",
          missing, run.model().layers, embedding ? "" : ", tok_embeddings", norm ? "" : ", norm",
          output ? "" : ", output");
    m.help("list tok_embeddings, layers.0 to layers.{}, norm and output once each", run.model().layers - 1);
  });
}

void parts_repeat_layers(const TorchTitanRun& run, Findings& out) {
  if (!lists_parts(run) || run.model().layers <= 0) return;
  Int repeated = 0;
  for (const Int uses : layer_uses(run)) repeated += uses > 1 ? 1 : 0;
  if (repeated == 0) return;
  out.add(run.config.module_fqns_per_model_part, [&](Message& m) {
    m.say("module_fqns_per_model_part lists {} layers more than once: each stage gets a copy of its own", repeated);
    m.help("list every layer once");
  });
}

void parts_unreadable(const TorchTitanRun& run, Findings& out) {
  if (!run.pipelines() || !run.parsed.parts.given || run.parsed.parts.readable) return;
  out.add(run.config.module_fqns_per_model_part, [&](Message& m) {
    m.say("module_fqns_per_model_part is no list of lists of module names");
    m.help("[[tok_embeddings, layers.0, ...], [..., norm, output]], or null to let TorchTitan split the model");
  });
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT311",
      .name = "listed-stages-uneven",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = "torchtitan/distributed/pipeline_parallel.py:_get_stage_indices",
      .outcome = "TorchTitan stops when it splits the model (AssertionError)",
      .summary = "module_fqns_per_model_part lists a multiple of PP stages.",
      .explanation = "The outer list has one entry for each virtual stage, the same number on every rank.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n"
                      "  module_fqns_per_model_part: [[tok_embeddings, layers.0], [layers.1], [norm, output]]\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                       "  pipeline_parallel_degree: 2\n"
                       "  module_fqns_per_model_part: [[tok_embeddings, layers.0], [layers.1, norm, output]]\n"}},
     parts_uneven},
    {{.id = "TT312",
      .name = "listed-stages-never-run",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = "torchtitan/distributed/pipeline_parallel.py:build_pipeline_schedule",
      .outcome = "only the first stage of each rank is scheduled: the other layers are dropped without a word",
      .summary = "A schedule of one stage a rank has as many listed stages as ranks.",
      .explanation = "TorchTitan hands 1F1B and GPipe the first of the rank's stages and does not look whether "
                     "there are more.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n"
                      "  module_fqns_per_model_part: [[tok_embeddings], [layers.0], [layers.1], [norm, output]]\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                       "  pipeline_parallel_degree: 2\n"
                       "  module_fqns_per_model_part: [[tok_embeddings, layers.0], [layers.1, norm, output]]\n"}},
     parts_for_single_stage},
    {{.id = "TT313",
      .name = "listed-stages-drop-modules",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = module_split,
      .outcome = "layers that no stage lists are deleted, other modules skipped, without a word",
      .summary = "module_fqns_per_model_part lists every module of the model.",
      .explanation = "The names are tok_embeddings, layers.0 and on, norm and output. Names that the model does "
                     "not have are ignored.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n"
                      "  module_fqns_per_model_part: [[tok_embeddings, layers.0], [norm, output]]\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                       "  pipeline_parallel_degree: 2\n"
                       "  module_fqns_per_model_part: [[tok_embeddings, layers.0], [layers.1, norm, output]]\n"}},
     parts_drop_modules},
    {{.id = "TT314",
      .name = "listed-stages-repeat-layers",
      .severity = Severity::warning,
      .stage = Stage::schedule,
      .runtime_site = module_split,
      .outcome = "the run goes on with copies of the layer",
      .summary = "module_fqns_per_model_part lists every layer once.",
      .explanation = "A layer that two stages list is built twice, with weights of its own each time.",
      .bad = {.world_size = 8,
              .yaml =
                  "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                  "  pipeline_parallel_degree: 2\n"
                  "  module_fqns_per_model_part: [[tok_embeddings, layers.0, layers.1], [layers.1, norm, output]]\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                       "  pipeline_parallel_degree: 2\n"
                       "  module_fqns_per_model_part: [[tok_embeddings, layers.0], [layers.1, norm, output]]\n"}},
     parts_repeat_layers},
    {{.id = "TT315",
      .name = "listed-stages-unreadable",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = module_split,
      .outcome = "TorchTitan stops (TypeError), or takes single letters for modules and drops the model",
      .summary = "module_fqns_per_model_part is a list of lists of module names.",
      .explanation = "One inner list for each virtual stage. A plain list of names would be read letter by letter.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                      "  pipeline_parallel_degree: 2\n"
                      "  module_fqns_per_model_part: [tok_embeddings, output]\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  n_layers: 2\nparallelism:\n"
                       "  pipeline_parallel_degree: 2\n"
                       "  module_fqns_per_model_part: [[tok_embeddings, layers.0], [layers.1, norm, output]]\n"}},
     parts_unreadable},
};

}  // namespace

RuleList part_rules() { return rules; }

}  // namespace primus_plan::torchtitan
