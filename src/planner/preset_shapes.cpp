#include "primus_plan/backends/analyze.h"
#include "primus_plan/backends/model_list.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/planner/translate.h"
#include "primus_plan/planner/written_plan.h"
#include "primus_plan/run/workload.h"

namespace primus_plan {

std::vector<PresetShape> preset_shapes(const Loader& loader, const std::optional<std::string>& primus_root,
                                       std::string_view framework) {
  ExperimentOptions options;
  options.primus_root = primus_root;
  std::vector<PresetShape> out;
  for (const ListedModel& model : list_models(loader, primus_root, framework)) {
    const LoadResult loaded =
        loader.load_text(model.preset, experiment_around(std::string(framework), model.name()), options);
    if (loaded.experiments.empty() || loaded.experiments.front().modules.empty()) continue;
    const auto prepared = prepare(loaded.experiments.front().modules.front(), loader.environment());
    if (prepared == nullptr) continue;
    constexpr std::int64_t node = 8;
    const Analysis analysis = prepared->decide(assume_launch(node, node), {.with_text = false, .with_workload = true});
    if (analysis.workload == nullptr || analysis.workload->model.layers < 1) continue;
    out.push_back({model.name(), analysis.workload->model});
  }
  return out;
}

}  // namespace primus_plan
