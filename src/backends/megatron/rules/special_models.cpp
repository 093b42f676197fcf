#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"

namespace primus_plan::megatron {
namespace {

void kimi_k3_schedule(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  if (*config.model_type != "kimi_k3" || run.pp() <= 1) return;
  const Int block = config.attn_res_block_size.value.value_or(0);
  const Int layers = config.num_layers.value.value_or(0);
  if (block <= 0 || layers <= 0) return;  // plain residuals: one tensor passes between stages
  if (!*config.patch_zero_bubble && !*config.patch_primus_pipeline) return;
  const Flag& schedule = *config.patch_zero_bubble ? config.patch_zero_bubble : config.patch_primus_pipeline;
  out.add(schedule, [&](Message& m) {
    const Int wide = 1 + (layers + block - 1) / block;
    m.say("{} sends tensors of the wrong shape between the {} stages of a Kimi K3 model", schedule.key, run.pp());
    m.because(
        "its residuals make the tensor between stages 1 + num_layers / attn_res_block_size = {} times as long, and "
        "only Megatron's own schedules are told so",
        wide);
    m.also(config.attn_res_block_size).also(config.pipeline_model_parallel_size);
    m.help("use Megatron's own schedule: {}: false", schedule.key);
    m.fix(fmt::format("switch {} off", schedule.key), schedule, "false");
  });
}

void flux_guidance_dropout(const MegatronRun& run, Findings& out) {
  const MegatronConfig& config = run.config;
  const bool flux = config.model_type.value.substr(0, 4) == "flux" || *config.model_type == "diffusion_model";
  if (!flux || *config.cfg_dropout_prob <= 0 || run.tp() == 1) return;
  out.add(config.tensor_model_parallel_size, [&](Message& m) {
    m.say("cfg_dropout_prob {} needs tensor_model_parallel_size 1, not {}", *config.cfg_dropout_prob, run.tp());
    m.because("each tensor-parallel rank would draw a mask of its own");
    m.also(config.cfg_dropout_prob);
    m.help("tensor_model_parallel_size: 1; or cfg_dropout_prob: 0.0");
    m.fix("set tensor_model_parallel_size to 1", config.tensor_model_parallel_size, "1");
  });
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG790",
      .name = "kimi-k3-pipeline-schedule",
      .severity = Severity::error,
      .stage = Stage::schedule,
      .runtime_site = "primus/backends/megatron/patches/kimi_k3_pp_shape_patches.py:patch_kimi_k3_pp_tensor_shape",
      .outcome = "Primus logs a NotImplementedError and goes on; stages receive tensors of the wrong shape",
      .summary = "A Kimi K3 model with PP above 1 runs on Megatron's own schedules only.",
      .explanation = "Kimi K3 passes its residual checkpoints along with the hidden states, so the tensor between "
                     "stages is longer than usual. Primus teaches that to Megatron's 1F1B and interleaved schedules, "
                     "not to zero bubble or to the Primus pipeline.",
      .bad = {.world_size = 8,
              .yaml = "model_type: kimi_k3\nattn_res_block_size: 12\npipeline_model_parallel_size: "
                      "2\npatch_primus_pipeline: true\n"
                      "pp_algorithm: 1f1b\n"},
      .good = {.world_size = 8,
               .yaml = "model_type: kimi_k3\nattn_res_block_size: 12\npipeline_model_parallel_size: "
                       "2\npatch_primus_pipeline: false\n"}},
     kimi_k3_schedule},
    {{.id = "MG791",
      .name = "flux-guidance-dropout-with-tp",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "primus/backends/megatron/flux_pretrain_trainer.py:_init_cfg_dropout",
      .outcome = "Primus stops (ValueError)",
      .summary = "Guidance dropout of a Flux model needs TP of 1.",
      .explanation = "cfg_dropout_prob replaces text embeddings at random. Tensor-parallel ranks draw different "
                     "numbers and would train on different inputs.",
      .bad = {.world_size = 8,
              .yaml = "model_type: flux_schnell\ncfg_dropout_prob: 0.1\ntensor_model_parallel_size: 2\n"},
      .good = {.world_size = 8,
               .yaml = "model_type: flux_schnell\ncfg_dropout_prob: 0.1\ntensor_model_parallel_size: 1\n"}},
     flux_guidance_dropout},
};

}  // namespace

RuleList special_model_rules() { return rules; }

}  // namespace primus_plan::megatron
