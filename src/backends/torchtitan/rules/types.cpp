#include <algorithm>

#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"

// Values of a type that TorchTitan does not expect. Primus bypasses its parser, so nothing converts them: they travel
// as they are to the line that uses them.

namespace primus_plan::torchtitan {
namespace {

enum class Reader : std::uint8_t {
  every_run,
  pipeline,
  fsdp,
  context_parallel,
  selective,
  validation,
  checkpoint,
  profiler,
  float8,
  memory_budget
};

/// What a wrong type does where the key is read.
struct Fate {
  std::string_view key;
  Reader reader = Reader::every_run;
  const char* outcome = "TypeError";
  bool whole_float_stops = false;  ///< 4.0 where 4 is meant
  bool boolean_stops = false;      ///< true where 1 is meant
};

constexpr const char* compares = "TypeError where it is compared with a number";

constexpr Fate fates[] = {
    {.key = "parallelism.data_parallel_replicate_degree", .outcome = compares, .whole_float_stops = true},
    {.key = "parallelism.data_parallel_shard_degree", .outcome = compares, .whole_float_stops = true},
    {.key = "parallelism.context_parallel_degree", .outcome = compares, .whole_float_stops = true},
    {.key = "parallelism.tensor_parallel_degree", .outcome = compares, .whole_float_stops = true},
    {.key = "parallelism.pipeline_parallel_degree", .outcome = compares, .whole_float_stops = true},
    {.key = "parallelism.expert_parallel_degree", .outcome = compares, .whole_float_stops = true},
    {.key = "parallelism.expert_tensor_parallel_degree", .outcome = compares, .whole_float_stops = true},
    {.key = "parallelism.pipeline_parallel_microbatch_size", .reader = Reader::pipeline, .whole_float_stops = true},
    {.key = "parallelism.pipeline_parallel_layers_per_stage", .reader = Reader::pipeline},
    {.key = "parallelism.pipeline_parallel_first_stage_less_layers",
     .reader = Reader::pipeline,
     .whole_float_stops = true},
    {.key = "parallelism.pipeline_parallel_last_stage_less_layers",
     .reader = Reader::pipeline,
     .whole_float_stops = true},
    {.key = "parallelism.pipeline_parallel_schedule", .reader = Reader::pipeline, .outcome = "AttributeError"},
    {.key = "parallelism.pipeline_parallel_schedule_csv", .reader = Reader::pipeline},
    {.key = "parallelism.fsdp_reshard_after_forward", .reader = Reader::fsdp, .outcome = "ValueError"},
    {.key = "parallelism.context_parallel_load_balancer", .reader = Reader::context_parallel, .outcome = "ValueError"},
    {.key = "training.local_batch_size",
     .outcome = "ValueError in the data loader",
     .whole_float_stops = true,
     .boolean_stops = true},
    {.key = "training.global_batch_size", .outcome = compares, .whole_float_stops = true},
    {.key = "training.seq_len", .outcome = compares, .whole_float_stops = true},
    {.key = "training.steps", .outcome = compares},
    {.key = "training.gc_freq", .outcome = compares},
    {.key = "training.dtype", .outcome = "KeyError"},
    {.key = "training.mixed_precision_param", .reader = Reader::fsdp, .outcome = "KeyError"},
    {.key = "training.mixed_precision_reduce", .reader = Reader::fsdp, .outcome = "KeyError"},
    {.key = "activation_checkpoint.mode", .outcome = "ValueError: only the string none switches it off"},
    {.key = "activation_checkpoint.selective_ac_option",
     .reader = Reader::selective,
     .outcome = "AttributeError: the number has to be in quotes"},
    {.key = "activation_checkpoint.memory_budget", .reader = Reader::memory_budget},
    {.key = "model.name", .outcome = "ValueError"},
    {.key = "model.flavor", .outcome = "KeyError"},
    {.key = "model.n_layers", .whole_float_stops = true},
    {.key = "model.n_heads", .whole_float_stops = true},
    {.key = "model.n_kv_heads", .whole_float_stops = true},
    {.key = "model.dim", .whole_float_stops = true},
    {.key = "model.max_seq_len", .outcome = compares},
    {.key = "optimizer.name", .outcome = "NotImplementedError"},
    {.key = "optimizer.implementation", .outcome = "AssertionError"},
    {.key = "optimizer.lr", .outcome = compares},
    {.key = "optimizer.eps", .outcome = compares},
    {.key = "optimizer.beta1", .outcome = compares},
    {.key = "optimizer.beta2", .outcome = compares},
    {.key = "optimizer.weight_decay", .outcome = compares},
    {.key = "lr_scheduler.decay_ratio"},
    {.key = "lr_scheduler.total_steps", .outcome = compares},
    {.key = "metrics.log_freq"},
    {.key = "validation.steps", .outcome = compares},
    {.key = "validation.freq", .reader = Reader::validation},
    {.key = "validation.local_batch_size",
     .reader = Reader::validation,
     .outcome = "ValueError in the data loader",
     .whole_float_stops = true,
     .boolean_stops = true},
    {.key = "validation.seq_len", .reader = Reader::validation, .whole_float_stops = true},
    {.key = "checkpoint.interval", .reader = Reader::checkpoint},
    {.key = "checkpoint.keep_latest_k", .reader = Reader::checkpoint, .outcome = compares},
    {.key = "checkpoint.load_step", .reader = Reader::checkpoint},
    {.key = "checkpoint.export_dtype", .reader = Reader::checkpoint, .outcome = "KeyError"},
    {.key = "profiling.profile_freq", .reader = Reader::profiler},
    {.key = "quantize.linear.float8.recipe_name", .reader = Reader::float8, .outcome = "ValueError"},
};

const Fate* fate_of(std::string_view key) {
  const auto* found =
      std::find_if(std::begin(fates), std::end(fates), [&](const Fate& fate) { return fate.key == key; });
  return found == std::end(fates) ? nullptr : found;
}

bool reads(const TorchTitanRun& run, Reader reader) {
  switch (reader) {
    case Reader::every_run:
      return true;
    case Reader::pipeline:
      return run.pp() > 1;
    case Reader::fsdp:
      return run.shards();
    case Reader::context_parallel:
      return run.cp() > 1;
    case Reader::selective:
      return *run.config.ac_mode == "selective";
    case Reader::validation:
      return *run.config.validation_enable;
    case Reader::checkpoint:
      return *run.config.checkpoint_enable;
    case Reader::profiler:
      return *run.config.profiling_enable_profiling;
    case Reader::float8:
      return run.parsed.converters.float8_linear;
    case Reader::memory_budget:
      return *run.config.ac_mode == "memory_budget";
  }
  return true;
}

bool stops(const BadValue& bad, const TorchTitanRun& run) {
  const Fate* fate = fate_of(bad.key);
  if (fate == nullptr || !reads(run, fate->reader)) return false;
  if (bad.node->kind == Kind::real) return fate->whole_float_stops || !bad.usable;
  if (bad.node->kind == Kind::boolean && bad.usable) return fate->boolean_stops;
  return !bad.usable;
}

/// A word or number in quotes that is a number: the quotes are the fault.
bool is_number_text(const Node& node) {
  return node.is_string() && !node.text.empty() &&
         node.text.find_first_not_of("0123456789.+-eE_") == std::string::npos &&
         node.text.find_first_of("0123456789") != std::string::npos;
}

void say_type(Message& m, const BadValue& bad) {
  const Node& node = *bad.node;
  if (node.kind == Kind::big_integer) {
    m.say("{} is {}: an integer beyond 64 bits, more than torch can count", bad.key, to_text(node));
    return;
  }
  m.say("{} is {}, where TorchTitan expects {}", bad.key,
        node.is_null() ? std::string("null") : fmt::format("{} ({})", to_text(node), to_string(node.kind)),
        bad.expected);
  if (bad.expected == "a string" && node.kind == Kind::integer) {
    m.help("put the value in quotes");
    m.fix("put the value in quotes", node.origin, fmt::format("\"{}\"", node.integer), true);
  } else if (is_number_text(node) && node.quoted) {
    m.help("drop the quotes");
    m.fix("drop the quotes", node.origin, node.text, true);
  } else if (bad.expected == "true or false" && (node.text == "true" || node.text == "false")) {
    m.help("drop the quotes");
    m.fix("drop the quotes", node.origin, node.text);
  } else if (is_number_text(node) && node.text.find_first_of("eE") != std::string::npos) {
    m.because("YAML 1.1 reads a number like 1e-5 as text: its mantissa needs a dot");
    m.help("write 1.0e-5 for 1e-5");
  } else if (bad.expected == "a string" && node.kind == Kind::boolean) {
    m.because("YAML reads on, off, yes and no as true and false");
    m.help("put the word in quotes");
  }
}

void type_stops(const TorchTitanRun& run, Findings& out) {
  for (const BadValue& bad : run.given.bad_values) {
    if (!stops(bad, run)) continue;
    out.add(bad.node->origin, [&](Message& m) {
      say_type(m, bad);
      if (bad.node->kind != Kind::big_integer)
        m.because("nothing converts it on the way: {}", fate_of(bad.key)->outcome);
    });
  }
}

void type_goes_on(const TorchTitanRun& run, Findings& out) {
  for (const BadValue& bad : run.given.bad_values) {
    if (stops(bad, run)) continue;
    out.add(bad.node->origin, [&](Message& m) {
      say_type(m, bad);
      if (bad.expected == "true or false")
        m.because("Python asks the value for its truth: only 0, null and empty things are false");
    });
  }
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT821",
      .name = "torchtitan-type-stops",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "primus/backends/torchtitan/config_utils.py:_dict_to_dataclass",
      .outcome = "TorchTitan stops at the line that uses the value",
      .summary = "Values have the type of their key.",
      .explanation = "Primus fills TorchTitan's configuration itself and bypasses the parser that would convert or "
                     "refuse a value. \"2\" stays a string, 2.0 a float, 1e-5 a string (YAML 1.1 wants 1.0e-5). "
                     "${VAR} is converted, and the string \"null\" is null.",
      .bad = {.world_size = 8, .yaml = "parallelism:\n  tensor_parallel_degree: \"2\"\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  tensor_parallel_degree: 2\n"}},
     type_stops},
    {{.id = "TT822",
      .name = "torchtitan-type-goes-on",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = "primus/backends/torchtitan/config_utils.py:_dict_to_dataclass",
      .outcome = "the run goes on with what Python makes of the value",
      .summary = "A value of the wrong type may go unnoticed.",
      .explanation = "A quoted \"false\" is true, true is 1, and a key that this launch does not read is not "
                     "looked at.",
      .bad = {.world_size = 8,
              .yaml = "parallelism:\n  disable_loss_parallel: \"false\"\n  tensor_parallel_degree: 2\n"},
      .good = {.world_size = 8, .yaml = "parallelism:\n  disable_loss_parallel: false\n  tensor_parallel_degree: 2\n"}},
     type_goes_on},
};

}  // namespace

RuleList type_rules() { return rules; }

}  // namespace primus_plan::torchtitan
