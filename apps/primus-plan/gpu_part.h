#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "primus_plan/config/experiment.h"
#include "primus_plan/config/files.h"
#include "primus_plan/run/hardware.h"

namespace primus_plan::app {

/// The part that estimates are made for, and why this one.
struct GpuPart {
  Hardware hardware;
  std::string source;
};

/// Declares --hardware.
void declare_hardware_flag(CLI::App& app, std::string& spec);

/// --hardware, else what the experiment's path or comments speak of, else the MI300X. Throws HardwareError.
GpuPart find_gpu_part(const std::string& spec, const Experiment& experiment, const FileReader& files);

}  // namespace primus_plan::app
