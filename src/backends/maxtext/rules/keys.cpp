#include "backends/common/keys.h"

#include <vector>

#include "backends/common/choices.h"
#include "backends/maxtext/rules/rules.h"
#include "backends/maxtext/rules/say.h"
#include "backends/maxtext/rules/sites.h"

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

void unknown_key(const MaxTextRun& run, Findings& out) {
  std::size_t hints = 0;
  report(run, Kind::unknown, out, [&hints](const KeyFault& fault, Message& m) {
    m.say("{} is no key of MaxText, which stops at it", fault.key);
    m.label("this key");
    if (++hints <= most_key_hints) say_probable_key("maxtext", fault.key, fault.key_origin, m);
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
    offer_word(m, *fault.value, choices);
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
