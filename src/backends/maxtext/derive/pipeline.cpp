#include "backends/maxtext/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::maxtext {

void derive_pipeline(MaxTextRun& run, Rewriter& rewriter) {
  MaxTextConfig& config = run.config;
  if (*config.pipeline_parallel_layers == -1 && run.model.layers > 0) {
    const bool deepseek = *config.decoder_block == "deepseek";
    rewriter.set(config.pipeline_parallel_layers, run.model.layers - (deepseek ? *config.first_num_dense_layers : 0),
                 deepseek ? "-1: the decoder's layers without the dense ones" : "-1: all layers of the decoder");
  }
  // A -1 does not switch pipelining on.
  if (*config.ici_pipeline_parallelism <= 1 && *config.dcn_pipeline_parallelism <= 1) return;
  run.pipelining = true;
  run.pipeline_stages = saturating_multiply(*config.ici_pipeline_parallelism, *config.dcn_pipeline_parallelism);
  const Int stages = run.pipeline_stages;
  const Int round = saturating_multiply(stages, *config.num_layers_per_pipeline_stage);
  const Int layers = *config.pipeline_parallel_layers;
  if (*config.num_pipeline_repeats == -1 && round != 0 && floor_remainder(layers, round) == 0) {
    rewriter.set(config.num_pipeline_repeats, floor_divide(layers, round),
                 "-1: pipelined layers / (stages x layers per stage)");
  }
  if (*config.num_pipeline_microbatches == -1) {
    const bool delayed = *config.pipeline_delay_activation_forwarding;
    rewriter.set(config.num_pipeline_microbatches, saturating_multiply(delayed ? 2 : 1, stages),
                 delayed ? "-1: two for each stage with delayed forwarding" : "-1: one for each stage");
  }
}

}  // namespace primus_plan::maxtext
