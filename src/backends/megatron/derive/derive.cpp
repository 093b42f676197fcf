#include "backends/megatron/derive/derive.h"

namespace primus_plan::megatron {

MegatronRun derive(const MegatronConfig& given, const ParsedKeys& parsed, const Launch& launch,
                   const Environment& environment, const Origin& module, Rewrites& rewrites) {
  MegatronRun run{.given = given,
                  .parsed = parsed,
                  .environment = environment,
                  .module = module,
                  .config = given,
                  .launch = launch,
                  .degrees = {},
                  .batch = {},
                  .virtual_pipeline = {},
                  .micro_batch_input = {},
                  .micro_batch_start = {},
                  .v_schedule = false,
                  .split = {}};
  Rewriter rewriter(rewrites);
  blank_unreadable_degrees(run.config);
  apply_primus_arguments(run, rewriter);
  derive_degrees(run, rewriter);
  fill_layer_count(run, rewriter);
  derive_stages(run);
  apply_validate_args(run, rewriter);
  apply_rocm_validation(run, rewriter);
  derive_batch(run, rewriter);
  apply_transformer_config(run, rewriter);
  return run;
}

}  // namespace primus_plan::megatron
