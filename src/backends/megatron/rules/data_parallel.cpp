#include <algorithm>

#include "backends/megatron/rules/pipeline.h"
#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"
#include "backends/megatron/rules/settings.h"
#include "backends/megatron/rules/sharding.h"
#include "backends/megatron/rules/sites.h"

namespace primus_plan::megatron {
namespace {

constexpr const char* get_model = "megatron/training/training.py:get_model";
constexpr const char* ddp_config = "megatron/core/distributed/distributed_data_parallel_config.py:__post_init__";

void gather_without_shards(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.overlap_param_gather) return;
  if (*config.use_distributed_optimizer || *config.use_megatron_fsdp || *config.optimizer == "dist_muon") return;
  out.add(config.overlap_param_gather, [&](Message& m) {
    if (*config.use_torch_fsdp2) {
      m.say("overlap_param_gather does not go with use_torch_fsdp2, which overlaps its own gathers");
      m.also(config.use_torch_fsdp2).help("overlap_param_gather: false");
      fix_either(m, config.overlap_param_gather, "false", config.use_torch_fsdp2, "false");
    } else if (uses_muon(run)) {
      m.say("overlap_param_gather with optimizer {}: no sharded optimizer state to gather parameters from",
            *config.optimizer);
      m.also(config.optimizer).help("optimizer: dist_muon; or overlap_param_gather: false");
      fix_either(m, config.overlap_param_gather, "false", config.optimizer, "dist_muon");
    } else {
      m.say("overlap_param_gather needs sharded optimizer state, and use_distributed_optimizer is off");
      m.also(config.use_distributed_optimizer);
      m.help("use_distributed_optimizer: true; or overlap_param_gather: false");
      fix_either(m, config.overlap_param_gather, "false", config.use_distributed_optimizer, "true");
    }
  });
}

void gather_without_gradient_overlap(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.overlap_param_gather || *config.overlap_grad_reduce) return;
  // The line that the author wrote is the one to look at.
  const bool switched_off = is_asked_for(config.overlap_grad_reduce) && !is_asked_for(config.overlap_param_gather);
  out.add(switched_off ? config.overlap_grad_reduce : config.overlap_param_gather, [&](Message& m) {
    m.say("overlap_param_gather needs overlap_grad_reduce, which is off");
    m.also(switched_off ? config.overlap_param_gather : config.overlap_grad_reduce);
    m.help("overlap_grad_reduce: true; or overlap_param_gather: false");
    fix_either(m, config.overlap_grad_reduce, "true", config.overlap_param_gather, "false");
  });
}

void gather_with_step(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const Flag& overlap = config.overlap_param_gather_with_optimizer_step;
  if (!*overlap) return;
  const bool interleaved = run.interleaved() || !virtual_size_is_settled(run);
  const bool plain_checkpoints = !has_distributed_checkpoints(run);
  if (*config.use_distributed_optimizer && *config.overlap_param_gather && interleaved && plain_checkpoints) return;
  out.add(overlap, [&](Message& m) {
    if (!*config.use_distributed_optimizer) {
      m.say("{} needs use_distributed_optimizer, which is off", overlap.key);
    } else if (!*config.overlap_param_gather) {
      m.say("{} needs overlap_param_gather, which is off", overlap.key);
    } else if (!interleaved) {
      m.say("{} needs an interleaved pipeline: it hides the step of one model chunk behind another's", overlap.key);
    } else {
      m.say("{} does not go with ckpt_format {}, a distributed checkpoint", overlap.key, *config.ckpt_format);
    }
    m.also(config.use_distributed_optimizer).also(config.overlap_param_gather).also(config.ckpt_format);
    m.help("it needs use_distributed_optimizer, overlap_param_gather, several model chunks a rank, ckpt_format: torch");
    m.fix("switch it off", overlap, "false");
  });
}

