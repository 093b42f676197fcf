#include <vector>

#include "backends/common/choices.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"
#include "primus_plan/support/text.h"

namespace primus_plan::maxtext {
namespace {

using Kind = KeyFault::Kind;

/// Calls `describe(fault, message)` for each fault of this kind, at the value or the key.
template <class Describe>
void report(const MaxTextRun& run, Kind kind, Findings& out, Describe&& describe) {
  for (const KeyFault& fault : run.layers.faults) {
    if (fault.kind != kind) continue;
    const bool at_key = kind == Kind::unknown || kind == Kind::nested || !fault.value->origin;
    const Origin& where = at_key ? fault.key_origin : fault.value->origin;
    out.add(where ? where : run.module, [&](Message& m) { describe(fault, m); });
  }
}

/// Other frameworks' words for what MaxText has. Older versions' too.
struct OtherName {
  std::string_view key;
  std::string_view help;
};
constexpr OtherName other_names[] = {
    {"context_parallel_degree", "ici_context_parallelism inside a node, dcn_context_parallelism across nodes"},
    {"context_parallel_size", "ici_context_parallelism inside a node, dcn_context_parallelism across nodes"},
    {"data_parallel_replicate_degree", "ici_data_parallelism and dcn_data_parallelism replicate, fsdp shards"},
    {"data_parallel_shard_degree", "ici_fsdp_parallelism inside a node, dcn_fsdp_parallelism across nodes"},
    {"dcn_tensor_transpose_parallelism",
     "the tensor_transpose axis was removed in upstream MaxText 0.2.4; an older fork may still know it"},
    {"expert_model_parallel_size", "ici_expert_parallelism inside a node, dcn_expert_parallelism across nodes"},
    {"expert_shard_attention_option", "replaced by custom_mesh_and_rule: ep-as-cp"},
    {"global_batch_size",
     "the global batch follows from devices x per_device_batch_size x gradient_accumulation_steps"},
    {"hidden_size", "base_emb_dim, under override_model when model_name is set"},
    {"ici_model_parallelism", "ici_tensor_parallelism"},
    {"ici_tensor_transpose_parallelism",
     "the tensor_transpose axis was removed in upstream MaxText 0.2.4; an older fork may still know it"},
    {"local_batch_size", "per_device_batch_size counts all devices, those of tensor and pipeline parallel too"},
    {"micro_batch_size", "per_device_batch_size counts all devices, those of tensor and pipeline parallel too"},
    {"num_attention_heads", "base_num_query_heads, under override_model when model_name is set"},
    {"num_layers", "base_num_decoder_layers, under override_model when model_name is set"},
    {"parallelism", "MaxText's keys are flat: ici_fsdp_parallelism, ici_tensor_parallelism, ..."},
    {"pipeline_model_parallel_size", "ici_pipeline_parallelism inside a node, dcn_pipeline_parallelism across nodes"},
    {"pipeline_parallel_degree", "ici_pipeline_parallelism inside a node, dcn_pipeline_parallelism across nodes"},
    {"seq_len", "max_target_length"},
    {"seq_length", "max_target_length"},
    {"tensor_model_parallel_size", "ici_tensor_parallelism"},
    {"tensor_parallel_degree", "ici_tensor_parallelism"},
    {"train_iters", "steps"},
};

void help_with_name(const KeyFault& fault, Message& m) {
  const std::string_view key = fault.key;
  for (const OtherName& other : other_names) {
    if (other.key != key) continue;
    m.help("{}", other.help);
    return;
  }
  std::vector<std::string_view> names;
  for (const KeySpec& spec : all_keys()) names.push_back(spec.name);
  const auto nearest = nearest_names(key, names, 2);
  for (const std::string_view near : nearest) m.help("did you mean {}?", near);
  if (nearest.empty()) return;
  const std::string name(nearest.front());
  m.fix(fmt::format("rename it to {}", name), fault.key_origin, name);
}

void unknown_key(const MaxTextRun& run, Findings& out) {
  report(run, Kind::unknown, out, [](const KeyFault& fault, Message& m) {
    m.say("{} is no key of MaxText", fault.key);
    m.label("this key");
    help_with_name(fault, m);
  });
}

void wrong_type(const MaxTextRun& run, Findings& out) {
  report(run, Kind::wrong_type, out, [](const KeyFault& fault, Message& m) {
    const Node& value = *fault.value;
    const bool text = value.is_string();
    if (value.kind == primus_plan::Kind::big_integer) {
      m.say("{} takes {} of 64 bits, not {:.60}", fault.key, fault.expected, to_text(value));
    } else {
      m.say("{} takes {}, not {}{:.60}", fault.key, fault.expected, text ? "the text " : "", to_text(value));
    }
    if (text && value.text.size() == 4 && fault.expected == "a value")
      m.because("the text \"none\" counts as null for every key");
  });
}

/// "a, b, c", the empty text named.
std::string choices_text(const std::vector<std::string_view>& choices) {
  std::string out;
  for (const std::string_view choice : choices) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", choice.empty() ? "\"\"" : choice);
  }
  return out;
}

void not_a_choice(const MaxTextRun& run, Findings& out) {
  report(run, Kind::not_a_choice, out, [](const KeyFault& fault, Message& m) {
    m.say("{}: {:.60} is none of its values", fault.key, to_text(*fault.value));
    const auto choices = split_choices(fault.spec->choices);
    for (const std::string_view near : nearest_names(fault.value->text, choices, 1)) {
      m.help("did you mean {}?", near);
      m.fix(fmt::format("set {} to {}", fault.key, near), fault.value->origin, std::string(near));
    }
    constexpr std::size_t most_listed = 20;
    if (choices.size() <= most_listed) m.help("values: {}", choices_text(choices));
    m.help("upper and lower case matter");
  });
}

