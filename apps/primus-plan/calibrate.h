#pragma once

#include <optional>
#include <string>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/calibration.h"
#include "primus_plan/run/hardware.h"

namespace primus_plan::app {

/// What a run measured.
struct Measured {
  std::optional<double> tokens_per_second_per_gpu;
  std::optional<double> memory_gib;  ///< of the whole device
};

/// Values of --measured. Throws Trouble for other names and for numbers that are none or not positive.
Measured read_measured_flags(const std::vector<std::string>& flags);

/// What was fitted, and to which measurements.
struct Fitted {
  StoredCalibration stored;
  bool has_compute = false;
  bool has_memory = false;
};

/// A calibration with which the estimate gives what was measured. Constants that nothing was measured for are those of
/// no calibration. Throws Trouble when no constants within their bounds explain the measurement.
Fitted fit_measured(const Measured& measured, const Analysis& analysis, const Hardware& hardware);

/// Writes what was fitted into the nearest file of settings, else into a new one beside the experiment; what was not
/// measured now and is known of the same part (`before`) stays. With `dry_run` says what would be written instead.
/// Gives back what holds now.
StoredCalibration store_calibration(const Fitted& fitted, const std::optional<StoredCalibration>& before,
                                    const std::string& experiment, const FileReader& files, bool dry_run);

/// "by <run> (<file>): computing rates x 0.93, 1.2 GiB more memory".
std::string calibration_text(const StoredCalibration& stored);

}  // namespace primus_plan::app
