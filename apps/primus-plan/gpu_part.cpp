#include "gpu_part.h"

#include "part.h"

namespace primus_plan::app {

GpuPart find_gpu_part(const std::string& spec, const Experiment& experiment, const Settings* settings,
                      const FileReader& files) {
  const FitTarget target = Parts(spec, files).of(experiment, settings);
  return {target.hardware, target.assumed ? "nothing names the GPU; --hardware PART does" : target.from};
}

}  // namespace primus_plan::app
