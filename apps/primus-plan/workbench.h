#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judging.h"
#include "options.h"
#include "primus_plan/config/presets.h"
#include "primus_plan/lsp/workspace.h"
#include "setup.h"

namespace primus_plan::app {

/// What `check` knows, for a session with an editor: texts are judged with the flags of the command, the settings and
/// the baseline of their folder.
class Workbench final : public lsp::Workspace {
 public:
  Workbench(const ExperimentFlags& experiment, const LaunchFlags& launch, const ChoiceFlags& choice);

  void open(const std::string& path, const std::string& text) override { files_.put(path, text); }
  void close(const std::string& path) override { files_.remove(path); }
  void forget() override;
  std::optional<lsp::Judged> judge(const std::string& path, const std::string& text) override;
  std::vector<std::string> presets(const std::string& path, const std::string& folder) override;

 private:
  const ExperimentFlags& experiment_;
  const LaunchFlags& launch_;
  const ChoiceFlags& choice_;
  Environment environment_;
  DiskFiles disk_;
  lsp::OverlayFiles files_;
  std::optional<Setups> setups_;
  std::optional<Judging> judging_;
};

}  // namespace primus_plan::app
