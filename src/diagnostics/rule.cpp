#include "primus_plan/diagnostics/rule.h"

namespace primus_plan {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::load:
      return "load";
    case Stage::arguments:
      return "arguments";
    case Stage::model_parallel:
      return "model-parallel";
    case Stage::transformer_config:
      return "transformer-config";
    case Stage::model_build:
      return "model-build";
    case Stage::schedule:
      return "schedule";
    case Stage::runtime:
      return "runtime";
    case Stage::advice:
      return "advice";
  }
  return "runtime";
}

}  // namespace primus_plan
