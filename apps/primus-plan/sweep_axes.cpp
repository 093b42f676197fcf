#include "sweep_axes.h"

#include <fmt/core.h>

#include <utility>

#include "command.h"
#include "primus_plan/planner/short_names.h"
#include "primus_plan/report/explain_key.h"
#include "primus_plan/report/keys.h"

namespace primus_plan::app {

std::vector<SweepAxis> read_axes(const std::vector<std::string>& texts) {
  std::vector<SweepAxis> axes;
  for (const std::string& text : texts) {
    SweepAxis axis = parse_sweep_axis(text);
    if (find_short_name(axis.name) == nullptr && keys_named(axis.name).empty()) {
      const std::string nearest = nearest_catalogue_keys(axis.name);
      throw Trouble(fmt::format("--over {}: neither a key nor one of {}{}", axis.name, short_names_text(),
                                nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace primus_plan::app
