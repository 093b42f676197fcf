#include "backends/megatron/derive/derive.h"

namespace primus_plan::megatron {

MegatronRun derive(const MegatronConfig& given, const ParsedKeys& parsed, const Launch& launch, const Environment& environment,
                   const Origin& module, Rewrites& rewrites) {
  MegatronRun run{.given = given,
                  .parsed = parsed,
                  .environment = environment,
                  .module = module,
                  .config = given,
                  .launch = launch,
                  .degrees = {},
                  .batch = {},
                  .virtual_pipeline = {},
                  .stages = {}};
  Rewriter rewriter(rewrites);
  apply_primus_arguments(run, rewriter);
  derive_degrees(run, rewriter);
  derive_virtual_pipeline(run, rewriter);
  apply_validate_args(run, rewriter);
  apply_rocm_validation(run, rewriter);
  derive_batch(run, rewriter);
  apply_transformer_config(run, rewriter);
  derive_stages(run);
  return run;
}

}  // namespace primus_plan::megatron
