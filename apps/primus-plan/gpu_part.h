#pragma once

#include <string>

#include "primus_plan/config/experiment.h"
#include "primus_plan/config/files.h"
#include "primus_plan/config/settings.h"
#include "primus_plan/run/hardware.h"

namespace primus_plan::app {

/// The part that estimates are made for, and why this one.
struct GpuPart {
  Hardware hardware;
  std::string source;
};

/// --hardware, else the settings, else what the experiment's path or comments speak of, else the MI300X. Throws
/// HardwareError.
GpuPart find_gpu_part(const std::string& spec, const Experiment& experiment, const Settings* settings,
                      const FileReader& files);

}  // namespace primus_plan::app
