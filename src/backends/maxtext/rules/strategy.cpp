#include <algorithm>
#include <array>

#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

constexpr std::array<std::string_view, 4> strategies{"all_gather", "ring", "ulysses", "usp"};

bool known_strategy(std::string_view name) {
  return std::find(strategies.begin(), strategies.end(), name) != strategies.end();
}

void strategy_unknown(const MaxTextRun& run, Findings& out) {
  const Word& strategy = run.config.context_parallel_strategy;
  if (known_strategy(*strategy)) return;
  out.add(strategy, [&](Message& m) {
    m.say("context_parallel_strategy: {:.60} is none of all_gather, ring, ulysses, usp", *strategy);
    offer_word(m, strategy, strategies);
    m.help("on GPUs: all_gather or ring");
  });
}

void strategy_for_tpu(const MaxTextRun& run, Findings& out) {
  const Word& strategy = run.config.context_parallel_strategy;
  const bool tpu = *run.config.hardware == "tpu";
  const bool ring_nowhere = *strategy == "ring" && !tpu && !run.on_gpu() && run.context_size() > 1;
  if (!ring_nowhere && (tpu || (*strategy != "ulysses" && *strategy != "usp"))) return;
  out.add(strategy, [&](Message& m) {
    m.say("context_parallel_strategy: {} does not run with hardware: {}", *strategy, *run.config.hardware);
    if (!ring_nowhere) m.because("it is written for TPUs, and refused elsewhere even without context parallel");
    m.help("all_gather or ring work on GPUs");
    m.fix("set context_parallel_strategy to ring", strategy, "ring");
  });
}

void ulysses_axis(const MaxTextRun& run, Findings& out) {
  if (*run.config.context_parallel_strategy == "usp") return;
  for (const Count* degree :
       {&run.config.ici_context_usp_ulysses_parallelism, &run.config.dcn_context_usp_ulysses_parallelism}) {
    if (**degree == 1) continue;
    out.add(*degree, [&](Message& m) {
      m.say("{} {} is for context_parallel_strategy: usp, which runs on TPUs only", degree->key, **degree);
      m.help("ici_context_parallelism splits the sequence on GPUs");
      m.fix(fmt::format("set {} to 1", degree->key), *degree, "1");
    });
  }
}

void ring_unroll(const MaxTextRun& run, Findings& out) {
  const std::string_view strategy = *run.config.context_parallel_strategy;
  const Count& unroll = run.config.ring_scan_unroll;
  if (*unroll == 1 || strategy == "ring" || strategy == "usp" || !known_strategy(strategy)) return;
  out.add(unroll, [&](Message& m) {
    m.say("ring_scan_unroll {} needs context_parallel_strategy: ring, it is {}", *unroll, strategy);
    m.also(run.config.context_parallel_strategy);
    m.fix("set ring_scan_unroll to 1", unroll, "1");
  });
}

void context_sharding_unknown(const MaxTextRun& run, Findings& out) {
  const Word& axis = run.config.context_sharding;
  if (*axis != "context" && *axis != "expert") {
    out.add(run.given.context_sharding, [&](Message& m) {
      m.say("context_sharding: {:.60} is neither context nor expert", *axis);
      offer_word(m, run.given.context_sharding, "context|expert");
    });
  }
  const Word& ulysses = run.config.ulysses_context_sharding;
  if (*ulysses != "context_usp_ulysses") {
    out.add(ulysses,
            [&](Message& m) { m.say("ulysses_context_sharding: {:.60} is not context_usp_ulysses", *ulysses); });
  }
}

void context_sharding_without_rules(const MaxTextRun& run, Findings& out) {
  if (run.parsed.custom_rule != nullptr || *run.config.context_sharding != "expert") return;
  if (contains(run.parsed.logical.length, MeshAxis::expert)) return;
  out.add(run.config.context_sharding, [&](Message& m) {
    m.say("context_sharding: expert counts {} context ranks, but the rules do not cut the sequence over expert",
          run.context_size());
    m.help("custom_mesh_and_rule: ep-as-cp brings rules that do");
  });
}

