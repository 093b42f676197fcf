#include "backends/megatron/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {

void derive_batch(MegatronRun& run, Rewriter& rewriter) {
  MegatronConfig& config = run.config;
  Batch& batch = run.batch;
  batch.sequence_length = config.seq_length.value.value_or(config.encoder_seq_length.value.value_or(0));
  batch.micro = config.micro_batch_size.value.value_or(0);
  batch.global = config.global_batch_size.value.value_or(0);
  if (batch.micro <= 0 || run.degrees.data <= 0 || config.global_batch_size.is_unreadable) return;

  if (!config.global_batch_size.value) {
    const auto one_step = checked_multiply(batch.micro, run.degrees.data);
    if (!one_step) return;
    rewriter.set(config.global_batch_size, *one_step, "unset: one micro-batch on each data-parallel rank");
    batch.global = *one_step;
  }
  if (batch.global <= 0) return;
  run.micro_batch_input = {.global = batch.global,
                           .micro = batch.micro,
                           .data = run.degrees.data,
                           .decrease = *config.decrease_batch_size_if_needed,
                           .ramp_up = run.parsed.ramp_up};
  run.micro_batch_start = start_microbatches(run.micro_batch_input);
  if (run.micro_batch_start.fault) return;
  batch.accumulation_steps = run.micro_batch_start.value.count;
  batch.starts_empty = batch.accumulation_steps == 0;
  // With a ramp the step grows to the nominal batch; without one the running batch is what every step takes.
  if (!run.parsed.ramp_up) batch.global = run.micro_batch_start.value.running;
}

}  // namespace primus_plan::megatron
