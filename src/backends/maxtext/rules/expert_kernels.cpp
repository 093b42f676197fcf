#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {
namespace {

void token_chunks(const MaxTextRun& run, Findings& out) {
  const Count& chunks = run.config.num_moe_token_chunks;
  if (*chunks <= 1) return;
  const bool ring = *run.config.use_ring_of_experts;
  const bool whole = floor_remainder(*run.config.max_target_length, *chunks) == 0;
  if (ring && whole) return;
  out.add(chunks, [&](Message& m) {
    if (!ring) {
      m.say("num_moe_token_chunks {} needs use_ring_of_experts: true", *chunks);
    } else {
      m.say("max_target_length {} is not a multiple of num_moe_token_chunks {}", *run.config.max_target_length,
            *chunks);
      m.also(run.config.max_target_length);
    }
    m.because("the option is new in upstream MaxText 0.2.4: the ROCm fork may not know it");
    m.fix("set num_moe_token_chunks to 1", chunks, "1");
  });
}

void embedding_chunks(const MaxTextRun& run, Findings& out) {
  const Count& chunks = run.config.num_moe_emb_chunks;
  if (*chunks <= 0 || (*run.config.use_gmm_v2 && *run.config.use_ring_of_experts)) return;
  out.add(chunks, [&](Message& m) {
    m.say("num_moe_emb_chunks {} needs use_gmm_v2: true and use_ring_of_experts: true", *chunks);
    m.also(run.config.use_gmm_v2).also(run.config.use_ring_of_experts);
    m.fix("set num_moe_emb_chunks to 0", chunks, "0");
  });
}

void second_grouped_matmul(const MaxTextRun& run, Findings& out) {
  const Flag& flag = run.config.use_gmm_v2;
  if (!*flag) return;
  const bool split = *run.config.use_batch_split_schedule;
  if (*run.config.use_tokamax_gmm && !split) return;
  out.add(flag, [&](Message& m) {
    if (split) {
      m.say("use_gmm_v2 does not go with use_batch_split_schedule");
      m.also(run.config.use_batch_split_schedule);
    } else {
      m.say("use_gmm_v2 needs use_tokamax_gmm: true");
    }
    m.fix("set use_gmm_v2 to false", flag, "false");
  });
}

void ragged_buffer(const MaxTextRun& run, Findings& out) {
  const Number& factor = run.config.ragged_buffer_factor;
  if (!run.is_moe() || *factor <= 0 || !*run.config.use_ring_of_experts || *run.config.use_ragged_sort) return;
  out.add(factor, [&](Message& m) {
    m.say("ragged_buffer_factor {} with use_ring_of_experts needs use_ragged_sort: true", number_text(*factor));
    m.also(run.config.use_ring_of_experts);
    m.help("-1 takes a buffer for the worst case");
    m.fix("set ragged_buffer_factor to -1", factor, "-1");
  });
}

void interpreted_kernel(const MaxTextRun& run, Findings& out) {
  const MaxTextConfig& config = run.config;
  if (!interprets_megablox(config)) return;
  out.add(config.megablox, [&](Message& m) {
    m.say("megablox: true on GPUs runs the grouped matrix product of {} experts in Pallas' interpreter: very slow",
          *config.num_experts);
    because_of_model_file(m, run, config.megablox);
    m.help(
        "Primus's examples set sparse_matmul: false, megablox: false and a capacity_factor of 1 or 1.25, which drops "
        "tokens");
    m.help("megablox: false alone uses JAX's ragged product and drops none");
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX404",
      .name = "token-chunks-need-ring-of-experts",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:validate_moe_chunks",
      .outcome = sites::config_error,
      .summary = "num_moe_token_chunks above 1 needs the ring of experts and a length that splits.",
      .explanation = "The tokens of a shard are cut along the sequence so that the exchange of one chunk overlaps with "
                     "the work on another.",
      .bad = {.world_size = 8,
              .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: 8\nmegablox: false\n"
                      "use_ring_of_experts: true\nnum_moe_token_chunks: 3\n"},
      .good = {.world_size = 8,
               .yaml =
                   "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: 8\nmegablox: false\n"
                   "use_ring_of_experts: true\n"}},
     token_chunks},
    {{.id = "MX405",
      .name = "embedding-chunks-need-ring-of-experts",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:validate_num_moe_emb_chunks",
      .outcome = sites::config_error,
      .summary = "num_moe_emb_chunks needs use_gmm_v2 and use_ring_of_experts.",
      .explanation = "The chunks overlap the gathering of tokens with the grouped matrix product of that kernel.",
      .bad = {.world_size = 8,
              .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: 8\nmegablox: "
                      "false\nnum_moe_emb_chunks: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: 8\nmegablox: "
                       "false\nnum_moe_emb_chunks: 0\n"}},
     embedding_chunks},
    {{.id = "MX406",
      .name = "second-grouped-matmul-needs-tokamax",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = sites::config_error,
      .summary = "use_gmm_v2 needs use_tokamax_gmm and no batch split.",
      .explanation = "The second version of the grouped matrix product is part of the Tokamax kernels.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_gmm_v2: true\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nuse_gmm_v2: true\nuse_tokamax_gmm: true\n"}},
     second_grouped_matmul},
    {{.id = "MX407",
      .name = "ragged-buffer-needs-ragged-sort",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/types.py:validate_ragged_buffer_factor",
      .outcome = sites::config_error,
      .summary = "ragged_buffer_factor with the ring of experts needs use_ragged_sort.",
      .explanation =
          "A smaller buffer is written for the ragged all-to-all, or for the ring of experts with the ragged sort.",
      .bad = {.world_size = 8,
              .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: 8\nmegablox: false\n"
                      "use_ring_of_experts: true\nragged_buffer_factor: 1.5\n"},
      .good = {.world_size = 8,
               .yaml =
                   "model_name: mixtral-8x7b\nper_device_batch_size: 1\nici_expert_parallelism: 8\nmegablox: false\n"
                   "use_ring_of_experts: true\nuse_ragged_sort: true\nragged_buffer_factor: 1.5\n"}},
     ragged_buffer},
    {{.id = "MX410",
      .name = "megablox-on-gpu",
      .severity = Severity::warning,
      .stage = Stage::runtime,
      .runtime_site = "src/maxtext/layers/moe.py:sparse_matmul",
      .outcome = "the kernel runs in interpret mode",
      .summary = "megablox is a TPU kernel: switch it off on GPUs.",
      .explanation = "sparse_matmul and megablox are true in base.yml, and Primus's model presets leave them so. The "
                     "kernel is written for TPUs and interpreted elsewhere. All shipped mixture-of-experts examples "
                     "set both to false with a capacity_factor.",
      .bad = {.world_size = 8, .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\n"},
      .good = {.world_size = 8,
               .yaml = "model_name: mixtral-8x7b\nper_device_batch_size: 1\nsparse_matmul: false\nmegablox: "
                       "false\ncapacity_factor: 1\n"}},
     interpreted_kernel},
};

}  // namespace

RuleList expert_kernel_rules() { return rules; }

}  // namespace primus_plan::maxtext
