#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace primus_plan::test {

/// A folder of its own that vanishes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file below the folder, with the folders it needs; gives back its full path.
  std::string write(const std::string& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

/// The bytes of a file; empty when there is none.
std::string read_file(const std::filesystem::path& path);

}  // namespace primus_plan::test
