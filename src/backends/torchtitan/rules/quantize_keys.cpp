#include <algorithm>
#include <vector>

#include "backends/torchtitan/fields.h"
#include "backends/torchtitan/rules/rules.h"
#include "backends/torchtitan/rules/say.h"
#include "primus_plan/support/text.h"

// Keys below quantize that no listed converter reads.

namespace primus_plan::torchtitan {
namespace {

/// Whether the user set a field to something else than its default.
bool is_set(const Field<TorchTitanConfig>& field, const TorchTitanConfig& config) {
  return std::visit(
      [&](auto member) {
        auto usual = config.*member;
        fields_detail::set_default(usual, field.default_value);
        return is_asked_for(config.*member) && (config.*member).value != usual.value;
      },
      field.member);
}

/// A converter, and the fields of the section of its name: what the field table holds, found once.
struct Section {
  std::string_view converter;
  std::vector<const Field<TorchTitanConfig>*> fields;
};

const std::vector<Section>& quantize_sections() {
  static const std::vector<Section> sections = [] {
    std::vector<Section> out;
    for (const std::string_view converter :
         {"quantize.linear.float8", "quantize.linear.mx", "quantize.grouped_mm.float8", "quantize.grouped_mm.mx"}) {
      Section& section = out.emplace_back(Section{.converter = converter, .fields = {}});
      for (const Field<TorchTitanConfig>& field : fields()) {
        const std::string_view name = field.name;
        if (name.starts_with(converter) && name[converter.size()] == '.') section.fields.push_back(&field);
      }
    }
    return out;
  }();
  return sections;
}

Origin origin_in_run(const Field<TorchTitanConfig>& field, const TorchTitanConfig& config) {
  return std::visit([&](auto member) { return (config.*member).origin; }, field.member);
}

void quantize_keys_ignored(const TorchTitanRun& run, Findings& out) {
  const Converters& converters = run.parsed.converters;
  if (!converters.readable) return;
  for (const Section& section : quantize_sections()) {
    if (std::ranges::find(converters.names, section.converter) != converters.names.end()) continue;
    const auto set = [&](const Field<TorchTitanConfig>* field) { return is_set(*field, run.given); };
    const auto first = std::ranges::find_if(section.fields, set);
    if (first == section.fields.end()) continue;
    out.add(origin_in_run(**first, run.given), [&](Message& m) {
      std::vector<std::string_view> keys;
      for (const Field<TorchTitanConfig>* field : section.fields) {
        if (set(field)) keys.emplace_back(field->name);
      }
      const bool one = keys.size() == 1;
      m.say("{} {} no effect: model.converters does not list {}", join(keys, ", "), one ? "has" : "have",
            section.converter);
      m.because("nothing is quantized that no converter converts; only {} reads its keys", section.converter);
      m.also(run.config.model_converters);
      m.help("add {} to model.converters, or drop the {}", section.converter, one ? "key" : "keys");
    });
  }
}

constexpr Rule<TorchTitanRun> rules[] = {
    {{.id = "TT730",
      .name = "quantize-keys-without-converter",
      .severity = Severity::warning,
      .stage = Stage::model_build,
      .runtime_site = "torchtitan/protocols/model_converter.py:__init__",
      .outcome = "nobody reads the key: layers stay in the types of training",
      .summary = "Keys below quantize have an effect only with the converter of their name.",
      .explanation = "model.converters says what is quantized; quantize.linear.float8 and its like only say how. "
                     "Primus's converters (primus_turbo_fp8, primus_turbo_mx) have no keys.",
      .bad = {.world_size = 8,
              .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: []\n"
                      "quantize:\n  linear:\n    float8:\n      recipe_name: rowwise\n"},
      .good = {.world_size = 8,
               .yaml = "model:\n  name: llama3\n  flavor: 8B\n  converters: [quantize.linear.float8]\n"
                       "quantize:\n  linear:\n    float8:\n      recipe_name: rowwise\n"
                       "primus_turbo:\n  use_turbo_float8_linear: false\n"}},
     quantize_keys_ignored},
};

}  // namespace

RuleList quantize_key_rules() { return rules; }

}  // namespace primus_plan::torchtitan
