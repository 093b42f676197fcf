#include <algorithm>

#include "backends/common/choices.h"
#include "backends/torchtitan/fields.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/text.h"

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
  memory_budget,
  experts
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
    {.key = "training.dataset", .outcome = "AttributeError where its name is looked up"},
    {.key = "training.dtype", .outcome = "KeyError"},
    {.key = "training.mixed_precision_param", .reader = Reader::fsdp, .outcome = "KeyError"},
    {.key = "training.mixed_precision_reduce", .reader = Reader::fsdp, .outcome = "KeyError"},
    {.key = "activation_checkpoint.mode", .outcome = "ValueError: only the string none switches it off"},
    {.key = "activation_checkpoint.selective_ac_option",
     .reader = Reader::selective,
     .outcome = "AttributeError: a number has to be text here"},
    {.key = "activation_checkpoint.memory_budget", .reader = Reader::memory_budget},
    {.key = "model.name", .outcome = "ValueError"},
    {.key = "model.flavor", .outcome = "KeyError"},
    {.key = "model.n_layers", .whole_float_stops = true},
    {.key = "model.n_heads", .whole_float_stops = true},
    {.key = "model.n_kv_heads", .whole_float_stops = true},
    {.key = "model.dim", .whole_float_stops = true},
    {.key = "model.max_seq_len", .outcome = compares},
    {.key = "model.attn_type", .outcome = "ValueError: only words name an attention"},
    {.key = "model.moe_args", .outcome = "AttributeError where the model reads its routing"},
    {.key = "model.moe_args.num_experts", .reader = Reader::experts, .whole_float_stops = true},
    {.key = "model.moe_args.num_shared_experts", .reader = Reader::experts, .whole_float_stops = true},
    {.key = "model.moe_args.top_k", .reader = Reader::experts, .whole_float_stops = true},
    {.key = "model.moe_args.num_expert_groups", .reader = Reader::experts, .whole_float_stops = true},
    {.key = "model.moe_args.num_limited_groups", .reader = Reader::experts, .whole_float_stops = true},
    {.key = "model.moe_args.score_func", .reader = Reader::experts, .outcome = "NotImplementedError"},
    {.key = "model.moe_args.route_scale", .reader = Reader::experts},
    {.key = "model.moe_args.load_balance_coeff", .reader = Reader::experts, .outcome = compares},
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
    {.key = "validation.dataset",
     .reader = Reader::validation,
     .outcome = "AttributeError where its name is looked up"},
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
    case Reader::experts:
      return run.model().moe;
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

/// The words that YAML's false (off, no) and true (on, yes) stand for where a key has words of its own.
struct SwitchWords {
  std::string_view key;
  std::string_view off;
  std::string_view on = {};
};
constexpr SwitchWords switch_words[] = {
    {"activation_checkpoint.mode", "none"},
    {"checkpoint.async_mode", "disabled", "async"},
    {"parallelism.context_parallel_load_balancer", "null"},
    {"parallelism.fsdp_reshard_after_forward", "never", "always"},
};

std::string_view word_of_switch(std::string_view key, bool on) {
  for (const SwitchWords& words : switch_words) {
    if (words.key == key) return on ? words.on : words.off;
  }
  return {};
}

