#pragma once

#include <functional>
#include <string>

#include "load_one.h"
#include "options.h"
#include "part.h"
#include "primus_plan/backends/backend.h"
#include "setup.h"

namespace primus_plan::app {

/// A module of a file that a backend judges, at its launch, and the GPU that its estimates are for.
struct RunOfFile {
  const Backend& backend;
  const Module& module;
  const Analysis& analysis;
  const GpuPart& part;
};

/// One FILE argument loaded under its settings: what the commands about estimates begin with.
class OneRun {
 public:
  /// Throws Trouble, SettingsError and NotLoaded.
  OneRun(std::string path, const ExperimentFlags& experiment, const OutputFlags& output);
  OneRun(const OneRun&) = delete;
  OneRun& operator=(const OneRun&) = delete;

  const FileReader& files() const { return files_; }
  const Environment& environment() const { return environment_; }
  const Setup& setup() const { return *setup_; }
  const std::vector<Experiment>& experiments() const { return loaded_.experiments; }
  Launch launch(const Experiment& experiment, const LaunchFlags& flags) const;

  /// The modules at their launch, or on whole nodes where nobody gave a size, as the settings let them be judged.
  std::vector<Analysis> analyses(const Experiment& experiment, const LaunchFlags& flags,
                                 const AnalyzeOptions& asked) const;

  /// Calls `each` with every module at the launch of `analyses`. Throws Trouble for one that no backend judges.
  void each_module(const LaunchFlags& launch, const std::string& hardware,
                   const std::function<void(const RunOfFile&)>& each) const;

 private:
  std::string path_;
  DiskFiles files_;
  Environment environment_;
  Loader loader_;
  Setups setups_;
  const Setup* setup_;
  LoadResult loaded_;
};

}  // namespace primus_plan::app
