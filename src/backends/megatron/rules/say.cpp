#include "backends/megatron/rules/say.h"

#include "backends/megatron/worlds.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {

const Count& largest_of(std::initializer_list<const Count*> fields) {
  const Count* best = *fields.begin();
  for (const Count* field : fields) {
    const bool better = field->is_explicit && (!best->is_explicit || field->value > best->value);
    if (better) best = field;
  }
  return *best;
}

std::string nearest_text(Int value, Int step) {
  const auto [below, above] = nearest_multiples(value, step);
  std::string text = below ? fmt::format("{}", *below) : "";
  if (above) text += fmt::format("{}{}", text.empty() ? "" : ", ", *above);
  return text;
}

void help_with_worlds(Message& message, const MegatronRun& run) {
  const Int smallest = smallest_world(run.given);
  if (smallest > 0) message.help("nearest legal world sizes: {}", nearest_text(run.world(), smallest));
}

void because_of_dp(Message& message, const MegatronRun& run) {
  message.because("DP {} = world {} / (TP {} x PP {} x CP {})", run.dp(), run.world(), run.tp(), run.pp(), run.cp());
}

void because_of_expert_dp(Message& message, const MegatronRun& run) {
  message.because("expert DP {} = world {} / (ETP {} x EP {} x PP {})", run.degrees.expert_data, run.world(),
                  run.degrees.expert_tensor, run.ep(), run.pp());
}

}  // namespace primus_plan::megatron
