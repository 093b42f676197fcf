#include "session/yaml_value.h"

#include <fmt/core.h>

#include "primus_plan/config/document.h"
#include "primus_plan/diagnostics/load_error.h"
#include "primus_plan/session/evaluation.h"

namespace primus_plan::session {

NodePtr yaml_value(const std::string& text, std::vector<std::shared_ptr<const Source>>& owners) {
  owners.push_back(std::make_shared<const Source>("set", text));
  Remarks remarks;
  try {
    return parse_yaml(*owners.back(), Layer::command_line, {}, remarks);
  } catch (const LoadError& error) {
    throw Refusal(fmt::format("the value {} is no YAML: {}", text, error.finding().message));
  }
}

std::string tidy_value(const std::string& text) {
  std::vector<std::shared_ptr<const Source>> owners;
  return to_text(*yaml_value(text, owners));
}

}  // namespace primus_plan::session
