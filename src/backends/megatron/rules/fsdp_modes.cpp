#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sharding.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* hsdp_arguments = "primus/backends/megatron/patches/args/hsdp_args_patches.py:patch_hsdp_args";
constexpr const char* fsdp2_wrapper =
    "primus/backends/megatron/core/distributed/torch_fully_sharded_data_parallel.py:__init__";

void fp8_gather_dropped(const MegatronRun& run, Findings& out) {
  if (!*run.config.use_torch_fsdp2 || !*run.given.fp8_param_gather) return;
  out.add(run.given.fp8_param_gather, [&](Message& m) {
    m.say("fp8_param_gather has no effect with use_torch_fsdp2: parameters are gathered in bf16");
    m.also(run.config.use_torch_fsdp2);
    m.help("fp8_param_gather: false; use_fsdp2_fp8_all_gather: true is Primus's own way to gather in fp8");
    m.fix("switch fp8_param_gather off", run.given.fp8_param_gather, "false");
  });
}

void with_tensor_parallel(const MegatronRun& run, Findings& out) {
  if (!uses_fsdp(run) || (run.tp() <= 1 && run.cp() <= 1)) return;
  const Flag& fsdp = *run.config.use_torch_fsdp2 ? run.config.use_torch_fsdp2 : run.config.use_megatron_fsdp;
  out.add(run.tp() > 1 ? run.config.tensor_model_parallel_size : run.config.context_parallel_size, [&](Message& m) {
    m.say("{} with TP {} and CP {}: they need CUDA_DEVICE_MAX_CONNECTIONS=1 to overlap, FSDP more than 1", fsdp.key,
          run.tp(), run.cp());
    m.also(fsdp);
    m.because("Primus sets CUDA_DEVICE_MAX_CONNECTIONS=8 for FSDP: kernels may start before their communication");
    m.help("tensor_model_parallel_size: 1 and context_parallel_size: 1; or the distributed optimizer instead of FSDP");
  });
}

void two_optimizers(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.use_fsdp2_fp32_param_optimizer || !*config.use_fsdp2_bf16_master_weight_optimizer) return;
  out.add(config.use_fsdp2_bf16_master_weight_optimizer, [&](Message& m) {
    m.say("use_fsdp2_fp32_param_optimizer and use_fsdp2_bf16_master_weight_optimizer are both on");
    m.also(config.use_fsdp2_fp32_param_optimizer);
    m.help("keep one: parameters in fp32, or in bf16 with fp32 master weights in the optimizer");
    m.fix("switch use_fsdp2_bf16_master_weight_optimizer off", config.use_fsdp2_bf16_master_weight_optimizer, "false");
  });
}

void delayed_scaling(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.use_torch_fsdp2 || !*config.use_fsdp2_fp8_all_gather) return;
  const bool recipe = *config.fp8_recipe == "delayed";
  if (!recipe && *config.fp8_scaling_strategy != "delayed") return;
  out.add(config.use_fsdp2_fp8_all_gather, [&](Message& m) {
    const Word& cause = recipe ? config.fp8_recipe : config.fp8_scaling_strategy;
    m.say("use_fsdp2_fp8_all_gather does not go with delayed scaling: {} is delayed", cause.key);
    m.also(cause);
    m.help("fp8_recipe: tensorwise (the Primus trainer preset says delayed)");
    m.fix("switch use_fsdp2_fp8_all_gather off", config.use_fsdp2_fp8_all_gather, "false");
  });
}

Int replicas(const MegatronRun& run) { return run.given.data_parallel_replicate_degree.value.value_or(1); }

void replicas_without_fsdp2(const MegatronRun& run, Findings& out) {
  if (replicas(run) <= 1 || *run.config.use_torch_fsdp2) return;
  out.add(run.given.data_parallel_replicate_degree, [&](Message& m) {
    m.say("data_parallel_replicate_degree {} has no effect without use_torch_fsdp2", replicas(run));
    m.also(run.config.use_torch_fsdp2);
    m.help("num_distributed_optimizer_instances: {} does the same for the distributed optimizer", replicas(run));
    m.fix("set data_parallel_replicate_degree to 1", run.given.data_parallel_replicate_degree, "1");
  });
}

void replicas_need_dcp(const MegatronRun& run, Findings& out) {
  if (replicas(run) <= 1 || !*run.config.use_torch_fsdp2) return;
  // The wrapper needs groups of that size; num_distributed_optimizer_instances can make them too.
  if (optimizer_instances(run) == replicas(run)) return;
  out.add(run.given.data_parallel_replicate_degree, [&](Message& m) {
    m.say(
        "data_parallel_replicate_degree {} needs ckpt_format torch_dcp, not {}: Primus does not build the groups for "
        "it",
        replicas(run), is_set(run.config.ckpt_format) ? *run.config.ckpt_format : "null");
    m.also(run.config.ckpt_format);
    m.help("ckpt_format: torch_dcp; or data_parallel_replicate_degree: 1");
    m.fix("set ckpt_format to torch_dcp", run.config.ckpt_format, "torch_dcp");
  });
}

