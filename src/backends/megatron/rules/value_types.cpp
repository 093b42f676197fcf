#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/sites.h"
#include "primus_plan/diagnostics/findings.h"
#include "primus_plan/support/number.h"

namespace primus_plan::megatron {
namespace {

/// When Python stops for a value of a wrong type.
enum class Stops : std::uint8_t { no, in_arguments, later };

struct Strict {
  std::string_view key;
  Stops text;  ///< text, a list, null: nothing that has an order or a remainder
  Stops real;  ///< a float where an integer is meant
};

/// Keys that every run computes with. Sources: megatron/training/arguments.py:validate_args (comparisons and
/// remainders), megatron/core/parallel_state.py:RankGenerator (range() of a quotient of the degrees),
/// megatron/core/transformer/transformer_config.py:__post_init__; later: layers are counted and built with them, the
/// schedule counts micro-batches with range(), training.py computes with them.
constexpr Strict strict_keys[] = {
    {"adam_beta1", Stops::later, Stops::no},
    {"adam_beta2", Stops::later, Stops::no},
    {"adam_eps", Stops::later, Stops::no},
    {"attention_dropout", Stops::later, Stops::no},
    {"clip_grad", Stops::later, Stops::no},
    {"context_parallel_size", Stops::in_arguments, Stops::in_arguments},
    {"decoder_first_pipeline_num_layers", Stops::in_arguments, Stops::later},
    {"decoder_last_pipeline_num_layers", Stops::in_arguments, Stops::later},
    {"distributed_timeout_minutes", Stops::later, Stops::no},
    {"eval_interval", Stops::later, Stops::no},
    {"expert_model_parallel_size", Stops::in_arguments, Stops::in_arguments},
    {"expert_tensor_parallel_size", Stops::in_arguments, Stops::in_arguments},
    {"ffn_hidden_size", Stops::later, Stops::later},
    {"global_batch_size", Stops::in_arguments, Stops::later},
    {"hidden_dropout", Stops::later, Stops::no},
    {"hidden_size", Stops::later, Stops::later},
    {"init_method_std", Stops::later, Stops::no},
    {"kv_channels", Stops::later, Stops::later},
    {"layernorm_epsilon", Stops::later, Stops::no},
    {"log_interval", Stops::later, Stops::no},
    {"lr", Stops::in_arguments, Stops::no},
    {"lr_decay_iters", Stops::later, Stops::no},
    {"lr_warmup_init", Stops::later, Stops::no},
    {"lr_warmup_iters", Stops::later, Stops::no},
    {"lr_warmup_samples", Stops::in_arguments, Stops::no},
    {"max_position_embeddings", Stops::in_arguments, Stops::no},
    {"micro_batch_size", Stops::in_arguments, Stops::later},
    {"min_lr", Stops::in_arguments, Stops::no},
    {"num_attention_heads", Stops::in_arguments, Stops::later},
    {"num_dataset_builder_threads", Stops::in_arguments, Stops::no},
    {"num_experts", Stops::in_arguments, Stops::later},
    {"num_layers", Stops::in_arguments, Stops::later},
    {"num_layers_per_virtual_pipeline_stage", Stops::in_arguments, Stops::later},
    {"num_query_groups", Stops::in_arguments, Stops::later},
    {"num_virtual_stages_per_pipeline_rank", Stops::in_arguments, Stops::later},
    {"pipeline_model_parallel_size", Stops::in_arguments, Stops::in_arguments},
    {"seed", Stops::later, Stops::no},
    {"seq_length", Stops::in_arguments, Stops::no},
    {"tensor_model_parallel_size", Stops::in_arguments, Stops::in_arguments},
    {"train_iters", Stops::later, Stops::no},
    {"weight_decay", Stops::later, Stops::no},
};

Stops stops(const BadValue& bad) {
  const auto* at = std::ranges::find(strict_keys, std::string_view(bad.key), &Strict::key);
  if (at == std::end(strict_keys)) return Stops::no;
  switch (bad.node->kind) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::big_integer:
      return Stops::no;  // Python computes with them
    case Kind::real:
      return at->real;
    default:
      return at->text;
  }
}

/// The number that a text is in all but its type.
std::optional<double> number_in(const Node& node) {
  if (!node.is_string()) return std::nullopt;
  double value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [at, error] = std::from_chars(node.text.data(), end, value);
  return error == std::errc{} && at == end ? std::optional(value) : std::nullopt;
}

/// Such a text as YAML would have to read it: 8, 1.0e-5.
std::string plain_number(const Node& node) {
  if (!number_in(node)) return {};
  std::string out = node.text;
  const std::size_t exponent = out.find_first_of("eE");
  if (exponent != std::string::npos && out.find('.') == std::string::npos) out.insert(exponent, ".0");
  if (exponent != std::string::npos && out.find_first_of("+-", exponent) == std::string::npos) {
    out.insert(out.find_first_of("eE") + 1, "+");
  }
  return out;
}

/// The number in digits only, for a float, or a text that YAML would read as one if it could, where an integer is
/// expected and that is one.
std::string whole_number(const BadValue& bad) {
  if (!bad.expected.starts_with("an integer")) return {};
  const Node& node = *bad.node;
  const bool looks_real = node.is_string() && node.text.find_first_of(".eE") != std::string::npos;
  const std::optional<double> value = node.kind == Kind::real ? node.real : looks_real ? number_in(node) : std::nullopt;
  const bool whole = value && std::trunc(*value) == *value && std::abs(*value) < largest_exact_integer;
  return whole ? fmt::format("{:.0f}", *value) : std::string();
}

void help_with_number(const BadValue& bad, Message& m) {
  if (const std::string whole = whole_number(bad); !whole.empty()) {
    m.help("write {}", whole);
    m.fix("write the integer", bad.node->origin, whole, true);
    return;
  }
  if (bad.expected == "true or false" && (bad.node->text == "true" || bad.node->text == "false")) {
    m.help("write {} without quotes", bad.node->text);
    m.fix("drop the quotes", bad.node->origin, bad.node->text);
    return;
  }
  const std::string number = plain_number(*bad.node);
  if (number.empty()) return;
  if (bad.node->quoted) {
    m.help("write {} without quotes", number);
  } else if (number != bad.node->text) {
    m.help("write {}: YAML reads an exponent only after a dot and with a sign", number);
  } else {
    m.help("write {} alone", number);  // behind a tag: !!str 4
  }
  m.fix("write the number", bad.node->origin, number, true);
}

void report_strict(const MegatronRun& run, Findings& out, Stops when) {
  for (const auto* list : {&run.given.bad_values, &run.parsed.written.bad_values}) {
    for (const BadValue& bad : *list) {
      if (stops(bad) != when) continue;
      out.add(bad.node->origin, [&](Message& m) {
        const bool text = bad.node->is_string();
        m.say("{} must be {}, not {}{}", bad.key, bad.expected, text ? "the text " : "", to_text(*bad.node));
        help_with_number(bad, m);
      });
    }
  }
}

void wrong_type(const MegatronRun& run, Findings& out) { report_strict(run, out, Stops::in_arguments); }

void wrong_type_later(const MegatronRun& run, Findings& out) { report_strict(run, out, Stops::later); }

/// Degrees that the world size is divided by.
constexpr std::string_view degree_keys[] = {
    "context_parallel_size",        "expert_model_parallel_size", "expert_tensor_parallel_size",
    "pipeline_model_parallel_size", "tensor_model_parallel_size",
};

/// Whether a number beyond 64 bits is one that Megatron takes a remainder by which cannot be 0: of the world size, or,
/// by the micro-batch, of a global batch that is smaller.
bool divides_nothing(const MegatronRun& run, const BadValue& bad) {
  if (bad.node->kind != Kind::big_integer) return false;
  if (bad.key == run.config.micro_batch_size.key) return run.given.global_batch_size.value.has_value();
  return std::ranges::find(degree_keys, std::string_view(bad.key)) != std::end(degree_keys);
}

void number_beyond_any_run(const MegatronRun& run, Findings& out) {
  for (const BadValue& bad : run.given.bad_values) {
    if (!divides_nothing(run, bad)) continue;
    out.add(bad.node->origin, [&](Message& m) {
      const std::string value = to_text(*bad.node);
      if (bad.key == run.config.micro_batch_size.key) {
        m.say("micro_batch_size is {}, and global_batch_size {} is no multiple of it", value,
              *run.given.global_batch_size.value);
        m.also(run.given.global_batch_size);
      } else {
        m.say("{} is {}, and world size {} is no multiple of it", bad.key, value, run.world());
      }
    });
  }
}

bool is_true(const Node& node) {
  if (node.is_string()) return !node.text.empty();
  if (node.is_number()) return node.kind == Kind::real ? node.real != 0 : node.integer != 0 || !node.text.empty();
  return node.kind == Kind::date || node.kind == Kind::datetime || !node.items.empty() || !node.entries().empty();
}

/// What Python makes of a value of another type.
void say_reading(const BadValue& bad, Message& m) {
  const Node& node = *bad.node;
  const std::string value = to_text(node);
  if (bad.expected == "true or false") {
    m.say("{} is {}, not true or false: Python takes it for {}", bad.key, value, is_true(node));
    constexpr std::string_view not_booleans[] = {"y", "Y", "n", "N"};
    if (!node.quoted && std::ranges::find(not_booleans, node.text) != std::end(not_booleans)) {
      m.help("y and n alone are text to PyYAML, unlike yes and no: write true or false");
    }
  } else if (node.kind == Kind::big_integer) {
    m.say("{} is {}: beyond 64 bits, so nothing that follows from it is judged here", bad.key, value);
  } else if (node.kind == Kind::boolean && bad.usable) {
    m.say("{} is {}, not {}: Python computes with {}", bad.key, value, bad.expected, node.boolean ? 1 : 0);
  } else if (bad.usable) {
    m.say("{} is {}, not {}: Python goes on with a float", bad.key, value, bad.expected);
  } else if (bad.expected == "a string") {
    m.say("{} is {}, not a string: no word that Megatron compares it with is equal to it", bad.key, value);
    if (node.kind == Kind::boolean)
      m.help("YAML reads on, off, yes, no, true and false as booleans: use quotes, or null");
  } else {
    m.say("{} is {}, not {}: code that computes with it would stop (TypeError)", bad.key, value, bad.expected);
  }
}

void odd_type(const MegatronRun& run, Findings& out) {
  for (const auto* list : {&run.given.bad_values, &run.parsed.written.bad_values}) {
    for (const BadValue& bad : *list) {
      if (stops(bad) != Stops::no || divides_nothing(run, bad) || !is_written(bad.node->origin)) continue;
      out.add(bad.node->origin, [&](Message& m) {
        say_reading(bad, m);
        if (bad.expected != "a string") help_with_number(bad, m);
      });
    }
  }
}

/// Null is a value, not the absence of one: it takes the place of the default.
void null_value(const MegatronRun& run, Findings& out) {
  const MegatronConfig& given = run.given;
  const auto report = [&](const auto& field, const char* what) {
    if (!field.is_explicit || field.value.has_value()) return;
    out.add(field, [&](Message& m) {
      m.say("{} is null, which Megatron {}", field.key, what);
      m.help("take the key out for Megatron's default, or give a number");
    });
  };
  if (given.lr.value) report(given.min_lr, "compares with lr");
  report(given.distributed_timeout_minutes, "makes the time limit of the process groups of");
  report(given.lr_warmup_iters, "compares with 0 or multiplies by the batch");
  report(given.lr_warmup_samples, "compares with 0");
  report(given.num_dataset_builder_threads, "compares with 0");
  const bool evaluates = given.eval_iters.value.value_or(0) > 0 && !*given.skip_train && !*given.full_validation;
  if (evaluates) report(given.eval_interval, "divides the steps by");
  report(given.num_distributed_optimizer_instances, "divides the data-parallel ranks by");
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG801",
      .name = "wrong-type",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Python stops with a TypeError",
      .summary = "Text or a float where the argument checks compute with a number.",
      .explanation = "Primus does not convert values: what YAML reads is what Megatron computes with. Quoted numbers "
                     "are text, and so is 1e-5: YAML wants a dot, 1.0e-5. Degrees have to be integers because Python "
                     "cannot count groups with a float.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "lr: 1e-5\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "lr: 1.0e-5\n"}},
     wrong_type},
    {{.id = "MG803",
      .name = "wrong-type-later",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/training/training.py:pretrain",
      .outcome = "Python stops with a TypeError when the model is built or the first batch is run",
      .summary = "Text or a float where building the model or the schedule computes with a number.",
      .explanation = "The argument checks let it pass, but layers, batches and steps cannot be counted with it: "
                     "global_batch_size 64.0 makes a number of micro-batches of 8.0, and range(8.0) is an error.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 64.0\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 64\n"}},
     wrong_type_later},
    {{.id = "MG813",
      .name = "number-beyond-any-run",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Megatron stops (AssertionError)",
      .summary = "A degree or micro-batch beyond 64 bits.",
      .explanation =
          "Python computes with integers of any length, so such a number is no type error: the world size is "
          "no multiple of the degree, nor the global batch of the micro-batch.",
      .bad = {.world_size = 8, .yaml = "tensor_model_parallel_size: 100000000000000000000\nmicro_batch_size: 1\n"},
      .good = {.world_size = 8, .yaml = "tensor_model_parallel_size: 8\nmicro_batch_size: 1\n"}},
     number_beyond_any_run},
    {{.id = "MG804",
      .name = "odd-type",
      .severity = Severity::warning,
      .stage = Stage::load,
      .runtime_site = "primus/backends/megatron/argument_builder.py:update",
      .outcome = "Python goes on with the value as it is",
      .summary = "A value of another type than the key's, which Python takes in its own way.",
      .explanation =
          "Primus never runs Megatron's argument parser over the values, so nothing is converted or refused. The text "
          "'false' is true, true is 1, and text in a number's place is an error only where something computes with it.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "overlap_grad_reduce: \"false\"\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "overlap_grad_reduce: false\n"}},
     odd_type},
    {{.id = "MG809",
      .name = "null-value",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::validate_args,
      .outcome = "Python stops with a TypeError",
      .summary = "Null in a key that Megatron computes with.",
      .explanation = "Null, ~, an empty value and the text null all become None, which takes the place of Megatron's "
                     "default.",
      .bad = {.world_size = 8,
              .yaml = "micro_batch_size: 1\n"
                      "global_batch_size: 8\n"
                      "min_lr: null\n"},
      .good = {.world_size = 8,
               .yaml = "micro_batch_size: 1\n"
                       "global_batch_size: 8\n"
                       "min_lr: 0.0\n"}},
     null_value},
};

}  // namespace

RuleList value_type_rules() { return rules; }

}  // namespace primus_plan::megatron
