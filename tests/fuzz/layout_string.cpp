// Any bytes as the values of Megatron's keys with a syntax of their own: the pipeline's layout, the hybrid pattern,
// which layers have experts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

#include "backends/megatron/layer_layout.h"
#include "backends/megatron/layers.h"
#include "backends/megatron/parsed.h"
#include "fuzz/target.h"

namespace {

using namespace primus_plan;            // NOLINT(google-build-using-namespace): one small program
using namespace primus_plan::megatron;  // NOLINT(google-build-using-namespace)

/// Layers of a split without a fault are dealt out once each, in order.
void check_split(const LayerSplitInput& input) {
  const LayerSplit split = split_layers(input);
  if (split.fault) return;
  std::int64_t layers = 0;
  for (const auto& rank : split.stages) {
    for (const StageChunk& chunk : rank) {
      fuzz::require(chunk.layers >= 0, "no chunk has fewer than no layers");
      layers += chunk.layers;
    }
  }
  fuzz::require(layers == input.layers, "the stages hold all layers");
}

void check_pipeline_layout(std::string_view text) {
  const LayoutParse parse = parse_pipeline_layout(text);
  if (parse.error) {
    fuzz::require(parse.layout.stages.empty(), "an error has no layout");
    fuzz::require(parse.error->position <= text.size(), "an error lies in the text");
    return;
  }
  std::int64_t layers = 0;
  for (const std::string& stage : parse.layout.stages) {
    fuzz::require(stage.find_first_not_of("EtmL") == std::string::npos, "stages hold known layers alone");
    layers += std::count(stage.begin(), stage.end(), 't');
  }
  const auto stages = static_cast<std::int64_t>(parse.layout.stages.size());
  for (const std::int64_t pipeline : {std::int64_t{1}, std::int64_t{2}, stages}) {
    check_split({.layers = layers, .pipeline = pipeline, .layout = &parse.layout});
    check_split({.layers = layers, .pipeline = pipeline, .mtp_layers = 1, .layout = &parse.layout});
    check_split({.layers = layers, .pipeline = pipeline, .layout = &parse.layout, .v_schedule = true});
  }
}

void check_hybrid_pattern(std::string_view text) {
  const HybridParse parse = parse_hybrid_pattern(text);
  if (parse.error) {
    fuzz::require(parse.error->position <= text.size(), "an error lies in the text");
    return;
  }
  std::size_t layers = 0;
  for (const std::string& segment : parse.pattern.segments) layers += segment.size();
  fuzz::require(parse.pattern.layers() == static_cast<std::int64_t>(layers), "every symbol is a layer");
  for (const std::int64_t pipeline : {1, 2, 4}) {
    check_split({.layers = parse.pattern.layers(), .pipeline = pipeline, .hybrid = &parse.pattern});
  }
}

void check_frequency(std::string_view text) {
  const NodePtr node = make_string(std::string(text));
  MegatronConfig config;
  config.moe_layer_freq.value = node.get();
  config.moe_layer_freq.is_explicit = true;
  config.recompute_layer_ids.value = node.get();
  config.rampup_batch_size.value = node.get();
  config.cp_comm_type.value = node.get();
  const ParsedKeys parsed = parse_keys(config);
  fuzz::require(parsed.moe_layers.readable || (parsed.moe_layers.pattern.empty() && !parsed.moe_layers.every),
                "what cannot be read has no value");
  fuzz::require(parsed.moe_layers.pattern.size() <= 100'000, "a pattern is bounded");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_pipeline_layout(text);
  check_hybrid_pattern(text);
  check_frequency(text);
  return 0;
}