template <class Named>
std::vector<std::string_view> names_of(std::span<const Named> all) {
  std::vector<std::string_view> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

/// The words of a key that takes no others; empty for free text, and for numbers as text.
std::vector<std::string_view> words_of(std::string_view key, const TorchTitanRun& run) {
  if (key == "model.name") return names_of(models());
  if (key == "model.flavor" && run.parsed.model != nullptr) return names_of(run.parsed.model->flavors);
  if (key == "parallelism.pipeline_parallel_schedule") return names_of(schedules());
  if (key == "training.dataset" || key == "validation.dataset") return split_choices("c4|c4_test|c4_validation");
  if (key == "model.attn_type") return split_choices("sdpa|flex|varlen");
  if (key == "model.moe_args.score_func") return split_choices("sigmoid|softmax");
  if (key == "optimizer.name") return split_choices("Adam|AdamW");
  if (key == "parallelism.context_parallel_load_balancer") return split_choices("headtail|ptrr|null");
  for (const Field<TorchTitanConfig>& field : fields()) {
    if (field.name == key && !field.choices.empty()) return split_choices(field.choices);
  }
  return {};
}

/// Text is expected and something else is there. In quotes it would be text, but rarely one of the key's words.
void help_with_text(Message& m, const BadValue& bad, const TorchTitanRun& run) {
  const Node& node = *bad.node;
  const bool is_switch = node.kind == Kind::boolean;
  if (is_switch) m.because("YAML reads on, off, yes and no as true and false");
  const std::string_view meant = is_switch ? word_of_switch(bad.key, node.boolean) : std::string_view();
  if (!meant.empty()) {
    m.help("did you mean {}?", meant);
    m.fix(fmt::format("set {} to {}", bad.key, meant), node.origin, std::string(meant));
    return;
  }
  if (const auto words = words_of(bad.key, run); !words.empty()) {
    m.help("it is one of {}", join(words, ", "));
    return;
  }
  if (help_with_token(m, bad.key, to_text(node), node.origin)) return;
  m.help("put the {} in quotes", is_switch ? "word" : "value");
  if (!is_switch) m.fix("put the value in quotes", node.origin, fmt::format("\"{}\"", node.integer), true);
}

void say_type(Message& m, const BadValue& bad, const TorchTitanRun& run) {
  const Node& node = *bad.node;
  if (node.kind == Kind::big_integer) {
    m.say("{} is {}: an integer beyond 64 bits, more than torch can count", bad.key, to_text(node));
    return;
  }
  m.say("{} is {}, where TorchTitan expects {}", bad.key,
        node.is_null() ? std::string("null") : fmt::format("{} ({})", to_text(node), to_string(node.kind)),
        bad.expected);
  if (bad.expected == "a string" && (node.kind == Kind::integer || node.kind == Kind::boolean)) {
    help_with_text(m, bad, run);
  } else if (is_number_text(node) && node.quoted) {
    m.help("drop the quotes");
    m.fix("drop the quotes", node.origin, node.text, true);
  } else if (is_quoted_token(node)) {
    m.help("drop the quotes: on the command line they belong to the value");
  } else if (bad.expected == "true or false" && (node.text == "true" || node.text == "false")) {
    m.help("drop the quotes");
    m.fix("drop the quotes", node.origin, node.text);
  } else if (is_number_text(node) && node.text.find_first_of("eE") != std::string::npos) {
    m.because("YAML 1.1 reads a number like 1e-5 as text: its mantissa needs a dot");
    m.help("write 1.0e-5 for 1e-5");
  }
}

/// Of the configuration and of what stands below model.moe_args.
template <class Visit>
void for_each_bad_value(const TorchTitanRun& run, const Visit& visit) {
  for (const BadValue& bad : run.given.bad_values) visit(bad);
  for (const BadValue& bad : run.parsed.bad_moe_values) visit(bad);
}

void type_stops(const TorchTitanRun& run, Findings& out) {
  for_each_bad_value(run, [&](const BadValue& bad) {
    if (!stops(bad, run)) return;
    out.add(bad.node->origin, [&](Message& m) {
      say_type(m, bad, run);
      if (bad.node->kind != Kind::big_integer)
        m.because("nothing converts it on the way: {}", fate_of(bad.key)->outcome);
    });
  });
}

void type_goes_on(const TorchTitanRun& run, Findings& out) {
  for_each_bad_value(run, [&](const BadValue& bad) {
    if (stops(bad, run)) return;
    out.add(bad.node->origin, [&](Message& m) {
      say_type(m, bad, run);
      if (bad.expected == "true or false")
        m.because("Python asks the value for its truth: only 0, null and empty things are false");
    });
  });
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
