#include "planner/translate_parts.h"

#include <fmt/core.h>

#include <array>

#include "primus_plan/planner/translate.h"

namespace primus_plan {

void ask_for(Degrees degrees, const Backend& target, Carried& out) {
  const auto overrides = target.degree_overrides(degrees);
  if (overrides.empty()) {
    throw TranslateError(fmt::format("{} cannot have these degrees: TP {}, PP {}, VPP {}, CP {}, EP {}, ETP {}",
                                     target.title(), degrees.tensor, degrees.pipeline, degrees.virtual_pipeline,
                                     degrees.context, degrees.expert, degrees.expert_tensor));
  }
  for (const auto& [key, value] : overrides) out.set(key, override_value(value));
}

bool is_sharded(const Common& run) { return run.workload.sharding.state != StateSharding::none; }

Common common_terms(const Analysis& analysis) {
  const RunDescription& run = analysis.run;
  Common out{.workload = *analysis.workload,
             .degrees = run.degrees,
             .world_size = run.launch.world_size,
             .global = run.batch.global,
             .sequence_length = run.batch.sequence_length,
             .pass = run.batch.micro};
  if (run.batch.pipeline_micro_batches > 0) out.pass = run.batch.micro / run.batch.pipeline_micro_batches;
  if (out.pass < 1 || run.degrees.data < 1 || out.global < 1 || out.sequence_length < 1) {
    throw TranslateError("the batch of this run is no whole number of samples on each rank");
  }
  out.passes = out.global / (out.pass * run.degrees.data);
  if (out.passes < 1) throw TranslateError("the batch of this run is less than one micro-batch");
  return out;
}

std::int64_t named_layers(const Common& run) {
  std::int64_t out = 0;
  for (const LayerKind& kind : run.workload.model.kinds) out += kind.recomputed ? kind.count : 0;
  return out;
}

void tell_full_recompute(const Common& run, std::string_view target, Carried& out) {
  const Recompute& recompute = run.workload.recompute;
  const std::int64_t named = named_layers(run);
  if (named > 0) {
    out.remarks.push_back(fmt::format("recompute: {} of {} layers were recomputed; {} takes all", named,
                                      run.workload.model.layers, target));
  } else if (recompute.method == RecomputeMethod::block) {
    out.remarks.push_back(
        fmt::format("recompute: {} layers of each stage were recomputed; {} takes all", recompute.layers, target));
  } else if (recompute.layers > 1) {
    out.remarks.push_back(
        fmt::format("recompute: of each {} layers the first one's input was kept; {} keeps every layer's",
                    recompute.layers, target));
  }
}

std::span<const TranslateWords* const> translate_words() {
  static constexpr std::array<const TranslateWords*, 3> words{&megatron_words, &torchtitan_words, &maxtext_words};
  return words;
}

}  // namespace primus_plan
