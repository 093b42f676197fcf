#include <algorithm>
#include <array>

#include "primus_plan/planner/translate.h"
#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// One model and what each framework's preset for it is called; empty where it has none.
struct ModelNames {
  std::string_view megatron;
  std::string_view torchtitan;
  std::string_view maxtext;
};

// TorchTitan's llama3.2_1B is left out: it names a flavor that the pinned TorchTitan does not have. Models of one
// architecture and size under several names stand in several rows: the first that matches is taken.
constexpr std::array<ModelNames, 26> models{{{"llama2_7B", "", "llama2_7B"},
                                             {"llama2_70B", "", "llama2_70B"},
                                             {"llama3_8B", "llama3_8B", "llama3_8B"},
                                             {"llama3_70B", "llama3_70B", "llama3_70B"},
                                             {"llama3.1_8B", "llama3.1_8B", "llama3_8B"},
                                             {"llama3.1_70B", "llama3.1_70B", "llama3.3_70B"},
                                             {"llama3.3_70B", "llama3.3_70B", "llama3.3_70B"},
                                             {"llama3.1_405B", "llama3.1_405B", "llama3.1_405B"},
                                             {"qwen3_4B", "qwen3_4b", ""},
                                             {"qwen3_8B", "qwen3_8b", ""},
                                             {"qwen3_14B", "qwen3_14b", "qwen3_14B"},
                                             {"qwen3_32B", "qwen3_32b", ""},
                                             {"qwen3_30B_A3B", "", "qwen3_30B_A3B"},
                                             {"mixtral_8x7B_v0.1", "", "mixtral_8x7B"},
                                             {"mixtral_8x22B_v0.1", "", "mixtral_8x22B"},
                                             {"deepseek_v2_lite", "deepseek_v3_16b", "deepseek_v2_16B"},
                                             {"deepseek_v2", "deepseek_v3_236b", ""},
                                             {"deepseek_v3", "deepseek_v3_671b", ""},
                                             {"gpt_oss_20B", "gpt_oss_20b", ""},
                                             {"gpt_oss_120B", "gpt_oss_120b", ""},
                                             {"llama4_17B16E", "llama4_17Bx16E", ""},
                                             {"llama4_17B128E", "llama4_17Bx128E", ""},
                                             {"grok1", "", "grok1"},
                                             {"llama3.1_8B", "llama3.1_8B-fp8", "llama3_8B"},
                                             {"llama3.1_70B", "llama3.1_70B-fp8", "llama3.3_70B"},
                                             {"llama3.1_405B", "llama3.1_405B-fp8", "llama3.1_405B"}}};

struct Column {
  std::string_view framework;
  std::string_view ModelNames::*name;
};
constexpr std::array<Column, 3> columns{
    {{"megatron", &ModelNames::megatron}, {"torchtitan", &ModelNames::torchtitan}, {"maxtext", &ModelNames::maxtext}}};

const Column* column_of(std::string_view framework) {
  const auto found = std::ranges::find(columns, framework, &Column::framework);
  return found == columns.end() ? nullptr : &*found;
}

/// "llama3.1_70B" of "models/llama3.1_70B.yaml".
std::string_view stem(std::string_view preset) {
  preset = preset.substr(preset.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view ending : {".yaml", ".yml"}) {
    if (preset.ends_with(ending)) preset.remove_suffix(ending.size());
  }
  return preset;
}

}  // namespace

std::optional<std::string_view> model_preset_for(std::string_view framework, std::string_view preset,
                                                 std::string_view target) {
  const Column* from = column_of(framework);
  const Column* to = column_of(target);
  if (from == nullptr || to == nullptr) return std::nullopt;
  const std::string_view name = stem(preset);
  for (const ModelNames& model : models) {
    if (equal_ignoring_case(model.*(from->name), name) && !(model.*(to->name)).empty()) return model.*(to->name);
  }
  return std::nullopt;
}

}  // namespace primus_plan
