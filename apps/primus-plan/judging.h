#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fix.h"
#include "inputs.h"
#include "options.h"
#include "part.h"
#include "setup.h"

namespace primus_plan::app {

/// A file to check, and how.
struct Chosen {
  Input input;
  const Setup* setup = nullptr;
};

/// What `check` makes of one file. May be used from many threads.
class Judging {
 public:
  /// What is wanted besides degrees, batch and findings.
  enum class With : std::uint8_t { findings, repairs };

  /// `legal_worlds`: how many legal world sizes are listed for each module; 0: a few for an illegal one.
  /// `hardware`: what --hardware says.
  Judging(const LaunchFlags& launch, std::size_t legal_worlds, const std::string& hardware, const FileReader& files,
          const Environment& environment)
      : launch_(launch),
        legal_worlds_(legal_worlds),
        files_(files),
        environment_(environment),
        parts_(hardware, files),
        loader_(files, environment) {}

  /// Nothing for a file of a folder that is no experiment.
  std::optional<LoadResult> load(const Chosen& chosen) const;
  /// The same for a text in place of the file's.
  std::optional<LoadResult> load_text(const Chosen& chosen, const std::string& text) const;
  FileReport judge(const Chosen& chosen, const LoadResult& loaded, With with) const;
  /// Mends the file; `file` becomes the report of what is left. Gives back the diff, with --diff.
  std::string fix(const Chosen& chosen, const FixFlags& flags, FileReport& file, std::string& remark) const;

 private:
  void add_repairs(const Experiment& experiment, std::vector<Analysis>& analyses) const;

  const LaunchFlags& launch_;
  std::size_t legal_worlds_;
  const FileReader& files_;
  const Environment& environment_;
  Parts parts_;
  Loader loader_;
};

}  // namespace primus_plan::app