void both_fsdps(const MegatronRun& run, Findings& out) {
  if (!uses_both_fsdps(run)) return;
  out.add(run.config.use_megatron_fsdp, [&](Message& m) {
    m.say("use_torch_fsdp2 and use_megatron_fsdp are both on, and no ckpt_format suits both");
    m.also(run.config.use_torch_fsdp2);
    m.help("switch one of them off");
    m.fix("switch use_megatron_fsdp off", run.config.use_megatron_fsdp, "false");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG548",
      .name = "fsdp2-drops-fp8-gather",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron warns and switches fp8_param_gather off",
      .summary = "torch FSDP2 gathers parameters in bf16, whatever fp8_param_gather says.",
      .explanation = "Megatron switches fp8_param_gather off for torch FSDP2. Primus's use_fsdp2_fp8_all_gather "
                     "gathers in fp8, with a recipe other than delayed.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "fp8: hybrid\n"
                      "fp8_param_gather: true\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "fp8: hybrid\n"
                       "fp8_param_gather: false\n"}},
     fp8_gather_dropped},
    {{.id = "MG549",
      .name = "fsdp-with-tensor-parallel",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron warns and goes on",
      .summary = "FSDP and tensor or context parallelism want opposite values of CUDA_DEVICE_MAX_CONNECTIONS.",
      .explanation = "Tensor and context parallelism rely on one hardware queue (CUDA_DEVICE_MAX_CONNECTIONS=1), so "
                     "that communication starts before the kernel it hides behind. FSDP needs several queues, and "
                     "Primus sets 8. The run works, but communication of TP and CP may not overlap.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "tensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "tensor_model_parallel_size: 1\n"}},
     with_tensor_parallel},
    {{.id = "MG551",
      .name = "fsdp2-two-optimizers",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::rocm_validation,
      .outcome = "Primus stops (ValueError)",
      .summary = "use_fsdp2_fp32_param_optimizer and use_fsdp2_bf16_master_weight_optimizer exclude each other.",
      .explanation = "The first keeps parameters in fp32 and casts them for each layer; the second keeps them in bf16 "
                     "with fp32 copies in the optimizer.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "use_fsdp2_fp32_param_optimizer: true\n"
                      "use_fsdp2_bf16_master_weight_optimizer: true\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "use_fsdp2_fp32_param_optimizer: true\n"}},
     two_optimizers},
    {{.id = "MG552",
      .name = "fsdp2-fp8-gather-with-delayed-scaling",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = fsdp2_wrapper,
      .outcome = "Primus stops when it wraps the model (ValueError)",
      .summary = "use_fsdp2_fp8_all_gather does not go with delayed scaling.",
      .explanation = "With delayed scaling the forward pass quantizes the weights again with factors of earlier steps "
                     "and does not take the gathered fp8 weights. The Primus trainer preset has fp8_recipe: delayed.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "use_fsdp2_fp8_all_gather: true\n"
                      "fp8: hybrid\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "use_fsdp2_fp8_all_gather: true\n"
                       "fp8: hybrid\n"
                       "fp8_recipe: tensorwise\n"}},
     delayed_scaling},
    {{.id = "MG554",
      .name = "replicas-without-fsdp2",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = hsdp_arguments,
      .outcome = "Primus logs an error and goes on without replicas",
      .summary = "data_parallel_replicate_degree needs torch FSDP2.",
      .explanation = "Primus refuses the key without use_torch_fsdp2, but errors of its argument patches are only "
                     "logged: the run goes on as if the key were 1.",
      .bad = {.world_size = 8, .yaml = "data_parallel_replicate_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "data_parallel_replicate_degree: 2\n"
                       "ckpt_format: torch_dcp\n"}},
     replicas_without_fsdp2},
    {{.id = "MG555",
      .name = "replicas-need-dcp-checkpoints",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = fsdp2_wrapper,
      .outcome = "Primus logs an error at the start and stops when it wraps the model (RuntimeError)",
      .summary = "data_parallel_replicate_degree needs ckpt_format torch_dcp.",
      .explanation = "Primus maps the degree to num_distributed_optimizer_instances only with torch_dcp; the error it "
                     "raises otherwise is logged and swallowed. The FSDP2 wrapper then asks for process groups that "
                     "were never built. torch_dcp in turn needs TP = PP = 1.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "data_parallel_replicate_degree: 2\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"
                       "data_parallel_replicate_degree: 2\n"
                       "ckpt_format: torch_dcp\n"}},
     replicas_need_dcp},
    {{.id = "MG568",
      .name = "two-kinds-of-fsdp",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "torch FSDP2 and Megatron-FSDP exclude each other.",
      .explanation =
          "torch FSDP2 saves as torch_dist or torch_dcp, Megatron-FSDP as fsdp_dtensor, and Megatron checks both.",
      .bad = {.world_size = 8,
              .yaml = "use_torch_fsdp2: true\n"
                      "use_distributed_optimizer: false\n"
                      "gradient_accumulation_fusion: false\n"
                      "use_megatron_fsdp: true\n"},
      .good = {.world_size = 8,
               .yaml = "use_torch_fsdp2: true\n"
                       "use_distributed_optimizer: false\n"
                       "gradient_accumulation_fusion: false\n"}},
     both_fsdps},
};

}  // namespace

RuleList fsdp_mode_rules() { return rules; }

}  // namespace primus_plan::megatron
