#include <algorithm>

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

void quantize_keys_ignored(const TorchTitanRun& run, Findings& out) {
  if (!run.parsed.converters.readable) return;
  const auto& listed = run.parsed.converters.names;
  for (const std::string_view section :
       {"quantize.linear.float8", "quantize.linear.mx", "quantize.grouped_mm.float8", "quantize.grouped_mm.mx"}) {
    if (std::find(listed.begin(), listed.end(), section) != listed.end()) continue;
    std::vector<std::string_view> keys;
    Origin first;
    for (const Field<TorchTitanConfig>& field : fields()) {
      const std::string_view name = field.name;
      if (!name.starts_with(section) || name[section.size()] != '.' || !is_set(field, run.given)) continue;
      if (keys.empty()) first = std::visit([&](auto member) { return (run.given.*member).origin; }, field.member);
      keys.push_back(name);
    }
    if (keys.empty()) continue;
    out.add(first, [&](Message& m) {
      m.say("{} {} no effect: model.converters does not list {}", join(keys, ", "), keys.size() == 1 ? "has" : "have",
            section);
      m.because("nothing is quantized that no converter converts; only {} reads its keys", section);
      m.also(run.config.model_converters);
      m.help("add {} to model.converters, or drop the {}", section, keys.size() == 1 ? "key" : "keys");
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
