#include <limits>
#include <variant>

#include "backends/megatron/rules/rules.h"
#include "backends/megatron/rules/say.h"

namespace primus_plan::megatron {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

using AnyNumber = std::variant<Number MegatronConfig::*, MaybeNumber MegatronConfig::*, Count MegatronConfig::*>;

/// A key whose number something refuses outside of its range. Sources: torch/nn/functional.py:dropout and
/// torch/nn/modules/dropout.py:__init__; torch.Tensor.normal_ (by torch.nn.init.normal_, megatron/core/utils.py:
/// init_method_normal); torch/utils/data/dataloader.py:__init__; megatron/training/training.py:train (manual_gc).
struct Range {
  AnyNumber key;
  double most;
  std::string_view meaning;
  bool (*reached)(const MegatronRun& run);
};

bool always(const MegatronRun&) { return true; }
bool collects_by_hand(const MegatronRun& run) { return *run.config.manual_gc; }

constexpr Range ranges[] = {
    {&MegatronConfig::attention_dropout, 1, "a probability", always},
    {&MegatronConfig::embedding_init_method_std, no_limit, "a standard deviation", always},
    {&MegatronConfig::hidden_dropout, 1, "a probability", always},
    {&MegatronConfig::init_method_std, no_limit, "a standard deviation", always},
    {&MegatronConfig::manual_gc_interval, no_limit, "a number of steps", collects_by_hand},
    {&MegatronConfig::num_workers, no_limit, "a number of processes", always},
};

double number_of(const Number& field) { return *field; }
double number_of(const MaybeNumber& field) { return field.value.value_or(0); }
Int number_of(const Count& field) { return *field; }

void outside_of_range(const MegatronRun& run, Findings& out) {
  for (const Range& range : ranges) {
    std::visit(
        [&](auto member) {
          const auto& field = run.config.*member;
          const auto value = static_cast<double>(number_of(field));
          if ((value >= 0 && value <= range.most) || !range.reached(run)) return;
          out.add(field, [&](Message& m) {
            m.say("{} is {}: {} is {}", field.key, number_of(field), range.meaning,
                  range.most == no_limit ? "0 or more" : "between 0 and 1");
          });
        },
        range.key);
  }
}

constexpr Rule<MegatronRun> rules[] = {
    {{.id = "MG814",
      .name = "number-out-of-range",
      .severity = Severity::error,
      .stage = Stage::model_build,
      .runtime_site = "megatron/training/training.py:pretrain",
      .outcome = "torch or Megatron stops where the number is used first",
      .summary = "Dropout is a probability; standard deviation, loader processes and intervals are 0 or more.",
      .explanation = "The argument checks pass over these numbers. Modules refuse a dropout outside 0 to 1, the "
                     "initialization a negative init_method_std, the data loader a negative num_workers, the training "
                     "loop a negative manual_gc_interval when manual_gc is on.",
      .bad = {.world_size = 8, .yaml = "hidden_dropout: 10\n"},
      .good = {.world_size = 8, .yaml = "hidden_dropout: 0.1\n"}},
     outside_of_range},
};

}  // namespace

RuleList number_range_rules() { return rules; }

}  // namespace primus_plan::megatron
