#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "primus_plan/config/environment.h"
#include "primus_plan/config/files.h"

namespace primus_plan {

/// Where presets are read from.
struct PresetRoot {
  std::string folder;  ///< the folder that holds `configs/` ("<primus>/primus"); empty = built-in
  std::string label;   ///< for reports: the folder as the user gave it, or "built-in"
};

/// --primus-root, else $PRIMUS_ROOT, else $PRIMUS_PATH, else a `primus/configs` above the file, else the built-in
/// library. A given root without `primus/configs` is a LoadError.
PresetRoot find_preset_root(const std::optional<std::string>& given, const std::string& experiment_path,
                            const Environment& environment, const FileReader& files);

/// The folder that stands for the presets inside the binary in paths and messages.
inline constexpr std::string_view built_in_folder = "<built-in>";
/// Whether a path is that of a preset inside the binary, which is no file on disk.
inline bool is_built_in(std::string_view path) { return path.starts_with(built_in_folder); }
/// The label of the presets inside the binary, and the version of Primus that they are facts of.
inline constexpr std::string_view built_in_label = "built-in";
inline constexpr std::string_view built_in_version = "Primus fd1eeabb";

/// Reads through to `files`, and serves paths below "<built-in>/" from the presets inside the binary.
class FilesWithPresets final : public FileReader {
 public:
  explicit FilesWithPresets(const FileReader& files) : files_(files) {}
  std::optional<std::string> read(const std::string& path, ReadFailure& failure) const override;
  bool exists(const std::string& path) const override;
  std::vector<std::string> list(const std::string& folder) const override;

 private:
  const FileReader& files_;
};

}  // namespace primus_plan
