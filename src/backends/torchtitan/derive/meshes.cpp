#include <charconv>

#include "backends/torchtitan/derive/derive.h"
#include "primus_plan/support/number.h"

namespace primus_plan::torchtitan {
namespace {

bool degrees_are_usable(const TorchTitanRun& run) {
  for (const Count* degree : {&run.config.data_parallel_replicate_degree, &run.config.context_parallel_degree,
                              &run.config.tensor_parallel_degree, &run.config.pipeline_parallel_degree,
                              &run.config.expert_parallel_degree, &run.config.expert_tensor_parallel_degree}) {
    if (**degree < 1 || run.is_unreadable(degree->key)) return false;
  }
  return !run.is_unreadable(run.config.data_parallel_shard_degree.key);
}

}  // namespace

void derive_ranks(TorchTitanRun& run) {
  run.ranks = run.launch.world_size;
  const std::string_view mode = *run.config.comm_mode;
  if (mode != "fake_backend" && mode != "local_tensor") return;
  const auto text = run.environment.get("NGPU");
  Int simulated = 0;
  if (text && std::from_chars(text->data(), text->data() + text->size(), simulated).ec == std::errc{})
    run.ranks = simulated;
}

void derive_meshes(TorchTitanRun& run, Rewriter& rewriter) {
  TorchTitanConfig& config = run.config;
  Degrees& degrees = run.degrees;
  degrees.tensor = run.tp();
  degrees.pipeline = run.pp();
  degrees.context = run.cp();
  degrees.expert = run.ep();
  degrees.expert_tensor = run.etp();
  degrees.data_replicate = run.replicate();
  if (!degrees_are_usable(run)) return;

  const Int others =
      saturating_multiply(saturating_multiply(run.replicate(), run.cp()), saturating_multiply(run.tp(), run.pp()));
  if (*config.data_parallel_shard_degree == -1 && run.world() / others >= 1) {
    rewriter.set(config.data_parallel_shard_degree, run.world() / others, "-1: world / (replicate x CP x TP x PP)");
  }
  const Int shard = *config.data_parallel_shard_degree;
  if (shard < 1 || saturating_multiply(others, shard) != run.world()) return;

  const Int dense = shard * run.cp() * run.tp();
  const Int experts = saturating_multiply(run.ep(), run.etp());
  run.meshes = {.pp = run.pp(),
                .batch = run.replicate() * shard,
                .loss = run.replicate() * shard * run.cp(),
                .dp_replicate = run.replicate(),
                .dp_shard = shard,
                .fsdp = shard * run.cp(),
                .cp = run.cp(),
                .tp = run.tp(),
                .ep = run.ep(),
                .efsdp = dense % experts == 0 ? dense / experts : 0,
                .etp = run.etp()};
  run.sequence_divisor = 2 * run.cp() * run.tp();
  degrees.data = run.meshes.batch;
  degrees.data_shard = shard;
  degrees.expert_data = run.replicate() * run.meshes.efsdp;
}

}  // namespace primus_plan::torchtitan
