#include "backends/megatron/rules/say.h"

#include "backends/megatron/worlds.h"

namespace primus_plan::megatron {

void help_with_worlds(Message& message, const MegatronRun& run) {
  const Int smallest = smallest_world(run.given);
  if (smallest > largest_launch) {
    message.help("the degrees multiply to {} GPUs: lower the largest one", smallest);
  } else if (smallest > 0) {
    message.help("nearest legal world sizes: {}", nearest_text(run.world(), smallest));
  }
}

void because_of_dp(Message& message, const MegatronRun& run) {
  message.because("DP {} = world {} / (TP {} x PP {} x CP {})", run.dp(), run.world(), run.tp(), run.pp(), run.cp());
}

void because_of_expert_dp(Message& message, const MegatronRun& run) {
  message.because("expert DP {} = world {} / (ETP {} x EP {} x PP {})", run.degrees.expert_data, run.world(),
                  run.degrees.expert_tensor, run.ep(), run.pp());
}

}  // namespace primus_plan::megatron