void buckets_contradict(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const MaybeCount& count = config.ddp_num_buckets;
  if (*config.use_torch_fsdp2 || !count.value) return;
  if (!config.ddp_bucket_size.value && *count.value > 0) return;
  out.add(count, [&](Message& m) {
    if (config.ddp_bucket_size.value) {
      m.say("ddp_num_buckets {} and ddp_bucket_size {} are both set: one follows from the other", *count.value,
            *config.ddp_bucket_size.value);
      m.also(config.ddp_bucket_size).help("set one of them to null");
    } else {
      m.say("ddp_num_buckets is {}: the gradients need at least one bucket", *count.value);
    }
    m.fix("set ddp_num_buckets to null", count, "null");
  });
}

void buckets_without_overlap(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.overlap_grad_reduce || !uses_plain_ddp(run)) return;
  for (const MaybeCount* field : {&config.ddp_bucket_size, &config.ddp_num_buckets}) {
    if (!field->value || !is_asked_for(*field)) continue;
    out.add(*field, [&](Message& m) {
      m.say("{} {} has no effect without overlap_grad_reduce: all gradients are reduced in one bucket", field->key,
            *field->value);
      m.also(config.overlap_grad_reduce);
      m.help("overlap_grad_reduce: true reduces each bucket while the backward pass goes on");
    });
  }
}

void average_with_token_loss(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.ddp_average_in_collective || !*config.calculate_per_token_loss || !uses_plain_ddp(run)) return;
  out.add(config.ddp_average_in_collective, [&](Message& m) {
    m.say("ddp_average_in_collective divides gradients by DP, calculate_per_token_loss by the number of tokens");
    m.also(config.calculate_per_token_loss);
    m.help("ddp_average_in_collective: false");
    m.fix("switch ddp_average_in_collective off", config.ddp_average_in_collective, "false");
  });
}

void mxfp8_buffer(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.reuse_grad_buf_for_mxfp8_param_ag || *config.fp8_param_gather || *config.use_torch_fsdp2) return;
  out.add(config.reuse_grad_buf_for_mxfp8_param_ag, [&](Message& m) {
    m.say("reuse_grad_buf_for_mxfp8_param_ag needs fp8_param_gather, which is off");
    m.also(config.fp8_param_gather);
    m.fix("switch it off", config.reuse_grad_buf_for_mxfp8_param_ag, "false");
  });
}

bool has_expandable_segments(const MegatronRun& run) {
  const auto allocator = run.environment.get("PYTORCH_CUDA_ALLOC_CONF");
  return allocator && allocator->find("expandable_segments:True") != std::string_view::npos;
}

