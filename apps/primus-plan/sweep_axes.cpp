#include "sweep_axes.h"

#include <fmt/core.h>

#include <utility>

#include "command.h"
#include "primus_plan/report/explain_key.h"

namespace primus_plan::app {

std::vector<SweepAxis> read_axes(const std::vector<std::string>& texts) {
  std::vector<SweepAxis> axes;
  for (const std::string& text : texts) {
    SweepAxis axis = parse_sweep_axis(text);
    if (const std::string fault = fault_of_axis_name(axis.name); !fault.empty())
      throw Trouble(fmt::format("--over {}: {}", axis.name, fault));
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace primus_plan::app
