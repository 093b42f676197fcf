#pragma once

#include <span>
#include <string_view>

#include "primus_plan/config/fields.h"

namespace primus_plan::maxtext {

/// One key of a model file.
struct Setting {
  std::string_view key;
  Literal value;
};

/// The scalars of one of MaxText's own model files, src/maxtext/configs/models/<name>.yml.
struct ModelFile {
  std::string_view name;
  std::span<const Setting> settings;
};

namespace model_files {

// One function a family of models. Facts of MaxText e591f30c.
std::span<const ModelFile> deepseek();
std::span<const ModelFile> gemma();
std::span<const ModelFile> gpt();
std::span<const ModelFile> llama();
std::span<const ModelFile> qwen();
std::span<const ModelFile> other();

}  // namespace model_files
}  // namespace primus_plan::maxtext
