#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

/// What keeps weights from being prefetched for each repeat; no text when nothing does.
std::string_view obstacle(const MaxTextRun& run) {
  const MaxTextConfig& config = run.config;
  if (*config.num_pipeline_repeats <= 1) return "more than one repeat (a circular pipeline)";
  if (*config.num_layers_per_pipeline_stage != 1) return "num_layers_per_pipeline_stage: 1";
  if (*config.pipeline_delay_activation_forwarding) return "pipeline_delay_activation_forwarding: false";
  if (!config.quantization.value.empty()) return "no quantization";
  if (*config.scan_layers_per_stage) return "scan_layers_per_stage: false";
  return {};
}

void weight_prefetch(const MaxTextRun& run, Findings& out) {
  if (!run.pipelined() || !*run.config.pipeline_fsdp_ag_per_repeat || run.model.layers == 0) return;
  const std::string_view needs = obstacle(run);
  if (needs.empty()) return;
  out.add(run.config.pipeline_fsdp_ag_per_repeat, [&](Message& m) {
    m.say("pipeline_fsdp_ag_per_repeat needs {}", needs);
    m.because("{} stages x {} repeats x {} layers per stage", run.pipeline_stages, *run.config.num_pipeline_repeats,
              *run.config.num_layers_per_pipeline_stage);
    m.fix("set pipeline_fsdp_ag_per_repeat to false", run.config.pipeline_fsdp_ag_per_repeat, "false");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX306",
      .name = "weight-prefetch-needs-circular-pipeline",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "pipeline_fsdp_ag_per_repeat needs a plain circular pipeline of one layer per stage.",
      .explanation = "Gathering the fsdp shards once for each repeat is written for more than one repeat, one layer "
                     "per stage, no delayed forwarding, no quantization and no scan over the layers of a stage.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\npipeline_fsdp_ag_per_repeat: true\n"
                      "num_layers_per_pipeline_stage: 8\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_pipeline_parallelism: 4\npipeline_fsdp_ag_per_repeat: true\n"}},
     weight_prefetch},
};

}  // namespace

RuleList prefetch_rules() { return rules; }

}  // namespace primus_plan::maxtext
