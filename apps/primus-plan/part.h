#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "primus_plan/backends/analysis.h"
#include "primus_plan/config/experiment.h"
#include "primus_plan/config/files.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/config/settings.h"
#include "primus_plan/estimate/fit.h"

namespace primus_plan::app {

/// Declares --hardware.
void declare_hardware(CLI::App& app, std::string& spec);

/// The text of the experiment's own file among those that it was loaded from; null where it has none.
const Source* own_source(const Experiment& experiment);

/// Finds the GPU that an experiment is for: --hardware, else its comment `# primus-plan: hardware=PART`, else the
/// settings, else what its path or comments speak of; with the calibration of the settings where that is for this part.
/// Each part is read once. May be used from many threads.
class Parts {
 public:
  /// `spec`: what --hardware says, empty without it. Throws HardwareError when it names nothing.
  Parts(std::string spec, const FileReader& files);

  /// The part; MI300X, `assumed`, when nobody says.
  FitTarget of(const Experiment& experiment, const Settings* settings) const;

 private:
  Hardware find(const std::string& spec) const;

  std::string spec_;
  const FileReader& files_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Hardware> found_;
};

/// The part that estimates are made for, when somebody or something names one.
struct Part {
  std::optional<Hardware> hardware;
  std::string from;
  std::string calibration;  ///< by what it is calibrated; nothing when it is not

  const Hardware* get() const { return hardware ? &*hardware : nullptr; }
};

/// As Parts finds it, `spec` being the value of --hardware; none where nobody says. Throws HardwareError.
Part find_part(const std::string& spec, const Experiment& experiment, const Settings* settings,
               const FileReader& files);

/// The built-in part that a new file made from an experiment has to name in its launch comment, so that it is estimated
/// for the same part as the experiment is with `spec` (the value of --hardware); empty where the file's path, its text
/// or the settings say so already, or where no comment can (a part with changed numbers, a file).
std::string part_to_write(const std::string& spec, const Experiment& experiment, const Settings* settings,
                          const std::string& new_path, const std::string& new_text);

/// The modules at the launch, or at whole nodes where nobody gave a size: one GPU of a node tells little of a run.
/// `assumed`: the size to take then (of common_world); 0: the smallest nodes of their own.
std::vector<Analysis> analyze_nodes(const Experiment& experiment, const Launch& launch, const Environment& environment,
                                    const AnalyzeOptions& asked, std::int64_t assumed = 0);

/// The world at which two versions of a run are compared that each had to take one of their own, where these differ; 0
/// where they do not, or where somebody gave a size.
std::int64_t common_world(const std::vector<Analysis>& a, const std::vector<Analysis>& b);

std::size_t errors_of(const std::vector<Analysis>& analyses);

/// The part that comparisons are made on, and why this one: there always is one.
struct GpuPart {
  Hardware hardware;
  std::string source;  ///< names the calibration, too
};

/// As Parts finds it, else the MI300X. Throws HardwareError.
GpuPart find_gpu_part(const std::string& spec, const Experiment& experiment, const Settings* settings,
                      const FileReader& files);

}  // namespace primus_plan::app