void newer_than_fork(const MaxTextRun& run, Findings& out) {
  const auto report = [&](const auto& key) {
    out.add(key, [&](Message& m) {
      m.say("{} is new in upstream MaxText 0.2.4: the ROCm fork that Primus pins may not know it", key.key);
      m.help("leave it out unless you know that your MaxText has it");
    });
  };
  if (run.config.num_moe_token_chunks.is_explicit && *run.config.num_moe_token_chunks == 1)
    report(run.config.num_moe_token_chunks);
  if (run.config.te_comm_gemm_overlap.is_explicit && *run.config.te_comm_gemm_overlap == "disabled")
    report(run.config.te_comm_gemm_overlap);
  if (*run.config.quantization == "fp4") report(run.config.quantization);
  if (*run.config.moe_chunk_barrier) report(run.config.moe_chunk_barrier);
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX605",
      .name = "context-strategy-unknown",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "context_parallel_strategy is all_gather, ring, ulysses or usp.",
      .explanation = "Upper and lower case do not matter. On GPUs all_gather and ring are of use.",
      .bad = {.world_size = 8,
              .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\ncontext_parallel_strategy: a2a\n"},
      .good = {.world_size = 8,
               .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\ncontext_parallel_strategy: RING\n"}},
     strategy_unknown},
    {{.id = "MX606",
      .name = "context-strategy-for-tpu",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "ulysses and usp are strategies for TPUs.",
      .explanation = "MaxText refuses them on other hardware, whatever the context degree.",
      .bad = {.world_size = 8,
              .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\ncontext_parallel_strategy: ulysses\n"},
      .good = {.world_size = 8,
               .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\ncontext_parallel_strategy: all_gather\n"}},
     strategy_for_tpu},
    {{.id = "MX607",
      .name = "ulysses-axis-without-usp",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:_validate_usp_context_parallelism",
      .outcome = sites::config_error,
      .summary = "The context_usp_ulysses axis belongs to the usp strategy.",
      .explanation =
          "The axis exchanges heads inside the usp strategy, which runs on TPUs only. On GPUs its degrees stay 1.",
      .bad = {.world_size = 8,
              .yaml = "per_device_batch_size: 1\nici_context_usp_ulysses_parallelism: 2\nici_tensor_parallelism: 4\n"},
      .good = {.world_size = 8,
               .yaml =
                   "per_device_batch_size: 1\nici_context_usp_ulysses_parallelism: 1\nici_tensor_parallelism: 4\n"}},
     ulysses_axis},
    {{.id = "MX608",
      .name = "ring-unroll-without-ring",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "ring_scan_unroll other than 1 needs the ring strategy.",
      .explanation = "The option unrolls the scan of the ring and is refused with all_gather and ulysses.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nring_scan_unroll: 2\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nring_scan_unroll: 2\ncontext_parallel_strategy: ring\n"}},
     ring_unroll},
    {{.id = "MX609",
      .name = "context-sharding-unknown",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "context_sharding is context or expert.",
      .explanation = "It names the mesh axis that plays context parallel for the data and the load balancing.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\ncontext_sharding: tensor\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\ncontext_sharding: context\n"}},
     context_sharding_unknown},
    {{.id = "MX610",
      .name = "context-sharding-without-rules",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = sites::validate,
      .outcome = "data is prepared for context ranks that the model does not have",
      .summary = "context_sharding: expert goes with rules that cut the sequence over expert.",
      .explanation =
          "The default logical_axis_rules cut the sequence over context. custom_mesh_and_rule: ep-as-cp changes both.",
      .bad = {.world_size = 8,
              .yaml =
                  "model_name: mixtral-8x7b\nper_device_batch_size: 1\nmegablox: false\ncontext_sharding: expert\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nmegablox: false\ncustom_mesh_and_rule: "
                       "ep-as-cp\n"}},
     context_sharding_without_rules},
    {{.id = "MX811",
      .name = "key-newer-than-fork",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/pyconfig.py:_prepare_for_pydantic",
      .outcome = "an older MaxText stops at a key it does not know",
      .summary = "Some keys exist upstream and perhaps not in the fork that Primus pins.",
      .explanation = "The checks speak for upstream MaxText of August 2026. Primus pins ROCm/maxtext release/v26.6, "
                     "which lies between upstream 0.2.3 and 0.2.4. Keys that came with 0.2.4 may be unknown there.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nte_comm_gemm_overlap: disabled\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\n"}},
     newer_than_fork},
};

}  // namespace

RuleList strategy_rules() { return rules; }

}  // namespace primus_plan::maxtext
