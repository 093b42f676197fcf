#include "backends/megatron/derive/derive.h"

namespace primus_plan::megatron {

void derive_batch(MegatronRun& run, Rewriter& rewriter) {
  MegatronConfig& config = run.config;
  Batch& batch = run.batch;
  batch.sequence_length = config.seq_length.value.value_or(config.encoder_seq_length.value.value_or(0));
  batch.micro = config.micro_batch_size.value.value_or(0);
  if (batch.micro <= 0 || run.degrees.data <= 0) {
    batch.global = config.global_batch_size.value.value_or(0);
    return;
  }
  Int one_step = 0;
  if (__builtin_mul_overflow(batch.micro, run.degrees.data, &one_step)) return;
  if (!config.global_batch_size.value) {
    rewriter.set(config.global_batch_size, one_step, "unset: one micro-batch on each data-parallel rank");
  }
  batch.global = *config.global_batch_size.value;
  if (batch.global <= 0) return;
  // num_microbatches_calculator.py: the running batch is rounded down only with decrease_batch_size_if_needed.
  const bool divides = batch.global % one_step == 0;
  if (divides || *config.decrease_batch_size_if_needed) batch.accumulation_steps = batch.global / one_step;
}

}  // namespace primus_plan::megatron
