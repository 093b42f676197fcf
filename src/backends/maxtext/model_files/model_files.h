#pragma once

#include <string_view>

#include "backends/maxtext/model_files/data.h"

namespace primus_plan::maxtext {

/// The model file that MaxText loads for a model_name; null for "default" and for names without a file. The -Instruct
/// names share the base model's file. Source: src/maxtext/configs/pyconfig.py:_initialize_pydantic.
const ModelFile* find_model_file(std::string_view model_name);

}  // namespace primus_plan::maxtext
