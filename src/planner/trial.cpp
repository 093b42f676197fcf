#include "primus_plan/planner/trial.h"

#include <array>
#include <utility>

#include "primus_plan/planner/repair.h"
#include "primus_plan/support/number.h"
#include "support/whole_number.h"

namespace primus_plan {
namespace {

constexpr Degrees no_degrees{
    .tensor = 0, .pipeline = 0, .virtual_pipeline = 0, .context = 0, .expert = 0, .expert_tensor = 0};

/// Degrees that have keys of their own, in the order they are asked for.
constexpr std::array<std::int64_t Degrees::*, 7> keyed{
    &Degrees::tensor,        &Degrees::pipeline,       &Degrees::context,   &Degrees::expert,
    &Degrees::expert_tensor, &Degrees::data_replicate, &Degrees::data_shard};

bool asks_for_any(const Degrees& degrees) {
  for (const auto degree : keyed) {
    if (degrees.*degree > 0) return true;
  }
  return false;
}

void append(const std::vector<std::pair<std::string, std::string>>& overrides, std::vector<KeyValue>& out) {
  for (const auto& [key, value] : overrides) out.push_back({key, override_value(value)});
}

/// Whether each degree of a backend is a key of its own. MaxText's are placed on two meshes together.
bool has_a_key_each(const Backend& backend) {
  Degrees one = no_degrees;
  one.tensor = 2;
  return backend.degree_overrides(one, {}).size() == 1;
}

/// A batch per device: whole numbers stay whole.
NodePtr per_device(std::int64_t samples, std::int64_t devices) {
  if (samples % devices == 0) return make_integer(samples / devices);
  return make_real(static_cast<double>(samples) / static_cast<double>(devices));
}

}  // namespace

NodePtr override_value(const std::string& text) {
  const auto number = whole_number(text);
  return number ? make_integer(*number) : make_string(text);
}

Launch changed_launch(Launch launch, std::int64_t world_size, std::int64_t nodes) {
  if (world_size <= 0 && nodes <= 0) return launch;
  launch.assumed = false;
  if (nodes > 0) {
    launch.nodes = nodes;
    launch.world_size = saturating_multiply(nodes, launch.gpus_per_node);
  }
  if (world_size > 0) {
    launch.world_size = world_size;
    launch.nodes = (world_size - 1) / launch.gpus_per_node + 1;
  }
  return launch;
}

Launch Trials::launch_of(const Wish& wish) const {
  return changed_launch(base_.run.launch, wish.world_size, wish.nodes);
}

bool Trials::add_virtual_pipeline(std::int64_t chunks, std::vector<KeyValue>& out) const {
  if (!has_a_key_each(backend_)) {
    if (base_.run.keys.virtual_pipeline.name == nullptr) return false;
    out.push_back({base_.run.keys.virtual_pipeline.name, make_integer(chunks)});
    return true;
  }
  // One chunk is the default: nothing asks for it, so the key that asks for more goes back to what it is without.
  Degrees wanted = no_degrees;
  wanted.virtual_pipeline = chunks > 1 ? chunks : 2;
  const auto overrides = backend_.degree_overrides(wanted, base_.run.launch);
  if (overrides.empty()) return false;
  for (const auto& [key, value] : overrides) {
    NodePtr node = override_value(value);
    if (chunks == 1) node = node->is_string() ? make_string("1F1B") : make_null();
    out.push_back({key, std::move(node)});
  }
  return true;
}

bool Trials::add_degrees(const Wish& wish, std::vector<KeyValue>& out) const {
  if (asks_for_any(wish.degrees)) {
    Degrees wanted = wish.degrees;
    wanted.virtual_pipeline = 0;
    if (!has_a_key_each(backend_)) {
      const Degrees& now = base_.run.degrees;
      for (const auto degree : {&Degrees::tensor, &Degrees::pipeline, &Degrees::context, &Degrees::expert}) {
        if (wanted.*degree <= 0) wanted.*degree = now.*degree;
      }
      if (wanted.data_replicate <= 0 && now.data_replicate == 1) wanted.data_replicate = 1;
    }
    const auto overrides = backend_.degree_overrides(wanted, launch_of(wish));
    if (overrides.empty()) return false;
    append(overrides, out);
  }
  return wish.degrees.virtual_pipeline <= 0 || add_virtual_pipeline(wish.degrees.virtual_pipeline, out);
}

bool Trials::add_batch(const Wish& wish, const Launch& launch, std::vector<KeyValue>& out) const {
  const RunKeys& keys = base_.run.keys;
  if (wish.sequence_length > 0) {
    if (keys.sequence_length.name == nullptr) return false;
    out.push_back({keys.sequence_length.name, make_integer(wish.sequence_length)});
  }
  if (wish.micro <= 0 && wish.global <= 0) return true;
  if (keys.micro_batch.name == nullptr) return false;
  if (keys.global_batch.name != nullptr) {
    if (wish.micro > 0) out.push_back({keys.micro_batch.name, make_integer(wish.micro)});
    if (wish.global > 0) out.push_back({keys.global_batch.name, make_integer(wish.global)});
    return true;
  }
  // The batch is given per device, and what a rank takes at once follows from the degrees: ask for them first.
  const RunDescription run = decide(out, launch, {.with_text = false}).run;
  if (run.degrees.data <= 0 || run.batch.accumulation_steps <= 0) return true;  // the rules say what is wrong
  const std::int64_t samples =
      wish.global > 0 ? wish.global / run.batch.accumulation_steps : saturating_multiply(wish.micro, run.degrees.data);
  if (wish.global > 0 && wish.global % run.batch.accumulation_steps != 0) return false;
  out.push_back({keys.micro_batch.name, per_device(samples, launch.world_size)});
  return true;
}

std::optional<std::vector<KeyValue>> Trials::keys_for(const Wish& wish) const {
  std::vector<KeyValue> out = wish.keys;
  if (!add_degrees(wish, out) || !add_batch(wish, launch_of(wish), out)) return std::nullopt;
  return out;
}

Module Trials::changed(const std::vector<KeyValue>& changes) const {
  Module out = module_;
  for (const KeyValue& change : changes) out.params = with_value(out.params, change.key, change.value);
  return out;
}

Analysis Trials::decide(const std::vector<KeyValue>& changes, const Launch& launch,
                        const AnalyzeOptions& options) const {
  const Module module = changed(changes);
  return backend_.prepare(module, environment_)->decide(launch, options);
}

std::optional<Trial> Trials::run(const Wish& wish, bool with_text) const {
  auto changes = keys_for(wish);
  if (!changes) return std::nullopt;
  Trial out{.changes = *std::move(changes), .analysis = {}, .estimate = {}};
  out.analysis = decide(out.changes, launch_of(wish), {.with_text = with_text, .with_workload = true});
  const Workload* workload = out.analysis.workload.get();
  if (out.is_legal() && workload != nullptr && !workload->model.kinds.empty()) {
    out.estimate = estimate_run(*workload, hardware_);
  }
  return out;
}

}  // namespace primus_plan
