#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "primus_plan/config/files.h"
#include "primus_plan/run/calibration.h"

namespace primus_plan {

/// What `calibration:` in a file of settings says: the fitted constants, the part and the run that they come from.
struct StoredCalibration {
  Calibration constants;
  std::string hardware;  ///< name of the part
  std::string run;       ///< in words, for reports
  std::string path;      ///< the file it stands in; empty before it is written
};

/// A calibration that cannot be written: a sentence for the user.
class CalibrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Path of the nearest `.primus-plan.yaml` in a folder or above it; empty when there is none.
std::string nearest_settings_file(const std::string& folder, const FileReader& files);

/// The text of a file of settings with this calibration in the place of the one it had, or at its end; every other
/// byte stays. Throws CalibrationError when that cannot be done by replacing whole lines (a mapping in braces, say).
std::string with_calibration(std::string_view text, const StoredCalibration& calibration);

}  // namespace primus_plan
