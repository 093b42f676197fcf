#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sharding.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* arguments_stop = "Megatron stops (AssertionError)";

/// Runs a check of torch FSDP2 where it is on.
bool fsdp2(const MegatronRun& run) { return *run.config.use_torch_fsdp2; }

void with_pipeline(const MegatronRun& run, Findings& out) {
  const Count& pipeline = run.config.pipeline_model_parallel_size;
  if (!fsdp2(run) || *pipeline == 1) return;
  out.add(pipeline, [&](Message& m) {
    m.say("use_torch_fsdp2 does not go with pipeline parallelism: pipeline_model_parallel_size is {}", *pipeline);
    m.also(run.config.use_torch_fsdp2);
    m.help("pipeline_model_parallel_size: 1; or use_torch_fsdp2: false with the distributed optimizer");
    m.fix("set pipeline_model_parallel_size to 1", pipeline, "1");
  });
}

void with_experts(const MegatronRun& run, Findings& out) {
  const Count& expert = run.config.expert_model_parallel_size;
  if (!fsdp2(run) || *expert == 1) return;
  out.add(expert, [&](Message& m) {
    m.say("use_torch_fsdp2 does not go with expert parallelism: expert_model_parallel_size is {}", *expert);
    m.also(run.config.use_torch_fsdp2);
    m.help("expert_model_parallel_size: 1 (experts are then sharded as all weights are); or use_torch_fsdp2: false");
    m.fix("set expert_model_parallel_size to 1", expert, "1");
  });
}

void with_distributed_optimizer(const MegatronRun& run, Findings& out) {
  const Flag& optimizer = run.config.use_distributed_optimizer;
  if (!fsdp2(run) || !*optimizer) return;
  out.add(run.config.use_torch_fsdp2, [&](Message& m) {
    m.say("use_torch_fsdp2 does not go with use_distributed_optimizer: FSDP shards the optimizer's state itself");
    m.also(optimizer);
    m.help("use_distributed_optimizer: false (the Primus trainer presets switch it on)");
    m.fix("switch use_distributed_optimizer off", optimizer, "false");
  });
}

void with_gradient_fusion(const MegatronRun& run, Findings& out) {
  const Flag& fusion = run.config.gradient_accumulation_fusion;
  if (!fsdp2(run) || !*fusion) return;
  out.add(run.config.use_torch_fsdp2, [&](Message& m) {
    m.say("use_torch_fsdp2 does not go with gradient_accumulation_fusion: there are no main gradients to add into");
    m.also(fusion);
    m.help("gradient_accumulation_fusion: false (the Primus model presets switch it on)");
    m.fix("switch gradient_accumulation_fusion off", fusion, "false");
  });
}

void checkpoint_format(const MegatronRun& run, Findings& out) {
  const Word& format = run.config.ckpt_format;
  if (!fsdp2(run) || uses_both_fsdps(run) || *format == "torch_dist" || *format == "torch_dcp") return;
  out.add(format, [&](Message& m) {
    m.say("use_torch_fsdp2 saves as ckpt_format torch_dist or torch_dcp, not {}", is_set(format) ? *format : "null");
    m.also(run.config.use_torch_fsdp2);
    m.fix("set ckpt_format to torch_dist", format, "torch_dist");
  });
}

void tied_embeddings(const MegatronRun& run, Findings& out) {
  const Flag& untie = run.config.untie_embeddings_and_output_weights;
  if (!fsdp2(run) || *untie) return;
  out.add(untie, [&](Message& m) {
    m.say("use_torch_fsdp2 needs untie_embeddings_and_output_weights: shards of one weight cannot serve two modules");
    m.also(run.config.use_torch_fsdp2);
    m.help("use_torch_fsdp2: false keeps the model; untie_embeddings_and_output_weights: true trains another one");
  });
}

void with_fp16(const MegatronRun& run, Findings& out) {
  if (!fsdp2(run) || !*run.config.fp16) return;
  out.add(run.config.fp16, [&](Message& m) {
    m.say("use_torch_fsdp2 does not train in fp16");
    m.also(run.config.use_torch_fsdp2).help("bf16: true and fp16: false");
  });
}

void stream_groups(const MegatronRun& run, Findings& out) {
  const Raw& groups = run.given.high_priority_stream_groups;
  if (!fsdp2(run) || !groups.is_explicit) return;
  if (groups.value != nullptr && groups.value->is_sequence()) return;
  out.add(groups, [&](Message& m) {
    m.say("high_priority_stream_groups is a list: use_torch_fsdp2 appends dp_cp to it");
    m.also(run.config.use_torch_fsdp2);
    m.fix("make it an empty list", groups, "[]");
  });
}

