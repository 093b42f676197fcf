#include "backends/torchtitan/rules/say.h"

#include "backends/torchtitan/worlds.h"
#include "primus_plan/support/number.h"

namespace primus_plan::torchtitan {

void help_with_worlds(Message& message, const TorchTitanRun& run) {
  const Int smallest = smallest_world(run.given);
  if (smallest <= 0) return;
  if (*run.given.data_parallel_shard_degree != -1 || smallest > largest_launch) {
    message.help("these degrees make a world of {}", counted(smallest, "rank"));
  } else {
    message.help("nearest world sizes that the degrees divide: {}",
                 numbers_text(multiples_around(run.world(), smallest)));
  }
}

void because_of_shard(Message& message, const TorchTitanRun& run) {
  if (*run.given.data_parallel_shard_degree != -1) return;
  message.because("data_parallel_shard_degree {} = world {} / (replicate {} x CP {} x TP {} x PP {})",
                  run.meshes.dp_shard, run.world(), run.replicate(), run.cp(), run.tp(), run.pp());
}

void because_of_data_parallel(Message& message, const TorchTitanRun& run) {
  message.because("data-parallel degree {} = replicate {} x shard {}", run.meshes.batch, run.replicate(),
                  run.meshes.dp_shard);
  because_of_shard(message, run);
}

std::string model_text(const TorchTitanRun& run) {
  return fmt::format("{} {}", *run.config.model_name, *run.config.model_flavor);
}

std::string quoted(std::string_view text) {
  return text.data() == nullptr ? std::string("null") : fmt::format("'{}'", text);
}

}  // namespace primus_plan::torchtitan
