#include "backends/maxtext/derive/derive.h"

namespace primus_plan::maxtext {

MaxTextRun derive(const MaxTextConfig& given, const LayeredConfig& layers, const ParsedKeys& parsed,
                  const Launch& launch, const Origin& module, Rewrites& rewrites) {
  MaxTextRun run{.given = given,
                 .layers = layers,
                 .parsed = parsed,
                 .module = module,
                 .config = given,
                 .launch = launch,
                 .model = {},
                 .mesh = {},
                 .batch_sizes = {},
                 .eval_sizes = {},
                 .ramp_up = {},
                 .pipelining = false,
                 .pipeline_stages = 0,
                 .degrees = {},
                 .batch = {},
                 .stages = {}};
  Rewriter rewriter(rewrites);
  fill_defaults(run, rewriter);
  derive_model(run, rewriter);
  derive_batch(run);
  derive_pipeline(run, rewriter);
  derive_mesh(run, rewriter);
  describe_degrees(run);
  return run;
}

}  // namespace primus_plan::maxtext
