#include "backends/megatron/rules/say.h"

#include "backends/megatron/rules/legal_values.h"
#include "backends/megatron/worlds.h"
#include "support/product_text.h"

namespace primus_plan::megatron {

void help_with_worlds(Message& message, const MegatronRun& run) {
  const Int smallest = smallest_world(run.given);
  if (smallest > largest_launch) {
    message.help("the degrees multiply to {} GPUs: lower the largest one", product_text(smallest));
  } else if (smallest > 0) {
    const std::vector<Int> legal = nearest_legal_worlds(run, smallest);
    message.help("nearest world sizes that {}: {}", legal.empty() ? "the degrees divide" : "mend this",
                 numbers_text(legal.empty() ? multiples_around(run.world(), smallest) : legal));
  }
}

void help_with_pipeline_sizes(Message& message, const MegatronRun& run, Int parts, Int most) {
  message.help(
      "pipeline_model_parallel_size that divides {}: {}", parts,
      numbers_text(legal_among(run, &MegatronConfig::pipeline_model_parallel_size, divisors_up_to(parts, most))));
}

namespace {

void also_if_set(Message& message, const MaybeCount& key) {
  if (key.value) message.also(key, fmt::format("{} set here", key.key));
}

}  // namespace

void also_chunk_keys(Message& message, const MegatronRun& run) {
  also_if_set(message, run.config.num_virtual_stages_per_pipeline_rank);
  also_if_set(message, run.config.num_layers_per_virtual_pipeline_stage);
  const Raw& layout = run.config.pipeline_model_parallel_layout;
  if (layout.value != nullptr) message.also(layout, "pipeline_model_parallel_layout set here");
}

void also_uneven_ends(Message& message, const MegatronRun& run) {
  also_if_set(message, run.config.decoder_first_pipeline_num_layers);
  also_if_set(message, run.config.decoder_last_pipeline_num_layers);
}

void because_of_dp(Message& message, const MegatronRun& run) {
  message.because("DP {} = world {} / (TP {} x PP {} x CP {})", run.dp(), run.world(), run.tp(), run.pp(), run.cp());
}

void because_of_expert_dp(Message& message, const MegatronRun& run) {
  message.because("expert DP {} = world {} / (ETP {} x EP {} x PP {})", run.degrees.expert_data, run.world(),
                  run.degrees.expert_tensor, run.ep(), run.pp());
}

}  // namespace primus_plan::megatron
