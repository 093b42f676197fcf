#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

namespace primus_plan::maxtext {
namespace {

void diloco_needs(const MaxTextRun& run, Findings& out) {
  const MaxTextConfig& config = run.config;
  if (!*config.enable_diloco) return;
  if (!*config.pure_nnx) {
    out.add(config.enable_diloco, [&](Message& m) {
      m.say("enable_diloco needs pure_nnx: true");
      m.also(config.pure_nnx);
      m.fix("set pure_nnx to true", config.pure_nnx, "true");
    });
  }
  if (*config.use_tokamax_gmm) {
    out.add(config.use_tokamax_gmm, [&](Message& m) {
      m.say("use_tokamax_gmm does not go with enable_diloco");
      m.also(config.enable_diloco);
      m.fix("set use_tokamax_gmm to false", config.use_tokamax_gmm, "false");
    });
  }
}

void streaming_diloco(const MaxTextRun& run, Findings& out) {
  const MaxTextConfig& config = run.config;
  if (!*config.enable_streaming_diloco) return;
  const Int fragments = config.num_diloco_fragments.value.value_or(0);
  std::string_view needs;
  if (fragments > 2 && run.model.layers > 0 && run.model.layers % (fragments - 1) != 0)
    needs = "decoder layers that are a multiple of num_diloco_fragments - 1";
  if (!*config.scan_layers) needs = "scan_layers: true";
  if (fragments < 2) needs = "num_diloco_fragments of 2 or more";
  if (!*config.enable_diloco) needs = "enable_diloco: true";
  if (needs.empty()) return;
  out.add(config.enable_streaming_diloco, [&](Message& m) {
    m.say("enable_streaming_diloco needs {}", needs);
    m.also(config.num_diloco_fragments);
    m.fix("set enable_streaming_diloco to false", config.enable_streaming_diloco, "false");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX506",
      .name = "diloco-needs-nnx",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "enable_diloco needs pure_nnx and no Tokamax products.",
      .explanation = "Support for DiLoCo in the older Linen modules was removed upstream, and the Tokamax kernels do "
                     "not survive its vmap over replicas.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nenable_diloco: true\npure_nnx: false\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nenable_diloco: true\npure_nnx: true\n"}},
     diloco_needs},
    {{.id = "MX507",
      .name = "streaming-diloco-incomplete",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:validate_streaming_diloco_params",
      .outcome = sites::config_error,
      .summary = "Streaming DiLoCo needs DiLoCo, scanned layers and fragments that split them.",
      .explanation = "One fragment holds what is not scanned; the others split the decoder's layers evenly.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nenable_diloco: true\nenable_streaming_diloco: true\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nenable_diloco: true\nenable_streaming_diloco: "
                       "true\nnum_diloco_fragments: 5\n"}},
     streaming_diloco},
};

}  // namespace

RuleList diloco_rules() { return rules; }

}  // namespace primus_plan::maxtext
