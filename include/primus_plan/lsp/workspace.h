#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "primus_plan/config/experiment.h"
#include "primus_plan/config/files.h"
#include "primus_plan/report/report.h"

namespace primus_plan::lsp {

/// What `check` makes of a text.
struct Judged {
  LoadResult loaded;
  FileReport report;  ///< its modules are those of the experiments in `loaded`, in order
};

/// What a session asks of the program around it: to judge texts as `check` does, with its flags and settings. All paths
/// are absolute.
class Workspace {
 public:
  virtual ~Workspace() = default;
  /// From now on this text stands for the file.
  virtual void open(const std::string& path, const std::string& text) = 0;
  /// The file speaks for itself again.
  virtual void close(const std::string& path) = 0;
  /// Presets, settings and baselines may have changed and are read anew.
  virtual void forget() = 0;
  /// Nothing for a text that is no experiment (a preset, other YAML). Throws std::exception when the settings or the
  /// baseline that hold for it cannot be used.
  virtual std::optional<Judged> judge(const std::string& path, const std::string& text) = 0;
  /// Names of the presets in a folder below configs/ ("models/megatron") that an experiment at `path` may name.
  virtual std::vector<std::string> presets(const std::string& path, const std::string& folder) = 0;
};

/// Files whose texts an editor holds, over those of another reader.
class OverlayFiles final : public FileReader {
 public:
  explicit OverlayFiles(const FileReader& files) : files_(files) {}
  void put(const std::string& path, std::string text) { texts_[path] = std::move(text); }
  void remove(const std::string& path) { texts_.erase(path); }

  std::optional<std::string> read(const std::string& path, ReadFailure& failure) const override;
  bool exists(const std::string& path) const override;
  std::vector<std::string> list(const std::string& folder) const override { return files_.list(folder); }

 private:
  const FileReader& files_;
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace primus_plan::lsp