void user_buffers(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (!*config.nccl_ub || *config.use_torch_fsdp2) return;
  const bool single_buffer = *config.use_megatron_fsdp && !*config.fsdp_double_buffer;
  if (!single_buffer && !has_expandable_segments(run)) return;
  out.add(config.nccl_ub, [&](Message& m) {
    if (single_buffer) {
      m.say("nccl_ub with Megatron-FSDP needs fsdp_double_buffer: registered buffers must not move");
      m.also(config.fsdp_double_buffer).help("fsdp_double_buffer: true");
      m.fix("switch fsdp_double_buffer on", config.fsdp_double_buffer, "true");
    } else {
      m.say("nccl_ub does not go with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
      m.help("unset expandable_segments, or nccl_ub: false");
    }
  });
}

/// The key with which the experiment itself asks for sharded training state; null when none does.
const Flag* asked_sharding(const MegatronRun& run) {
  const MegatronConfig& config = run.config;
  for (const Flag* flag : {&config.use_torch_fsdp2, &config.use_megatron_fsdp, &config.use_distributed_optimizer}) {
    if (**flag && is_asked_for(*flag)) return flag;
  }
  return nullptr;
}

void nothing_to_shard(const MegatronRun& run, Findings& out) {
  if (run.launch.assumed || run.dp() <= 0 || run.degrees.data_shard != 1) return;
  const Flag* key = asked_sharding(run);
  if (key == nullptr) return;
  if (run.is_moe() && run.degrees.expert_data / std::max<Int>(optimizer_instances(run), 1) > 1) return;
  out.add(*key, [&](Message& m) {
    if (run.dp() * run.cp() == 1) {
      m.say("{} has nothing to shard over: DP x CP = 1", key->key);
    } else {
      m.say("{} has nothing to shard over: DP x CP = {} in {} replicas leaves shards of one rank", key->key,
            run.dp() * run.cp(), optimizer_instances(run));
      m.also(run.config.num_distributed_optimizer_instances);
    }
    because_of_dp(m, run);
    m.help("every rank keeps the whole optimizer state of its model part: count memory without sharding");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG501",
      .name = "param-gather-without-shards",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "overlap_param_gather needs the distributed optimizer, Megatron-FSDP or dist_muon.",
      .explanation = "With a distributed optimizer each rank updates its shard of the parameters and gathers the rest; "
                     "overlap_param_gather hides the gathering behind the next forward pass. Without shards there is "
                     "nothing to gather. A run that switches use_distributed_optimizer off (for torch FSDP2, muon) has "
                     "to switch overlap_param_gather off too.",
      .bad = {.world_size = 8,
              .yaml = "use_distributed_optimizer: false\n"
                      "overlap_grad_reduce: true\n"
                      "overlap_param_gather: true\n"},
      .good = {.world_size = 8,
               .yaml = "use_distributed_optimizer: true\n"
                       "overlap_grad_reduce: true\n"
                       "overlap_param_gather: true\n"}},
     gather_without_shards},
    {{.id = "MG502",
      .name = "param-gather-without-gradient-overlap",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "overlap_param_gather needs overlap_grad_reduce.",
      .explanation = "Both overlaps work on the same buckets, which exist only with overlap_grad_reduce. The Primus "
                     "presets leave both off.",
      .bad = {.world_size = 8,
              .yaml = "overlap_grad_reduce: false\n"
                      "overlap_param_gather: true\n"},
      .good = {.world_size = 8,
               .yaml = "overlap_grad_reduce: true\n"
                       "overlap_param_gather: true\n"}},
     gather_without_gradient_overlap},
    {{.id = "MG503",
      .name = "param-gather-with-step-incomplete",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "overlap_param_gather_with_optimizer_step needs an interleaved pipeline, both overlaps and "
                 "ckpt_format torch.",
      .explanation = "The optimizer step of the first model chunk overlaps the parameter gathers of the others. That "
                     "takes the distributed optimizer, overlap_param_gather, several chunks a rank, and the old "
                     "checkpoint format; Primus's preset is torch_dist.",
      .bad = {.world_size = 8,
              .yaml = "overlap_param_gather_with_optimizer_step: true\n"
                      "overlap_param_gather: true\n"
                      "overlap_grad_reduce: true\n"
                      "num_layers: 24\n"
                      "pipeline_model_parallel_size: 2\n"
                      "num_virtual_stages_per_pipeline_rank: 2\n"
                      "ckpt_format: torch_dist\n"},
      .good = {.world_size = 8,
               .yaml = "overlap_param_gather_with_optimizer_step: true\n"
                       "overlap_param_gather: true\n"
                       "overlap_grad_reduce: true\n"
                       "num_layers: 24\n"
                       "pipeline_model_parallel_size: 2\n"
                       "num_virtual_stages_per_pipeline_rank: 2\n"
                       "ckpt_format: torch\n"}},
     gather_with_step},
    {{.id = "MG504",
      .name = "gradient-buckets-contradict",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = get_model,
      .outcome = "Megatron stops when it wraps the model (AssertionError)",
      .summary = "ddp_num_buckets and ddp_bucket_size exclude each other; ddp_num_buckets is positive.",
      .explanation =
          "ddp_num_buckets cuts the parameters into that many buckets, ddp_bucket_size says how many parameters one "
          "holds. With neither, a bucket holds max(40 million, 1 million x DP x CP) parameters.",
      .bad = {.world_size = 8,
              .yaml = "overlap_grad_reduce: true\n"
                      "ddp_bucket_size: 40000000\n"
                      "ddp_num_buckets: 4\n"},
      .good = {.world_size = 8,
               .yaml = "overlap_grad_reduce: true\n"
                       "ddp_bucket_size: 40000000\n"}},
     buckets_contradict},
    {{.id = "MG505",
      .name = "gradient-buckets-without-overlap",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = get_model,
      .outcome = "Megatron ignores the size",
      .summary = "ddp_bucket_size and ddp_num_buckets act only with overlap_grad_reduce.",
      .explanation = "Without overlap_grad_reduce Megatron reduces all gradients at once, after the backward pass: one "
                     "bucket without a limit.",
      .bad = {.world_size = 8,
              .yaml = "overlap_grad_reduce: false\n"
                      "ddp_bucket_size: 40000000\n"},
      .good = {.world_size = 8,
               .yaml = "overlap_grad_reduce: true\n"
                       "ddp_bucket_size: 40000000\n"}},
     buckets_without_overlap},
    {{.id = "MG506",
      .name = "average-in-collective-with-token-loss",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/core/distributed/distributed_data_parallel.py:__init__",
      .outcome = "Megatron stops when it wraps the model (AssertionError)",
      .summary = "ddp_average_in_collective and calculate_per_token_loss exclude each other.",
      .explanation = "With calculate_per_token_loss the gradients are summed over the data-parallel ranks and divided "
                     "by the number of tokens later. An average in the collective would divide them a second time.",
      .bad = {.world_size = 8,
              .yaml = "ddp_average_in_collective: true\n"
                      "calculate_per_token_loss: true\n"},
      .good = {.world_size = 8,
               .yaml = "ddp_average_in_collective: false\n"
                       "calculate_per_token_loss: true\n"}},
     average_with_token_loss},
    {{.id = "MG507",
      .name = "mxfp8-buffer-without-gather",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = ddp_config,
      .outcome = "Megatron stops when it wraps the model (AssertionError)",
      .summary = "reuse_grad_buf_for_mxfp8_param_ag needs fp8_param_gather.",
      .explanation = "The key lets gathered MXFP8 parameters lie in the gradient buffer. Without fp8_param_gather "
                     "nothing is gathered in MXFP8.",
      .bad = {.world_size = 8, .yaml = "num_layers: 24\nreuse_grad_buf_for_mxfp8_param_ag: true\n"},
      .good = {.world_size = 8, .yaml = "num_layers: 24\nreuse_grad_buf_for_mxfp8_param_ag: false\n"}},
     mxfp8_buffer},
    {{.id = "MG508",
      .name = "user-buffers-not-stable",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = ddp_config,
      .outcome = "Megatron stops when it wraps the model (ValueError or AssertionError)",
      .summary = "nccl_ub needs buffers that stay where they are: no expandable segments, and double buffers in "
                 "Megatron-FSDP.",
      .explanation = "nccl_ub registers the communication buffers with NCCL or RCCL. "
                     "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True moves memory behind its back. Megatron-FSDP "
                     "keeps its buffers in place only with fsdp_double_buffer.",
      .bad = {.world_size = 8,
              .yaml = "use_megatron_fsdp: true\n"
                      "ckpt_format: fsdp_dtensor\n"
                      "gradient_accumulation_fusion: false\n"
                      "nccl_ub: true\n"},
      .good = {.world_size = 8,
               .yaml = "use_megatron_fsdp: true\n"
                       "ckpt_format: fsdp_dtensor\n"
                       "gradient_accumulation_fusion: false\n"
                       "nccl_ub: true\n"
                       "fsdp_double_buffer: true\n"}},
     user_buffers},
    {{.id = "MG509",
      .name = "nothing-to-shard",
      .severity = Severity::warning,
      .stage = Stage::advice,
      .runtime_site = "",
      .outcome = "",
      .summary = "A distributed optimizer or FSDP on DP x CP = 1 shards nothing.",
      .explanation = "The distributed optimizer and FSDP cut optimizer state, gradients or parameters over the data "
                     "and context parallel ranks (expert parameters over expert DP). With one rank in that group every "
                     "rank holds everything, and the memory the keys were meant to save is not saved.",
      .bad = {.world_size = 8,
              .yaml = "use_distributed_optimizer: true\n"
                      "tensor_model_parallel_size: 8\n"},
      .good = {.world_size = 8,
               .yaml = "use_distributed_optimizer: true\n"
                       "tensor_model_parallel_size: 4\n"}},
     nothing_to_shard},
};

}  // namespace

RuleList data_parallel_rules() { return rules; }

}  // namespace primus_plan::megatron