void out_of_range(const MaxTextRun& run, Findings& out) {
  report(run, Kind::out_of_range, out, [](const KeyFault& fault, Message& m) {
    const KeySpec& spec = *fault.spec;
    const std::string least = fmt::format("{}{}", spec.above_least ? "above " : "at least ", number_text(spec.least));
    if (spec.most == std::numeric_limits<double>::infinity()) {
      m.say("{} is {}: it must be {}", fault.key, to_text(*fault.value), least);
    } else {
      m.say("{} is {}: it must be {} and at most {}", fault.key, to_text(*fault.value), least, number_text(spec.most));
    }
  });
}

void surprising_value(const MaxTextRun& run, Findings& out) {
  report(run, Kind::surprising, out, [](const KeyFault& fault, Message& m) {
    m.say("{}: {} is read as {}", fault.key, to_text(*fault.value), fault.value->boolean ? 1 : 0);
    m.help("write the number");
    m.fix(fmt::format("write {}", fault.value->boolean ? 1 : 0), fault.value->origin, fault.value->boolean ? "1" : "0");
  });
}

void derived_key(const MaxTextRun& run, Findings& out) {
  report(run, Kind::derived, out, [](const KeyFault& fault, Message& m) {
    m.say("{} has no effect: MaxText computes it", fault.key);
    if (fault.key.starts_with("global_batch_size") || fault.key.starts_with("micro_batch_size")) {
      m.help("per_device_batch_size and gradient_accumulation_steps decide the batch");
    } else if (fault.key == "ici_parallelism" || fault.key == "dcn_parallelism") {
      m.help("write the degrees one by one: ici_fsdp_parallelism, ...");
    } else {
      m.help("the base_ keys decide the model's dimensions");
    }
  });
}

constexpr Rule<MaxTextRun> rules[] = {
    {{.id = "MX801",
      .name = "maxtext-key-unknown",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = "src/maxtext/configs/pyconfig.py:_prepare_for_pydantic",
      .outcome = sites::config_error,
      .summary = "MaxText stops at keys that it does not know.",
      .explanation = "Since v26.4 an unknown key ends the run; before, it was a warning. MaxText's keys are flat, and "
                     "other frameworks' words do not work: there is no global batch size, and degrees are called "
                     "ici_..._parallelism and dcn_..._parallelism.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nici_fsdp_parallelism: 8\nici_tensor_paralelism: 1\n"},
      .good = {.world_size = 8,
               .yaml = "per_device_batch_size: 1\nici_fsdp_parallelism: 8\nici_tensor_parallelism: 1\n"}},
     unknown_key},
    {{.id = "MX802",
      .name = "maxtext-value-type",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::fields,
      .outcome = sites::config_error,
      .summary = "Values have the type that MaxText expects.",
      .explanation =
          "Numbers may be written as text, whole fractions count as integers, true/false may be text. 2.5 for an "
          "integer, null, words for numbers and numbers for words are refused. The text \"none\" is null everywhere.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nici_tensor_parallelism: two\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nici_tensor_parallelism: \"2\"\n"}},
     wrong_type},
    {{.id = "MX803",
      .name = "maxtext-value-not-a-choice",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::fields,
      .outcome = sites::config_error,
      .summary = "Enumerated keys take one of their values, in lower case.",
      .explanation = "hardware, dtype, quantization, dataset_type, model_name and others have fixed lists of values.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\ndtype: bf16\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\ndtype: bfloat16\n"}},
     not_a_choice},
    {{.id = "MX804",
      .name = "maxtext-value-out-of-range",
      .severity = Severity::error,
      .stage = Stage::arguments,
      .runtime_site = sites::fields,
      .outcome = sites::config_error,
      .summary = "Numbers lie within the bounds that MaxText sets.",
      .explanation = "Counts are positive or not negative, fractions lie between 0 and 1.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\ngradient_accumulation_steps: 0\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\ngradient_accumulation_steps: 1\n"}},
     out_of_range},
    {{.id = "MX810",
      .name = "truth-value-for-number",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::fields,
      .outcome = "MaxText reads true as 1 and false as 0",
      .summary = "Numbers are written as numbers.",
      .explanation = "pydantic turns true into 1 for a key that takes a number, which is rarely what was meant.",
      .bad = {.world_size = 8, .yaml = "per_device_batch_size: 1\nici_tensor_parallelism: true\n"},
      .good = {.world_size = 8, .yaml = "per_device_batch_size: 1\nici_tensor_parallelism: 1\n"}},
     surprising_value},
    {{.id = "MX812",
      .name = "computed-key-without-effect",
      .severity = Severity::warning,
      .stage = Stage::arguments,
      .runtime_site = sites::validate,
      .outcome = "MaxText overwrites it",
      .summary = "Keys that MaxText computes have no effect in a file.",
      .explanation = "The configuration holds results beside settings: batch sizes to load and to train on, scaled "
                     "dimensions, lists of degrees.",
      .bad = {.world_size = 8,
              .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 1\nglobal_batch_size_to_train_on: 64\n"},
      .good = {.world_size = 8, .yaml = "ici_fsdp_parallelism: 8\nper_device_batch_size: 8\n"}},
     derived_key},
};

}  // namespace

RuleList key_rules() { return rules; }

}  // namespace primus_plan::maxtext
