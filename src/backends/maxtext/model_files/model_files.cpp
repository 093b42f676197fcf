#include "backends/maxtext/model_files/model_files.h"

#include <array>

namespace primus_plan::maxtext {

const ModelFile* find_model_file(std::string_view model_name) {
  constexpr std::string_view instruct = "-Instruct";
  if (model_name.ends_with(instruct)) model_name.remove_suffix(instruct.size());
  const std::array families{model_files::deepseek(), model_files::gemma(), model_files::gpt(),
                            model_files::llama(),    model_files::qwen(),  model_files::other()};
  for (const auto& family : families) {
    for (const ModelFile& file : family) {
      if (file.name == model_name) return &file;
    }
  }
  return nullptr;
}

}  // namespace primus_plan::maxtext
