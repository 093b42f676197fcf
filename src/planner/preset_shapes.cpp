#include "primus_plan/backends/model_list.h"
#include "primus_plan/planner/translate.h"

namespace primus_plan {

std::vector<PresetShape> preset_shapes(const Loader& loader, const std::optional<std::string>& primus_root,
                                       std::string_view framework) {
  std::vector<PresetShape> out;
  for (ListedModel& model : list_models(loader, primus_root, framework)) {
    if (model.shape.layers < 1) continue;
    out.push_back({model.name(), std::move(model.shape)});
  }
  return out;
}

}  // namespace primus_plan
