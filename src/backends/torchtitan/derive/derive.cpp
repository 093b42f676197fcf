#include "backends/torchtitan/derive/derive.h"

#include <string_view>

namespace primus_plan::torchtitan {

bool TorchTitanRun::is_unreadable(const char* key) const {
  for (const BadValue& bad : given.bad_values) {
    if (!bad.usable && std::string_view(bad.key) == key) return true;
  }
  return false;
}

void apply_other_rewrites(TorchTitanRun& run, Rewriter& rewriter) {
  TorchTitanConfig& config = run.config;
  // models/*/model/args.py:update_from_config
  if (run.parsed.flavor != nullptr && run.family() != Family::flux) {
    if (!config.model_max_seq_len.value && run.model().max_seq_len > 0)
      config.model_max_seq_len.value = run.model().max_seq_len;
    rewriter.set(config.model_max_seq_len, *config.seq_len, "the model takes training.seq_len as its longest sequence");
  }
  // components/quantization/float8.py:Float8LinearConverter.__init__
  if (run.parsed.converters.float8_linear && run.meshes.dp_shard == 1) {
    rewriter.set(config.float8_enable_fsdp_float8_all_gather, false, "the resolved data_parallel_shard_degree is 1");
    rewriter.set(config.float8_precompute_float8_dynamic_scale_for_fsdp, false, "there is no float8 all-gather");
  }
  // components/lr_scheduler.py:build_lr_schedulers
  const Int training_steps = config.lr_scheduler_total_steps.value.value_or(*config.steps);
  if (*config.lr_scheduler_warmup_steps > training_steps) {
    rewriter.set(config.lr_scheduler_warmup_steps, training_steps, "the warm-up cannot be longer than the training");
  }
}

TorchTitanRun derive(const TorchTitanConfig& given, const ParsedKeys& parsed, const Launch& launch,
                     const Environment& environment, const Origin& module, Rewrites& rewrites) {
  TorchTitanRun run{.given = given,
                    .parsed = parsed,
                    .environment = environment,
                    .module = module,
                    .config = given,
                    .launch = launch,
                    .ranks = 0,
                    .degrees = {},
                    .batch = {},
                    .meshes = {},
                    .sequence_divisor = 0,
                    .pipeline = {},
                    .stages = {}};
  Rewriter rewriter(rewrites);
  derive_ranks(run);
  derive_meshes(run, rewriter);
  derive_batch(run, rewriter);
  derive_pipeline(run);
  apply_other_rewrites(run, rewriter);
  return run;
}

}  // namespace primus_plan::torchtitan
