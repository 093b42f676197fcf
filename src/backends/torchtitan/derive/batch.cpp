#include "backends/torchtitan/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::torchtitan {

void derive_batch(TorchTitanRun& run, Rewriter& rewriter) {
  TorchTitanConfig& config = run.config;
  Batch& batch = run.batch;
  if (!run.is_unreadable(config.seq_len.key)) batch.sequence_length = *config.seq_len;
  if (!run.is_unreadable(config.local_batch_size.key) && *config.local_batch_size > 0)
    batch.micro = *config.local_batch_size;
  if (run.is_unreadable(config.global_batch_size.key)) return;
  const auto one_step = checked_multiply(batch.micro, run.meshes.batch);
  if (one_step && *one_step > 0 && *config.global_batch_size < 0) {
    rewriter.set(config.global_batch_size, *one_step,
                 "negative: local_batch_size on each data-parallel rank, one accumulation step");
  }
  if (*config.global_batch_size <= 0) return;
  batch.global = *config.global_batch_size;
  if (one_step && *one_step > 0 && batch.global % *one_step == 0) batch.accumulation_steps = batch.global / *one_step;
}

}  // namespace primus_plan::torchtitan
