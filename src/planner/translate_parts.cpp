#include "planner/translate_parts.h"

#include <fmt/core.h>

#include <array>
#include <memory>

#include "primus_plan/planner/translate.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// "TP 8, PP 4, VPP 5": those that split anything, and ETP where it is not TP.
std::string degrees_text(const Degrees& degrees) {
  std::vector<std::string> out{fmt::format("TP {}", degrees.tensor)};
  const auto add = [&](const char* name, std::int64_t degree, bool shown) {
    if (shown) out.push_back(fmt::format("{} {}", name, degree));
  };
  add("PP", degrees.pipeline, degrees.pipeline > 1);
  add("VPP", degrees.virtual_pipeline, degrees.virtual_pipeline > 1);
  add("CP", degrees.context, degrees.context > 1);
  add("EP", degrees.expert, degrees.expert > 1);
  add("ETP", degrees.expert_tensor, degrees.expert_tensor > 0);
  return join(out, ", ");
}

}  // namespace

void ask_for(Degrees degrees, const Launch& launch, const Backend& target, Carried& out) {
  const auto overrides = target.degree_overrides(degrees, launch);
  if (overrides.empty()) {
    const bool by_experts = degrees.expert_tensor > 0 && degrees.expert_tensor != degrees.tensor;
    throw TranslateError(fmt::format("{} cannot have the degrees {}{}", target.title(), degrees_text(degrees),
                                     by_experts ? ": it cuts experts by TP, and has no ETP of its own" : ""));
  }
  for (const auto& [key, value] : overrides) out.set(key, override_value(value));
}

NodePtr number_of(const Module& module, const CarriedNumber& number) {
  const Node* value = module.params->at_path(number.key);
  if (value == nullptr) return number.fallback ? make_real(*number.fallback) : nullptr;
  return value->is_number() ? std::make_shared<const Node>(*value) : nullptr;
}

bool is_sharded(const Common& run) { return run.workload.sharding.state != StateSharding::none; }

Common common_terms(const Analysis& analysis) {
  const RunDescription& run = analysis.run;
  Common out{.workload = *analysis.workload,
             .degrees = run.degrees,
             .launch = run.launch,
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
