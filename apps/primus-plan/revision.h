#pragma once

#include <optional>
#include <string>
#include <vector>

#include "primus_plan/config/files.h"

namespace primus_plan::app {

/// FILE@REVISION taken apart.
struct AtRevision {
  std::string path;     ///< as the working folder has it
  std::string commit;   ///< full name
  std::string spelled;  ///< the revision, as it was given
};

/// What FILE@REVISION names; nothing for a name without "@", for "-", and where a file is called so. Of several "@"
/// the first counts whose left side is a file of that revision: a path may have one, and so may a revision
/// ("a.yaml@HEAD@{1}"). Throws Trouble when git knows no such revision, or no such file in it.
std::optional<AtRevision> split_revision(const std::string& name);

/// The files of a repository as one revision has them. Whatever lies elsewhere, or below one folder of presets, is read
/// from the disk, as it is now; so are the answers to `exists` and `list`. Links are followed within the revision.
class RevisionFiles final : public FileReader {
 public:
  /// `presets`: the folder whose files are read as they are now; empty: none.
  RevisionFiles(const AtRevision& at, const std::string& presets, const FileReader& disk);

  std::optional<std::string> read(const std::string& path, ReadFailure& failure) const override;
  bool exists(const std::string& path) const override { return disk_.exists(path); }
  std::vector<std::string> list(const std::string& folder) const override { return disk_.list(folder); }

 private:
  std::string commit_;
  std::string spelled_;
  std::string top_;  ///< of the repository's working tree
  std::string presets_;
  const FileReader& disk_;
};

}  // namespace primus_plan::app
