#pragma once

#include "backends/torchtitan/model.h"

namespace primus_plan::torchtitan::flavors {

// One table a model family, from its torchtitan/models/<family>/__init__.py; what a flavor leaves out is the default of
// the family's model/args.py.

extern const std::span<const Flavor> llama3;
extern const std::span<const Flavor> llama4;
extern const std::span<const Flavor> deepseek_v3;
extern const std::span<const Flavor> qwen3;
extern const std::span<const Flavor> gpt_oss;
extern const std::span<const Flavor> flux;

}  // namespace primus_plan::torchtitan::flavors