void dcp_needs_fsdp2(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.ckpt_format != "torch_dcp") return;
  // PP above 1 is refused with FSDP2 in any case, and reported there.
  if (fsdp2(run) && run.tp() <= 1) return;
  out.add(config.ckpt_format, [&](Message& m) {
    if (!fsdp2(run)) {
      m.say("ckpt_format torch_dcp is for use_torch_fsdp2, which is off");
      m.also(config.use_torch_fsdp2);
    } else {
      m.say("ckpt_format torch_dcp does not go with tensor parallelism: tensor_model_parallel_size is {}", run.tp());
      m.also(config.tensor_model_parallel_size);
    }
    m.help("ckpt_format: torch_dist");
    m.fix("set ckpt_format to torch_dist", config.ckpt_format, "torch_dist");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG540",
      .name = "fsdp2-with-pipeline",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "torch FSDP2 needs PP = 1.",
      .explanation = "torch FSDP2 wraps the model as one stage. Megatron's distributed optimizer shards optimizer "
                     "state together with a pipeline.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "pipeline_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "pipeline_model_parallel_size: 1\n"}},
     with_pipeline},
    {{.id = "MG541",
      .name = "fsdp2-with-expert-parallel",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "torch FSDP2 needs EP = 1.",
      .explanation = "FSDP shards every weight over the same data-parallel group. Experts are allowed, but not spread "
                     "by expert parallelism.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "num_experts: 8\n"
                      "moe_token_dispatcher_type: alltoall\n"
                      "moe_grouped_gemm: true\n"
                      "expert_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "num_experts: 8\n"
                       "moe_token_dispatcher_type: alltoall\n"
                       "moe_grouped_gemm: true\n"
                       "expert_model_parallel_size: 1\n"}},
     with_experts},
    {{.id = "MG542",
      .name = "fsdp2-with-distributed-optimizer",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "torch FSDP2 replaces the distributed optimizer.",
      .explanation = "Both shard the optimizer's state. The Primus trainer presets switch use_distributed_optimizer "
                     "on, so an FSDP2 run has to switch it off.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "gradient_accumulation_fusion: false\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"}},
     with_distributed_optimizer},
    {{.id = "MG543",
      .name = "fsdp2-with-gradient-fusion",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "torch FSDP2 needs gradient_accumulation_fusion off.",
      .explanation = "The fused kernel adds weight gradients into Megatron's own gradient buffer, which FSDP2 does not "
                     "have. The Primus model presets switch it on.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"}},
     with_gradient_fusion},
    {{.id = "MG544",
      .name = "fsdp2-checkpoint-format",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "torch FSDP2 saves as torch_dist or torch_dcp.",
      .explanation = "The parameters are DTensors, which the torch format of one file a rank cannot hold.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "ckpt_format: torch\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "ckpt_format: torch_dist\n"}},
     checkpoint_format},
    {{.id = "MG545",
      .name = "fsdp2-tied-embeddings",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "torch FSDP2 needs untied embeddings.",
      .explanation = "Input embedding and output layer are wrapped and sharded apart. A weight that both share would "
                     "be in two shards.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "untie_embeddings_and_output_weights: false\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "untie_embeddings_and_output_weights: true\n"}},
     tied_embeddings},
    {{.id = "MG546",
      .name = "fsdp2-with-fp16",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "torch FSDP2 does not train in fp16.",
      .explanation = "Megatron's loss scaling for fp16 does not reach FSDP2's gradients: train in bf16.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "fp16: true\n"
                      "bf16: false\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "bf16: true\n"}},
     with_fp16},
    {{.id = "MG547",
      .name = "fsdp2-stream-groups",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AttributeError or TypeError)",
      .summary = "high_priority_stream_groups is a list.",
      .explanation = "With torch FSDP2 Megatron appends dp_cp to the list, so that the collectives of FSDP run on a "
                     "stream of high priority. null is no list.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "high_priority_stream_groups: null\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "high_priority_stream_groups: []\n"}},
     stream_groups},
    {{.id = "MG550",
      .name = "dcp-checkpoints-need-fsdp2",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = arguments_stop,
      .summary = "ckpt_format torch_dcp needs torch FSDP2 without tensor parallelism.",
      .explanation = "torch_dcp writes PyTorch's own distributed checkpoint of DTensors, which only FSDP2 makes. "
                     "Slices of tensor or pipeline parallelism are not known to it.",
      .bad = {.world_size = 8, .yaml = "ckpt_format: torch_dcp\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "ckpt_format: torch_dcp\n"}},
     dcp_needs_fsdp2},
};

}  // namespace

RuleList torch_fsdp2_rules() { return rules; }

}  // namespace primus_plan::megatron
